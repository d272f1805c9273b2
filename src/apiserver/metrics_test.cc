#include "apiserver/metrics.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/feature_gates.h"
#include "base/process_metrics.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

double NumberOf(const object::Value& value) {
  if (value.tag() == object::Tag::kInt) return static_cast<double>(value.AsInt());
  if (value.tag() == object::Tag::kDouble) return value.AsDouble();
  return std::stod(std::string(value.AsText()));  // the facts write 1e+06 as text
}

std::vector<std::string> TextsOf(const object::Value* list) {
  std::vector<std::string> out;
  if (list == nullptr) return out;
  for (const object::Value& item : list->items()) out.emplace_back(item.AsText());
  return out;
}

std::string KindName(MetricKind kind) {
  if (kind == MetricKind::kCounter) return "Counter";
  return kind == MetricKind::kGauge ? "Gauge" : "Histogram";
}

class ApiServerMetricsTest : public ::testing::Test {
 protected:
  ApiServerMetricsTest() {
    for (const MetricSpec* spec :
         {&kStorageObjectsSpec, &kResourceObjectsSpec, &kStorageSizeBytesSpec,
          &kWatchCacheResourceVersionSpec, &kBuildInfoSpec, &kFeatureEnabledSpec}) {
      registry_.AddCollected(*spec, MetricKind::kGauge, [](const MetricsRegistry::Emit&) {});
    }
  }

  MetricsRegistry registry_;
  ApiServerMetrics metrics_{registry_};
};

TEST_F(ApiServerMetricsTest, AreCountedUnderTheirLabels) {
  metrics_.request_total.With({"200", "apiserver", "", "", "pods", "namespace", "", "LIST", "v1"})
      .Add();
  EXPECT_NE(registry_.Text().find(
                "apiserver_request_total{code=\"200\",component=\"apiserver\",dry_run=\"\","
                "group=\"\",resource=\"pods\",scope=\"namespace\",subresource=\"\",verb=\"LIST\","
                "version=\"v1\"} 1\n"),
            std::string::npos);
}

TEST_F(ApiServerMetricsTest, AreDeclaredSoundly) {
  for (const MetricFamily* family : registry_.Families()) {
    const MetricSpec& spec = family->spec();
    EXPECT_TRUE(std::ranges::is_sorted(spec.labels)) << spec.name;
    EXPECT_TRUE(std::ranges::is_sorted(spec.buckets)) << spec.name;
    EXPECT_EQ(spec.buckets.empty(), family->kind() != MetricKind::kHistogram) << spec.name;
  }
}

TEST_F(ApiServerMetricsTest, HaveTheNamesLabelsAndBucketsOfKubernetes) {
  std::ifstream file(std::string(SKIFF_SOURCE_DIR) + "/../shared/facts/metrics.json");
  if (!file) GTEST_SKIP() << "../shared/facts is not there";
  std::stringstream text;
  text << file.rdbuf();
  const Result<object::Document> facts = object::DecodeJson(text.str(), nullptr);
  ASSERT_TRUE(facts) << facts.error().ToString();

  std::map<std::string, const object::Value*, std::less<>> stable;
  for (const object::Value& fact : facts->root().Find("stable_beta")->items()) {
    stable.emplace(fact.Find("name")->AsText(), &fact);
  }
  std::map<std::string, const object::Value*, std::less<>> alpha;
  for (const object::Value& row : facts->root().Find("alpha")->items()) {
    alpha.emplace(row.items()[0].AsText(), &row);
  }
  for (const MetricFamily* family : registry_.Families()) {
    const MetricSpec& spec = family->spec();
    const std::vector<std::string> labels(spec.labels.begin(), spec.labels.end());
    if (const auto row = alpha.find(spec.name); row != alpha.end()) {
      EXPECT_TRUE(spec.help.starts_with("[ALPHA]")) << spec.name;
      EXPECT_EQ(row->second->items()[1].AsText(), KindName(family->kind())) << spec.name;
      EXPECT_EQ(TextsOf(&row->second->items()[2]), labels) << spec.name;
      continue;
    }
    const auto found = stable.find(spec.name);
    ASSERT_NE(found, stable.end()) << spec.name;
    const object::Value& fact = *found->second;
    const std::string level = "[" + std::string(fact.Find("stability")->AsText()) + "]";
    EXPECT_TRUE(spec.help.starts_with(level)) << spec.name;
    if (fact.Find("type")->AsText() != "Custom") {
      EXPECT_EQ(fact.Find("type")->AsText(), KindName(family->kind())) << spec.name;
    }
    EXPECT_EQ(TextsOf(fact.Find("labels")), labels) << spec.name;
    std::vector<double> buckets;
    if (const object::Value* bounds = fact.Find("buckets"); bounds != nullptr) {
      for (const object::Value& bound : bounds->items()) buckets.push_back(NumberOf(bound));
    }
    EXPECT_EQ(buckets, std::vector<double>(spec.buckets.begin(), spec.buckets.end())) << spec.name;
  }
}

}  // namespace
}  // namespace skiff::apiserver
