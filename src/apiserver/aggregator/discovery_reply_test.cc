#include "apiserver/aggregator/discovery_reply.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

TEST(DiscoveryReplyTest, IsKnownByItsContentType) {
  EXPECT_TRUE(IsAggregatedDiscovery(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"));
  EXPECT_TRUE(IsAggregatedDiscovery(
      "application/json; v=v2beta1; as=APIGroupDiscoveryList; g=apidiscovery.k8s.io"));
  for (const std::string_view other :
       {"", "application/json", "text/plain;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupList"}) {
    EXPECT_FALSE(IsAggregatedDiscovery(other)) << other;
  }
}

TEST(DiscoveryReplyTest, VersionsAreTakenApartAndKindsCompleted) {
  const auto read = ReadGroupDiscovery(
      R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2beta1","items":[)"
      R"({"metadata":{"name":"a.com","creationTimestamp":null},"versions":[{"version":"v1",)"
      R"("freshness":"Current","later":1,"resources":[{"resource":"things","scope":"Cluster",)"
      R"("verbs":["get"],"subresources":[{"subresource":"scale","verbs":null,)"
      R"("responseKind":{"group":"b","version":"v1","kind":"Scale"}},{"subresource":"x"}]}]},)"
      R"({"version":"v2"}]}]})");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at({"a.com", "v1"}).view(),
            R"([{"resource":"things","responseKind":{"group":"","version":"","kind":""},)"
            R"("scope":"Cluster","singularResource":"","verbs":["get"],"subresources":[)"
            R"({"subresource":"scale","responseKind":{"group":"b","version":"v1",)"
            R"("kind":"Scale"},"verbs":null},{"subresource":"x","responseKind":)"
            R"({"group":"","version":"","kind":""},"verbs":null}]}])");
  EXPECT_TRUE(read->at({"a.com", "v2"}).empty());
  EXPECT_FALSE(ReadGroupDiscovery("<html>"));
  EXPECT_FALSE(ReadGroupDiscovery(R"({"items":{}})"));
}

TEST(DiscoveryReplyTest, AnOlderListBecomesTheSame) {
  const auto read = ReadResourceList(
      R"({"kind":"APIResourceList","groupVersion":"a.com/v1","resources":[)"
      R"({"name":"things/scale","namespaced":true,"kind":"Scale","group":"autoscaling",)"
      R"("version":"v1","verbs":["get"]},{"name":"things","singularName":"thing",)"
      R"("namespaced":true,"kind":"Thing","verbs":["list"],"shortNames":["t"],)"
      R"("categories":["all"]},{"name":"others/log","namespaced":false,"verbs":["get"]}]})");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(
      read->view(),
      R"([{"resource":"things","responseKind":{"group":"","version":"","kind":"Thing"},)"
      R"("scope":"Namespaced","singularResource":"thing","verbs":["list"],"shortNames":["t"],)"
      R"("categories":["all"],"subresources":[{"subresource":"scale","responseKind":)"
      R"({"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get"]}]},)"
      R"({"resource":"others","responseKind":{"group":"","version":"","kind":""},)"
      R"("scope":"Cluster","singularResource":"","verbs":null,"subresources":[)"
      R"({"subresource":"log","responseKind":{"group":"","version":"","kind":""},)"
      R"("verbs":["get"]}]}])");
  EXPECT_TRUE(ReadResourceList(R"({"resources":[]})")->empty());
  EXPECT_FALSE(ReadResourceList(R"({"resources":[{"name":"a","namespaced":true},)"
                                R"({"name":"a/b","namespaced":false}]})"));
}

}  // namespace
}  // namespace skiff::apiserver
