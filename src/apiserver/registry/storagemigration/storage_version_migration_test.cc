#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

#define CONDITION(type)                                                  \
  R"({"type":")" type R"(","status":"True","reason":"R","message":"m",)" \
  R"("lastTransitionTime":"2024-01-01T00:00:00Z"})"

TEST(StorageVersionMigrationRulesTest, AMigrationIsOfOneResourceAndEndsOnce) {
  const testing::RulesTester tester(
      "storagemigration.k8s.io/v1beta1", "StorageVersionMigration",
      R"({"metadata": {"name": "m"}, "spec": {"resource": {"group": "apps",
      "resource": "deployments"}}})");
  tester.ExpectNew({
      {"spec.resource.resource=", "spec.resource.resource Required"},
      {"spec.resource.resource=A", "spec.resource.resource Invalid"},
      {"spec.resource.group=A", "spec.resource.group Invalid"},
  });
  tester.ExpectChanged({{"", "spec.resource.resource=other", "spec Invalid"}});
  tester.ExpectChanged(
      {{"", "status.resourceVersion=\"12\" & status.conditions=[" CONDITION("Succeeded") "]", ""},
       {"", "status.resourceVersion=x", "status.resourceVersion Invalid"},
       {"status.resourceVersion=\"1\"", "status.resourceVersion=\"2\"",
        "status.resourceVersion Invalid"},
       {"", "status.conditions=[" CONDITION("Succeeded") "," CONDITION("Failed") "]",
        "status.conditions Invalid"},
       {"status.conditions=[" CONDITION("Failed") "]",
        "status.conditions=", "status.conditions Invalid"}},
      "status");
  EXPECT_EQ(
      tester.ChangedMessages("status.conditions=[" CONDITION("Failed") "]",
                             "status.conditions=", "status"),
      "status.conditions: Invalid value: null: Failed condition cannot be set to false once it "
      "is true");
}

}  // namespace
}  // namespace skiff::apiserver
