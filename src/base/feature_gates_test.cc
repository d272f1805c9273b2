#include "base/feature_gates.h"

#include <gtest/gtest.h>

#include "base/metrics.h"

namespace skiff {
namespace {

TEST(FeatureOnTest, WhatIsGivenCountsThenItsStageThenTheDefault) {
  EXPECT_TRUE(IsFeatureOn(GivenGates{}, "ComponentStatusz"));
  EXPECT_FALSE(IsFeatureOn(GivenGates{{"AllBeta", false}}, "ComponentStatusz"));
  EXPECT_TRUE(
      IsFeatureOn(GivenGates{{"AllBeta", false}, {"ComponentStatusz", true}}, "ComponentStatusz"));
  EXPECT_FALSE(IsFeatureOn(GivenGates{}, "NoSuchFeature"));
}

TEST(FeatureGatesTest, AreAsKubernetesHasThemUntilOthersAreGiven) {
  EXPECT_TRUE(FeatureGates().IsOn("ComponentStatusz"));
  EXPECT_FALSE(FeatureGates().IsOn("HPAScaleToZero"));
  const FeatureGates given({{"ComponentStatusz", false}, {"AllAlpha", true}});
  EXPECT_FALSE(given.IsOn("ComponentStatusz"));
  EXPECT_TRUE(given.IsOn("HPAScaleToZero"));
}

TEST(FeatureGatesTest, AreAskedByTheNamesOfTheSchemaToo) {
  const std::string_view name = "ComponentStatusz";
  EXPECT_TRUE(FeatureGates().IsNamedOn(name));
  EXPECT_FALSE(FeatureGates({{"ComponentStatusz", false}}).IsNamedOn(name));
  EXPECT_FALSE(FeatureGates().IsNamedOn("NoSuchFeature"));
}

TEST(FeatureOnTest, MetricsTellOfEveryFeature) {
  MetricsRegistry registry;
  AddFeatureMetrics(registry, {{"ComponentFlagz", false}});
  const std::string text = registry.Text();
  EXPECT_TRUE(
      text.contains("kubernetes_feature_enabled{name=\"ComponentStatusz\",stage=\"BETA\"} 1"))
      << text.substr(0, 500);
  EXPECT_TRUE(
      text.contains("kubernetes_feature_enabled{name=\"ComponentFlagz\",stage=\"BETA\"} 0"));
  EXPECT_TRUE(text.contains("kubernetes_feature_enabled{name=\"AllAlpha\",stage=\"ALPHA\"} 0"));
}

}  // namespace
}  // namespace skiff
