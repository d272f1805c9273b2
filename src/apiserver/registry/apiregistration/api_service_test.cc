#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

TEST(ApiServiceRulesTest, ItIsNamedByItsVersionAndServedByAService) {
  const testing::RulesTester tester(
      "apiregistration.k8s.io/v1", "APIService",
      R"({"metadata": {"name": "v1.example.com"}, "spec": {"group": "example.com",
      "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10,
      "service": {"namespace": "n", "name": "s", "port": 443}}})");
  tester.ExpectNew({
      {"metadata.name=v1", "metadata.name Invalid"},
      {"spec.group= & metadata.name=v1.", ""},
      {"spec.group= & spec.version=v2 & metadata.name=v2.", "spec.group Required"},
      {"spec.group=A & metadata.name=v1.A", "spec.group Invalid"},
      {"spec.version=\"1\" & metadata.name=1.example.com", "spec.version Invalid"},
      {"spec.groupPriorityMinimum=0", "spec.groupPriorityMinimum Invalid"},
      {"spec.versionPriority=1001", "spec.versionPriority Invalid"},
      {"spec.service={}",
       "spec.service.namespace Required; spec.service.name Required; spec.service.port Invalid"},
      {"spec.service= & spec.caBundle=YQ== & spec.insecureSkipTLSVerify=true",
       "spec.caBundle Invalid; spec.insecureSkipTLSVerify Invalid"},
      {"spec.caBundle=YQ== & spec.insecureSkipTLSVerify=true",
       "spec.insecureSkipTLSVerify Invalid"},
  });
  tester.ExpectChanged({{"", "spec.versionPriority=0", "spec.versionPriority Invalid"}});
  tester.ExpectChanged({{"", "status.conditions=[{\"type\": \"A\", \"status\": \"X\"}]",
                         "status.conditions[0].status NotSupported"}},
                       "status");
  EXPECT_EQ(tester.NewMessages("spec.service.port=0"),
            "spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, "
            "inclusive");
}

}  // namespace
}  // namespace skiff::apiserver
