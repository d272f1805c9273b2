#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

TEST(StorageVersionRulesTest, ServersEncodeWhatTheyDecode) {
  const testing::RulesTester tester(
      "internal.apiserver.k8s.io/v1alpha1", "StorageVersion",
      R"({"metadata": {"name": "apps.deployments"}, "spec": {}, "status": {
      "commonEncodingVersion": "apps/v1", "storageVersions": [{"apiServerID": "a",
      "encodingVersion": "apps/v1", "decodableVersions": ["apps/v1"],
      "servedVersions": ["apps/v1"]}]}})");
  tester.ExpectNew({
      {"metadata.name=x", "metadata.name Invalid"},
      {"metadata.name=A.b", "metadata.name Invalid"},
      {"status.commonEncodingVersion=", "status.commonEncodingVersion Invalid"},
      {"status.commonEncodingVersion=v2", "status.commonEncodingVersion Invalid"},
      {"status.storageVersions[0].apiServerID=A!", "status.storageVersions[0].apiServerID Invalid"},
      {"status.storageVersions[0].decodableVersions=",
       "status.storageVersions[0].decodableVersions Invalid; "
       "status.storageVersions[0].servedVersions[0] Invalid"},
      {"status.storageVersions[0].servedVersions=[\"a/b/c\"]",
       "status.storageVersions[0].servedVersions[0] Invalid; "
       "status.storageVersions[0].servedVersions[0] Invalid"},
  });
  EXPECT_EQ(tester.NewMessages("status.commonEncodingVersion="),
            "status.commonEncodingVersion: Invalid value: null: the common encoding version is "
            "apps/v1");
  EXPECT_EQ(
      tester.NewMessages("status.storageVersions[0].servedVersions=[\"/v1\"]"),
      "status.storageVersions[0].servedVersions[0]: Invalid value: \"/v1\": group part: must be "
      "non-empty; status.storageVersions[0].servedVersions[0]: Invalid value: \"/v1\": "
      "individual served version : /v1 must be included in decodableVersions : [apps/v1]");
}

}  // namespace
}  // namespace skiff::apiserver
