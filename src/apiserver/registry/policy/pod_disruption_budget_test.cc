#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

TEST(PodDisruptionBudgetRulesTest, ItSaysHowManyPodsMustStayOrMayGo) {
  const testing::RulesTester tester(
      "policy/v1", "PodDisruptionBudget",
      R"({"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {}}})");
  tester.ExpectNew({
      {"spec.maxUnavailable=1", "spec Invalid"},
      {"spec.minAvailable=-1", "spec.minAvailable Invalid"},
      {"spec.minAvailable=150%", "spec.minAvailable Invalid"},
      {"spec.minAvailable= & spec.maxUnavailable=x", "spec.maxUnavailable Invalid"},
      {"spec.selector.matchLabels={\"a\": \"-\"}", "spec.selector.matchLabels Invalid"},
      {"spec.unhealthyPodEvictionPolicy=X", "spec.unhealthyPodEvictionPolicy NotSupported"},
      {"spec.unhealthyPodEvictionPolicy=AlwaysAllow", ""},
  });
  tester.ExpectChanged({{"", "spec.minAvailable=3 & spec.selector.matchLabels.a=b", ""},
                        {"", "spec.minAvailable=-3", "spec.minAvailable Invalid"}});
  tester.ExpectChanged({{"", "status.disruptionsAllowed=-1 & status.expectedPods=-1",
                         "status.disruptionsAllowed Invalid; status.expectedPods Invalid"},
                        {"", "status.currentHealthy=-1 & status.desiredHealthy=-1",
                         "status.currentHealthy Invalid; status.desiredHealthy Invalid"}},
                       "status");
}

}  // namespace
}  // namespace skiff::apiserver
