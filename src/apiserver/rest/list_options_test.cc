#include "apiserver/rest/list_options.h"

#include <gtest/gtest.h>

#include "object/resource.h"

namespace skiff::apiserver {
namespace {

std::string Verdict(std::string_view group, std::string_view resource, std::string_view label) {
  const object::ResourceDesc* desc = object::FindPreferredResource(group, resource);
  if (desc == nullptr) return "no such resource";
  const auto checked = CheckFieldLabel(*desc, label);
  return checked ? "fine" : std::string(checked.error().message());
}

TEST(ListOptionsTest, KindsHaveTheirFieldsAndAliases) {
  EXPECT_EQ(Verdict("", "pods", "spec.nodeName"), "fine");
  EXPECT_EQ(Verdict("", "pods", "spec.host"), "fine");
  EXPECT_EQ(Verdict("", "pods", "metadata.namespace"), "fine");
  EXPECT_EQ(Verdict("events.k8s.io", "events", "regarding.kind"), "fine");
  EXPECT_EQ(Verdict("apps", "deployments", "metadata.name"), "fine");
}

TEST(ListOptionsTest, NamespaceIsAFieldOfAllKindsThatNameNoFieldsAndOfThoseThatNameIt) {
  EXPECT_EQ(Verdict("rbac.authorization.k8s.io", "clusterroles", "metadata.namespace"), "fine");
  EXPECT_EQ(Verdict("", "nodes", "metadata.namespace"),
            "field label not supported: metadata.namespace");
  EXPECT_EQ(Verdict("certificates.k8s.io", "podcertificaterequests", "metadata.namespace"),
            "field label not supported: metadata.namespace");
}

TEST(ListOptionsTest, RefusalsAreInTheWordsOfTheKind) {
  EXPECT_EQ(Verdict("", "pods", "a.b"), "field label not supported: a.b");
  EXPECT_EQ(Verdict("batch", "jobs", "a.b"), "field label \"a.b\" not supported for Job");
  EXPECT_EQ(Verdict("resource.k8s.io", "resourceslices", "a.b"),
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: a.b");
  EXPECT_EQ(Verdict("apps", "deployments", "a.b"),
            "\"a.b\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"");
}

}  // namespace
}  // namespace skiff::apiserver
