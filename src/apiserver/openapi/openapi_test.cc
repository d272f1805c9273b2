#include "apiserver/openapi/openapi.h"

#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "apiserver/openapi/descriptions.h"
#include "apiserver/openapi/gnostic.h"
#include "apiserver/openapi/schemas.h"
#include "object/json/decode.h"
#include "object/protobuf/wire.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kV2Protobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kV3Protobuf =
    "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

class OpenApiTest : public testing::Test {
 protected:
  OpenApiTest()
      : openapi_(std::make_shared<ServedResources>(
                     RuntimeConfig(), FeatureGates({{"AllAlpha", true}, {"AllBeta", true}})),
                 "v1.36.4") {}

  serving::DocumentResponse Get(const serving::DocumentRequest& request) {
    std::optional<serving::DocumentResponse> answer = openapi_.Answer(request);
    EXPECT_TRUE(answer) << request.path << " is not there";
    return answer ? *std::move(answer) : serving::DocumentResponse();
  }
  std::string Body(std::string_view path) { return std::string(Get({.path = path}).body.view()); }

  OpenApi openapi_;
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The shape of a document: what is left without the words.
std::string WithoutDescriptions(std::string_view json) {
  constexpr std::string_view kKey = R"("description":")";
  std::string out;
  for (size_t at = json.find(kKey); at != std::string_view::npos; at = json.find(kKey)) {
    out.append(json.substr(0, at));
    json.remove_prefix(at + kKey.size());
    for (size_t i = 0; i < json.size(); ++i) {
      if (json[i] == '"') {
        json.remove_prefix(i + (json.substr(i + 1).starts_with(',') ? 2 : 1));
        break;
      }
      if (json[i] == '\\') ++i;
    }
  }
  return out.append(json);
}

TEST_F(OpenApiTest, TheIndexLeadsToDocumentsByTheirHash) {
  const std::string index = Body("/openapi/v3");
  EXPECT_TRUE(index.starts_with(R"({"paths":{".well-known/openid-configuration":)"));
  for (const std::string_view name :
       {"api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "openid/v1/jwks", "version"}) {
    const std::string path = std::string("/openapi/v3/").append(name);
    const std::string tag = Get({.path = path}).etag;
    const std::string url = path + "?hash=" + tag.substr(1, tag.size() - 2);
    EXPECT_TRUE(Contains(index, '"' + std::string(name) + R"(":{"serverRelativeURL":")" + url))
        << name;
  }
}

TEST_F(OpenApiTest, ARequestByHashMayBeKeptForGood) {
  const serving::DocumentResponse first = Get({.path = "/openapi/v3/apis/batch/v1"});
  EXPECT_EQ(first.cache_control, "");
  EXPECT_EQ(first.vary, "Accept");
  const std::string hash = first.etag.substr(1, first.etag.size() - 2);
  const std::string query = "timeout=32s&hash=" + hash;
  const serving::DocumentResponse kept = Get({.path = "/openapi/v3/apis/batch/v1", .query = query});
  EXPECT_EQ(kept.code, 200);
  EXPECT_EQ(kept.cache_control, "public, immutable");
  EXPECT_TRUE(kept.expires_in_one_year);
  EXPECT_EQ(kept.body, first.body);
}

TEST_F(OpenApiTest, AnotherHashIsSentToTheRightOne) {
  const serving::DocumentResponse answer =
      Get({.path = "/openapi/v3/apis/batch/v1", .query = "hash=0"});
  EXPECT_EQ(answer.code, 301);
  EXPECT_EQ("\"" + answer.location.substr(answer.location.find('=') + 1) + "\"", answer.etag);
  EXPECT_TRUE(answer.location.starts_with("/openapi/v3/apis/batch/v1?hash="));
  EXPECT_TRUE(answer.body.empty());
}

TEST_F(OpenApiTest, ATagThatStillHoldsIsNotAnsweredAgain) {
  for (const std::string_view path : {"/openapi/v2", "/openapi/v3/api/v1"}) {
    const std::string tag = Get({.path = path}).etag;
    EXPECT_EQ(tag.size(), 130u);
    const serving::DocumentResponse again = Get({.path = path, .if_none_match = tag});
    EXPECT_EQ(again.code, 304);
    EXPECT_TRUE(again.body.empty());
  }
}

TEST_F(OpenApiTest, WhatIsNotServedHasNoDocument) {
  for (const std::string_view path :
       {"/openapi", "/openapi/v2/", "/openapi/v3/", "/openapi/v3/api/v2", "/openapi/v3/apis/none",
        "/openapi/v3/apis//v1", "/openapi/v3/apis/", "/openapi/v3/apis/apps/v1/",
        "/openapi/v3/apis/resource.k8s.io/v1beta2", "/openapi/v3/logs", "/api"}) {
    EXPECT_FALSE(openapi_.Answer({.path = path})) << path;
  }
  EXPECT_FALSE(Contains(Body("/openapi/v2"), "/apis/resource.k8s.io/v1beta2/"));
}

TEST_F(OpenApiTest, ClientsChooseTheForm) {
  EXPECT_EQ(Get({.path = "/openapi/v2", .accept = "application/json"}).content_type,
            "application/json");
  EXPECT_EQ(Get({.path = "/openapi/v2", .accept = kV2Protobuf}).content_type,
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(Get({.path = "/openapi/v3/version", .accept = kV3Protobuf}).content_type, kV3Protobuf);
  const serving::DocumentResponse refused = Get({.path = "/openapi/v2", .accept = "text/html"});
  EXPECT_EQ(refused.code, 406);
  EXPECT_TRUE(refused.body.empty());
}

TEST_F(OpenApiTest, WithoutAWishDocumentsAreJsonAndTheIndexIsText) {
  EXPECT_EQ(Get({.path = "/openapi/v3/api/v1"}).content_type, "application/json");
  const serving::DocumentResponse index = Get({.path = "/openapi/v3"});
  EXPECT_EQ(index.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(index.etag, "");
}

TEST_F(OpenApiTest, DocumentsAreJson) {
  for (const std::string_view path : {"/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1",
                                      "/openapi/v3/apis/apiextensions.k8s.io/v1"}) {
    const std::string body = Body(path);
    EXPECT_TRUE(object::DecodeJson(body, nullptr)) << path;
  }
}

TEST_F(OpenApiTest, SchemasShowTypesDefaultsEnumsAndMergeKeys) {
  const std::string core = WithoutDescriptions(Body("/openapi/v3/api/v1"));
  EXPECT_TRUE(Contains(
      core, R"("io.k8s.api.core.v1.ContainerPort":{"type":"object","required":["containerPort"],)"
            R"("properties":{"containerPort":{"type":"integer","format":"int32","default":0},)"
            R"("hostIP":{"type":"string"},"hostPort":{"type":"integer","format":"int32"},)"
            R"("name":{"type":"string"},"protocol":{"type":"string","default":"TCP",)"
            R"("enum":["SCTP","TCP","UDP"]}}})"));
  EXPECT_TRUE(Contains(
      core, R"("ports":{"type":"array","items":{"default":{},"allOf":)"
            R"([{"$ref":"#/components/schemas/io.k8s.api.core.v1.ServicePort"}]},)"
            R"("x-kubernetes-list-map-keys":["port","protocol"],"x-kubernetes-list-type":"map",)"
            R"("x-kubernetes-patch-merge-key":"port","x-kubernetes-patch-strategy":"merge"})"));
  // Inlined types bring their defaults along.
  EXPECT_TRUE(Contains(core, R"("io.k8s.api.core.v1.SecretEnvSource":{"type":"object",)"
                             R"("properties":{"name":{"type":"string","default":""})"));
}

TEST_F(OpenApiTest, VersionTwoHasReferencesAndNoDefaults) {
  const std::string all = WithoutDescriptions(Body("/openapi/v2"));
  EXPECT_TRUE(Contains(all, R"("protocol":{"type":"string","enum":["SCTP","TCP","UDP"]})"));
  EXPECT_TRUE(
      Contains(all, R"("strategy":{"$ref":"#/definitions/io.k8s.api.apps.v1.DeploymentStrategy",)"
                    R"("x-kubernetes-patch-strategy":"retainKeys"})"));
  // Old clients look for dryRun in the operation itself.
  EXPECT_TRUE(Contains(
      all, R"("operationId":"patchAppsV1NamespacedDeployment","parameters":[{"name":"body",)"
           R"("in":"body","required":true,"schema":)"
           R"({"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}},)"
           R"({"uniqueItems":true,"type":"string","name":"dryRun","in":"query"})"));
}

TEST_F(OpenApiTest, TypesAndPropertiesBeginWithWhatTheyMean) {
  Descriptions descriptions;
  const Descriptions::Type* const binding = descriptions.Find("io.k8s.api.core.v1.Binding");
  ASSERT_NE(binding, nullptr);
  const auto said = [](std::string_view text) {
    return R"({"description":")" + std::string(text) + R"(",)";
  };
  for (const std::string_view path : {"/openapi/v2", "/openapi/v3/api/v1"}) {
    const std::string body = Body(path);
    EXPECT_TRUE(Contains(
        body, R"("io.k8s.api.core.v1.Binding":)" + said(binding->text()) + R"("type":"object")"));
    EXPECT_TRUE(
        Contains(body, R"("kind":)" + said(binding->FieldText("kind")) + R"("type":"string")"));
  }
  // Beside a reference, too.
  const std::string target = R"("target":)" + said(binding->FieldText("target"));
  EXPECT_TRUE(Contains(Body("/openapi/v2"),
                       target + R"("$ref":"#/definitions/io.k8s.api.core.v1.ObjectReference"})"));
  EXPECT_TRUE(
      Contains(Body("/openapi/v3/api/v1"), target + R"("default":{},"allOf":)"
                                                    R"([{"$ref":"#/components/schemas/)"
                                                    R"(io.k8s.api.core.v1.ObjectReference"}]})"));
}

TEST_F(OpenApiTest, ProtobufHasTheWordsToo) {
  Descriptions descriptions;
  const Descriptions::Type* const pod = descriptions.Find("io.k8s.api.core.v1.Pod");
  ASSERT_NE(pod, nullptr);
  EXPECT_TRUE(Contains(Get({.path = "/openapi/v2", .accept = kV2Protobuf}).body.view(),
                       pod->FieldText("status")));
  EXPECT_TRUE(Contains(Get({.path = "/openapi/v3/api/v1", .accept = kV3Protobuf}).body.view(),
                       pod->FieldText("status")));
}

TEST_F(OpenApiTest, KindsKnownEverywhereAreNamedForTheVersionAndForCore) {
  EXPECT_TRUE(Contains(Body("/openapi/v3/apis/apps/v1"),
                       R"("x-kubernetes-group-version-kind":[{"group":"","kind":"DeleteOptions",)"
                       R"("version":"v1"},{"group":"apps","kind":"DeleteOptions",)"
                       R"("version":"v1"}])"));
}

TEST_F(OpenApiTest, OperationsHaveTheNamesThatGeneratedClientsUse) {
  const std::string core = Body("/openapi/v3/api/v1");
  for (const std::string_view id :
       {"listCoreV1PodForAllNamespaces", "createCoreV1NamespacedPod",
        "deleteCoreV1CollectionNamespacedPod", "connectCoreV1PostNamespacedPodExec",
        "connectCoreV1GetNamespacedServiceProxyWithPath", "readCoreV1NamespacedPodLog",
        "createCoreV1NamespacedServiceAccountToken", "watchCoreV1NamespacedSecretList",
        "replaceCoreV1NamespaceFinalize", "getCoreV1APIResources"}) {
    EXPECT_TRUE(Contains(core, R"("operationId":")" + std::string(id) + '"')) << id;
  }
  EXPECT_TRUE(Contains(Body("/openapi/v3/apis/rbac.authorization.k8s.io"),
                       R"("operationId":"getRbacAuthorizationAPIGroup")"));
}

TEST(SchemaNameTest, TypesBeyondTheSchemaAreNamedByTheirGroupBackwards) {
  EXPECT_EQ(SchemaName(*object::FindMessage("core/v1", "Pod")), "io.k8s.api.core.v1.Pod");
  EXPECT_EQ(SchemaName(*object::FindMessage("common/version", "Info")),
            "io.k8s.apimachinery.pkg.version.Info");
  const object::GroupVersionDesc version{
      "", "stable.example.com", "v1", "stable.example.com/v1", {}};
  object::MessageDesc custom{};
  custom.name = "CronTab";
  custom.group_version = &version;
  EXPECT_EQ(SchemaName(custom), "com.example.stable.v1.CronTab");
}

// The field numbers at the top of a message, and that its lengths add up.
std::set<uint32_t> TopFields(std::string_view message) {
  std::set<uint32_t> fields;
  object::WireReader reader(message);
  while (!reader.done()) {
    uint64_t key = 0, size = 0;
    EXPECT_EQ(reader.ReadVarint(&key), object::WireError::kNone);
    EXPECT_EQ(key & 7, 2u);
    EXPECT_EQ(reader.ReadVarint(&size), object::WireError::kNone);
    if (size > reader.left()) {
      ADD_FAILURE() << "a length beyond the end";
      return {};
    }
    reader.at += size;
    fields.insert(static_cast<uint32_t>(key >> 3));
  }
  return fields;
}

TEST_F(OpenApiTest, ProtobufHoldsTheWholeDocument) {
  const serving::DocumentResponse v2 = Get({.path = "/openapi/v2", .accept = kV2Protobuf});
  EXPECT_EQ(TopFields(v2.body.view()), (std::set<uint32_t>{1, 2, 8, 9, 10, 12, 13}));
  const serving::DocumentResponse v3 = Get({.path = "/openapi/v3/api/v1", .accept = kV3Protobuf});
  EXPECT_EQ(TopFields(v3.body.view()), (std::set<uint32_t>{1, 2, 4, 5}));
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

TEST(GnosticTest, MapsBecomePairsAndExtensionsYaml) {
  EXPECT_EQ(Hex(*OpenApiV2ToProtobuf(
                R"({"swagger":"2.0","definitions":{"A":{"type":"string","x-b":["c"]}}})")),
            "0a03322e30"              // swagger
            "4a230a210a0141121c"      // definitions, a pair, its name A and its schema
            "b201080a06737472696e67"  // type, a list of one
            "fa010e0a03782d62"        // an extension, a pair with its name
            "120712055b2263225d");    // and YAML
}

class OneServer final : public RemoteDocuments {
 public:
  std::shared_ptr<const RemoteOpenApiState> state() const override { return now; }
  std::shared_ptr<const RemoteOpenApiState> now = std::make_shared<const RemoteOpenApiState>();
};

TEST_F(OpenApiTest, OtherServersAreInTheIndexAndInTheDocumentOfAll) {
  OneServer remote;
  const auto served = std::make_shared<ServedResources>(
      RuntimeConfig(), FeatureGates({{"AllAlpha", true}, {"AllBeta", true}}));
  const OpenApi all(served, "v1.36.4", nullptr, &remote);
  const auto get = [&](std::string_view path, std::string_view accept = {}) {
    return *all.Answer({.path = path, .accept = accept});
  };
  EXPECT_EQ(get("/openapi/v2").etag, Get({.path = "/openapi/v2"}).etag);
  EXPECT_EQ(get("/openapi/v3").body.view(), Body("/openapi/v3"));
  RemoteOpenApiState state;
  state.documents = {{"apis/a.com/v1", "/openapi/v3/apis/a.com/v1?hash=7"}};
  state.swagger = {{.fingerprint = "1",
                    .json = SharedBytes(std::string_view(
                        R"({"definitions":{"com.a.Thing":{"type":"object"}},"parameters":{},)"
                        R"("paths":{"/apis/a.com/v1/things":{"get":{"responses":{}}}}})"))}};
  remote.now = std::make_shared<const RemoteOpenApiState>(std::move(state));
  EXPECT_TRUE(
      Contains(get("/openapi/v3").body.view(),
               R"("apis/a.com/v1":{"serverRelativeURL":"/openapi/v3/apis/a.com/v1?hash=7"})"));
  const serving::DocumentResponse v2 = get("/openapi/v2");
  EXPECT_NE(v2.etag, Get({.path = "/openapi/v2"}).etag);
  EXPECT_EQ(all.Answer({.path = "/openapi/v2", .if_none_match = v2.etag})->code, 304);
  const Result<object::Document> read =
      object::DecodeJson(v2.body.view(), nullptr, {.max_bytes = 64 << 20});
  ASSERT_TRUE(read);
  EXPECT_NE(read->root().FindPath({"paths", "/apis/a.com/v1/things"}), nullptr);
  EXPECT_NE(read->root().FindPath({"paths", "/api/v1/pods"}), nullptr);
  EXPECT_NE(read->root().FindPath({"definitions", "com.a.Thing"}), nullptr);
  EXPECT_NE(read->root().FindPath({"definitions", "io.k8s.api.core.v1.Pod"}), nullptr);
  EXPECT_TRUE(Contains(get("/openapi/v2", kV2Protobuf).body.view(), "com.a.Thing"));
  // What has no form in protobuf does not take it away from all others.
  state.swagger = {{.fingerprint = "2",
                    .json = SharedBytes(std::string_view(
                        R"({"definitions":{},"parameters":{},"paths":{"/apis/b/":{"get":5}}})"))}};
  remote.now = std::make_shared<const RemoteOpenApiState>(std::move(state));
  EXPECT_EQ(get("/openapi/v2", kV2Protobuf).body.view(),
            Get({.path = "/openapi/v2", .accept = kV2Protobuf}).body.view());
}

TEST(GnosticTest, OfOthersOnlyWhatHasAFormIsTaken) {
  EXPECT_EQ(*OpenApiV2ToProtobuf(R"({"swagger":"2.0","later":{"a":1}})", false),
            *OpenApiV2ToProtobuf(R"({"swagger":"2.0"})"));
  for (const std::string_view other :
       {R"({"swagger":2})", R"({"paths":{"/a":{"get":5}}})", R"({"definitions":[]})", "[]",
        R"({"paths":{"/a":{"get":{"parameters":{}}}}})"}) {
    EXPECT_FALSE(OpenApiV2ToProtobuf(other, false)) << other;
  }
}

}  // namespace
}  // namespace skiff::apiserver
