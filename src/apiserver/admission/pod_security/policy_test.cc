#include "apiserver/admission/pod_security/policy.h"

#include <utility>

#include <gtest/gtest.h>

#include "object/json/decode.h"

namespace skiff::apiserver::pod_security {
namespace {

// Labels without their prefix, as JSON.
NamespacePolicy Of(std::initializer_list<std::pair<std::string_view, std::string_view>> labels,
                   const Policy& defaults = {}) {
  Arena arena;
  object::Value map = object::Value::EmptyMap();
  for (const auto& [key, value] : labels) {
    map.SetEntry(arena, "pod-security.kubernetes.io/" + std::string(key),
                 object::Value::String(value));
  }
  return PolicyOfLabels(object::MapView<std::string_view>(&map), defaults);
}

TEST(PodSecurityPolicyTest, VersionsAreLatestOrAMinorRelease) {
  EXPECT_EQ(ParseVersion("latest"), PolicyVersion{});
  EXPECT_EQ(ParseVersion("v1.0"), PolicyVersion{0});
  EXPECT_EQ(ParseVersion("v1.36"), PolicyVersion{36});
  for (const std::string_view bad :
       {"", "1.24", "v1", "v1.", "v1.01", "v2.3", "v1.2.3", "v1.-1", "v1.99999999999", "Latest"}) {
    EXPECT_FALSE(ParseVersion(bad)) << bad;
  }
  EXPECT_LT(PolicyVersion{36}, PolicyVersion{});
}

TEST(PodSecurityPolicyTest, WithoutLabelsTheDefaultsHold) {
  Policy defaults;
  defaults.enforce = {Level::kBaseline, {24}};
  const NamespacePolicy policy = Of({}, defaults);
  EXPECT_EQ(policy.policy.enforce.ToString(), "baseline:v1.24");
  EXPECT_EQ(policy.policy.audit.ToString(), "privileged:latest");
  EXPECT_TRUE(policy.problems.empty());
}

TEST(PodSecurityPolicyTest, EachModeHasItsOwnLevelAndVersion) {
  const NamespacePolicy policy = Of({{"enforce", "baseline"},
                                     {"enforce-version", "v1.30"},
                                     {"audit", "restricted"},
                                     {"audit-version", "v1.31"},
                                     {"warn", "restricted"},
                                     {"warn-version", "latest"}});
  EXPECT_EQ(policy.policy.enforce.ToString(), "baseline:v1.30");
  EXPECT_EQ(policy.policy.audit.ToString(), "restricted:v1.31");
  EXPECT_EQ(policy.policy.warn.ToString(), "restricted:latest");
}

TEST(PodSecurityPolicyTest, WhatIsEnforcedIsWarnedAboutUnlessLabelsSayOtherwise) {
  EXPECT_EQ(Of({{"enforce", "restricted"}, {"enforce-version", "v1.25"}}).policy.warn.ToString(),
            "restricted:v1.25");
  EXPECT_EQ(Of({{"enforce", "restricted"}, {"warn-version", "v1.9"}}).policy.warn.ToString(),
            "restricted:v1.9");
  EXPECT_EQ(Of({{"enforce", "restricted"}, {"warn", "baseline"}}).policy.warn.ToString(),
            "baseline:latest");
  Policy defaults;
  defaults.warn = {Level::kRestricted, {20}};
  EXPECT_EQ(Of({{"enforce", "baseline"}}, defaults).policy.warn.ToString(), "restricted:v1.20");
}

TEST(PodSecurityPolicyTest, WrongLabelsFailClosedForEnforceAndOpenForTheOthers) {
  const NamespacePolicy policy =
      Of({{"enforce", "strict"}, {"audit", "x"}, {"warn", "y"}, {"enforce-version", "1"}});
  EXPECT_EQ(policy.policy.enforce.ToString(), "restricted:latest");
  EXPECT_EQ(policy.policy.audit.ToString(), "privileged:latest");
  EXPECT_EQ(policy.policy.warn.ToString(), "privileged:latest");
  ASSERT_EQ(policy.problems.size(), 4u);
  EXPECT_EQ(policy.problems[0].label, "pod-security.kubernetes.io/enforce");
  EXPECT_EQ(policy.problems[0].why, "must be one of privileged, baseline, restricted");
  EXPECT_EQ(policy.problems[1].why, "must be \"latest\" or \"v1.x\"");
}

TEST(PodSecurityPolicyTest, VersionsOfThePrivilegedLevelAreEquivalent) {
  EXPECT_TRUE((LevelVersion{Level::kPrivileged, {3}}.IsEquivalent({Level::kPrivileged, {}})));
  EXPECT_FALSE((LevelVersion{Level::kBaseline, {3}}.IsEquivalent({Level::kBaseline, {}})));
}

}  // namespace
}  // namespace skiff::apiserver::pod_security
