#include "apiserver/discovery/discovery.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "apiserver/discovery/server_documents.h"
#include "object/protobuf/envelope.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::string_view kAggregatedProtobuf =
    "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

class DiscoveryTest : public testing::Test {
 protected:
  DiscoveryTest()
      : served_(std::make_shared<ServedResources>(
            RuntimeConfig(), FeatureGates({{"AllAlpha", true}, {"AllBeta", true}}))),
        discovery_(served_, "10.0.0.1:6443") {}

  serving::DocumentResponse Get(const serving::DocumentRequest& request) {
    Result<std::optional<serving::DocumentResponse>> answer = discovery_.Answer(request);
    EXPECT_TRUE(answer) << answer.error().message();
    EXPECT_TRUE(*answer) << request.path << " is not there";
    return **std::move(answer);
  }
  std::string Body(std::string_view path) { return std::string(Get({.path = path}).body.view()); }

  std::shared_ptr<const ServedResources> served_;
  Discovery discovery_;
};

TEST_F(DiscoveryTest, ApiNamesItsVersionsAndTheServer) {
  EXPECT_EQ(Body("/api"), R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
                          R"([{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]})"
                          "\n");
}

TEST_F(DiscoveryTest, AGroupNamesItsPreferredVersion) {
  EXPECT_EQ(Body("/apis/autoscaling"),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"autoscaling","versions":)"
            R"([{"groupVersion":"autoscaling/v2","version":"v2"},)"
            R"({"groupVersion":"autoscaling/v1","version":"v1"}],)"
            R"("preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}})"
            "\n");
}

TEST_F(DiscoveryTest, KindsOfOtherGroupsSayTheirGroup) {
  const std::string apps = Body("/apis/apps/v1");
  EXPECT_NE(apps.find(R"({"name":"deployments/scale","singularName":"","namespaced":true,)"
                      R"("group":"autoscaling","version":"v1","kind":"Scale",)"
                      R"("verbs":["get","patch","update"]})"),
            std::string::npos);
  EXPECT_NE(apps.find(R"({"name":"deployments/status","singularName":"","namespaced":true,)"
                      R"("kind":"Deployment","verbs":["get","patch","update"]})"),
            std::string::npos);
  EXPECT_TRUE(apps.starts_with(R"({"kind":"APIResourceList","apiVersion":"v1",)"));
  EXPECT_TRUE(Body("/api/v1").starts_with(R"({"kind":"APIResourceList","groupVersion":"v1",)"));
}

TEST_F(DiscoveryTest, ASlashAtTheEndMakesNoDifference) {
  for (const std::string path : {"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1"}) {
    EXPECT_EQ(Body(path), Body(path + "/"));
  }
}

TEST_F(DiscoveryTest, OtherPathsAreNotItsOwn) {
  for (const std::string_view path :
       {"/", "/ap", "/api/v2", "/api//", "/apis//", "/apis/none", "/apis/apps/v9", "/apis/apps//",
        "/apis/apps/v1/deployments", "/api/v1/pods", "/version"}) {
    const auto answer = discovery_.Answer({.path = path});
    ASSERT_TRUE(answer);
    EXPECT_FALSE(*answer) << path;
  }
}

TEST_F(DiscoveryTest, AggregatedDiscoveryIsForThoseWhoAsk) {
  const serving::DocumentResponse answer = Get({.path = "/apis", .accept = kAggregated});
  EXPECT_EQ(answer.content_type, kAggregated);
  EXPECT_EQ(answer.cache_control, "public");
  EXPECT_EQ(answer.vary, "Accept");
  EXPECT_EQ(answer.etag.size(), 130u);
  EXPECT_TRUE(answer.body.view().starts_with(
      R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},)"
      R"("items":[{"metadata":{"name":"apiregistration.k8s.io"},"versions":[{"version":"v1",)"
      R"("resources":[{"resource":"apiservices","responseKind":{"group":"","version":"",)"
      R"("kind":"APIService"},"scope":"Cluster","singularResource":"apiservice")"));

  const serving::DocumentResponse core = Get({.path = "/api", .accept = kAggregated});
  EXPECT_TRUE(core.body.view().find(R"("items":[{"metadata":{},"versions":[{"version":"v1")") !=
              std::string_view::npos);
  EXPECT_NE(core.etag, answer.etag);
}

TEST_F(DiscoveryTest, ATagThatStillHoldsIsNotAnsweredAgain) {
  const std::string tag = Get({.path = "/apis", .accept = kAggregated}).etag;
  const serving::DocumentResponse again =
      Get({.path = "/apis", .accept = kAggregated, .if_none_match = tag});
  EXPECT_EQ(again.code, 304);
  EXPECT_EQ(again.etag, tag);
  EXPECT_TRUE(again.body.empty());
  EXPECT_EQ(Get({.path = "/apis", .accept = kAggregated, .if_none_match = "\"0\""}).code, 200);
}

TEST_F(DiscoveryTest, WhatIsNotServedFallsBackOrFails) {
  const serving::DocumentResponse plain =
      Get({.path = "/apis",
           .accept = "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,"
                     "application/json"});
  EXPECT_EQ(plain.content_type, "application/json");
  EXPECT_TRUE(plain.body.view().starts_with(R"({"kind":"APIGroupList")"));
  const auto beta = discovery_.Answer(
      {.path = "/apis",
       .accept = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"});
  ASSERT_FALSE(beta);
  EXPECT_EQ(beta.error().code(), 406);
  // Only /api and /apis know the aggregated form.
  EXPECT_FALSE(discovery_.Answer({.path = "/apis/apps", .accept = kAggregated}));
}

TEST_F(DiscoveryTest, ProtobufHoldsTheSame) {
  const serving::DocumentResponse answer = Get({.path = "/apis", .accept = kAggregatedProtobuf});
  EXPECT_EQ(answer.content_type, kAggregatedProtobuf);
  EXPECT_EQ(answer.etag, Get({.path = "/apis", .accept = kAggregated}).etag);
  const Result<object::ProtobufEnvelope> envelope =
      object::OpenProtobufEnvelope(answer.body.view());
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->api_version, "apidiscovery.k8s.io/v2");
  EXPECT_EQ(envelope->kind, "APIGroupDiscoveryList");
  EXPECT_NE(envelope->raw.find("deployments"), std::string_view::npos);

  const serving::DocumentResponse core =
      Get({.path = "/api/v1", .accept = "application/vnd.kubernetes.protobuf"});
  EXPECT_EQ(object::OpenProtobufEnvelope(core.body.view())->api_version, "");
  EXPECT_EQ(object::OpenProtobufEnvelope(core.body.view())->kind, "APIResourceList");
}

TEST_F(DiscoveryTest, PeopleGetLinesAndYaml) {
  const serving::DocumentResponse pretty = Get({.path = "/apis/batch", .user_agent = "curl/8.0"});
  EXPECT_TRUE(pretty.body.view().starts_with("{\n  \"kind\": \"APIGroup\",\n"));
  EXPECT_TRUE(pretty.body.view().ends_with("}\n"));
  EXPECT_FALSE(pretty.body.view().ends_with("\n\n"));
  const serving::DocumentResponse yaml = Get({.path = "/apis/batch", .accept = "application/yaml"});
  EXPECT_EQ(yaml.content_type, "application/yaml");
  EXPECT_TRUE(yaml.body.view().starts_with("apiVersion: v1\nkind: APIGroup\nname: batch\n"));
}

TEST_F(DiscoveryTest, OtherServersAreInAllOfItButTheirResources) {
  const auto registered = std::make_shared<const RegisteredVersions>(RegisteredVersions{
      {.group = "a.example.com",
       .version = "v1",
       .group_priority = 10,
       .version_priority = 10,
       .is_remote = true,
       .is_known = true,
       .is_stale = false,
       .resources = SharedBytes(
           std::string_view(R"([{"resource":"things","responseKind":{"group":"","version":"",)"
                            R"("kind":"Thing"},"scope":"Cluster","singularResource":"thing",)"
                            R"("verbs":["list"]}])"))},
      {.group = "a.example.com",
       .version = "v2",
       .group_priority = 10,
       .version_priority = 5,
       .is_remote = true,
       .is_known = true}});
  const Discovery discovery(served_, "10.0.0.1:6443", registered);
  const auto body = [&](std::string_view path, std::string_view accept = {}) {
    const auto answer = discovery.Answer({.path = path, .accept = accept});
    return answer && *answer ? std::string((*answer)->body.view()) : "none";
  };
  EXPECT_EQ(body("/apis/a.example.com"),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"a.example.com","versions":)"
            R"([{"groupVersion":"a.example.com/v1","version":"v1"},)"
            R"({"groupVersion":"a.example.com/v2","version":"v2"}],"preferredVersion":)"
            R"({"groupVersion":"a.example.com/v1","version":"v1"}})"
            "\n");
  EXPECT_NE(body("/apis").find(R"({"name":"a.example.com","versions":[)"), std::string::npos);
  EXPECT_EQ(body("/apis/a.example.com/v1"), "none");
  const std::string all = body("/apis", kAggregated);
  EXPECT_TRUE(all.ends_with(
      R"({"metadata":{"name":"a.example.com"},"versions":[{"version":"v1","resources":[{)"
      R"("resource":"things","responseKind":{"group":"","version":"","kind":"Thing"},)"
      R"("scope":"Cluster","singularResource":"thing","verbs":["list"]}],)"
      R"("freshness":"Current"},{"version":"v2","freshness":"Stale"}]}]})"
      "\n"));
  EXPECT_NE(body("/apis", kAggregatedProtobuf).find("a.example.com"), std::string::npos);
  EXPECT_NE(discovery.Answer({.path = "/apis", .accept = kAggregated}).value()->etag,
            Get({.path = "/apis", .accept = kAggregated}).etag);
  const std::string index(IndexDocument(*served_, *registered, {}).body.view());
  EXPECT_NE(index.find("\"/apis/a.example.com/v2\""), std::string::npos);
}

TEST_F(DiscoveryTest, BytesAreSharedBetweenAnswers) {
  EXPECT_TRUE(Get({.path = "/api/v1"}).body.SharesWith(Get({.path = "/api/v1/"}).body));
}

TEST_F(DiscoveryTest, TheIndexHasThePathsOfDiscoveryAndOthersInOrder) {
  const std::string others[] = {"/version", "/healthz", "/.well-known/openid-configuration"};
  const serving::DocumentResponse index = IndexDocument(*served_, {}, others);
  EXPECT_EQ(index.content_type, "application/json");
  const std::string_view body = index.body.view();
  EXPECT_TRUE(
      body.starts_with("{\n  \"paths\": [\n    \"/.well-known/openid-configuration\",\n"
                       "    \"/api\",\n    \"/api/v1\",\n    \"/apis\",\n    \"/apis/\",\n"
                       "    \"/apis/admissionregistration.k8s.io\",\n"));
  EXPECT_TRUE(body.ends_with("    \"/healthz\",\n    \"/version\"\n  ]\n}"));
}

TEST(VersionDocumentTest, OrdersAsTheVersionOfKubernetes) {
  const serving::DocumentResponse answer =
      VersionDocument({.kubernetes_version = "v1.36.4", .skiff_version = "v0.1.0"});
  const std::string_view body = answer.body.view();
  EXPECT_TRUE(body.starts_with("{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n"));
  EXPECT_NE(body.find("\"minCompatibilityMinor\": \"35\""), std::string_view::npos);
  EXPECT_NE(body.find("\"gitVersion\": \"v1.36.4+skiff.0.1.0\""), std::string_view::npos);
  for (const std::string_view field :
       {"gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"}) {
    EXPECT_NE(body.find("\"" + std::string(field) + "\":"), std::string_view::npos) << field;
  }
}

}  // namespace
}  // namespace skiff::apiserver
