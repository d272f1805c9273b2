#include "apiserver/openapi/custom_kinds.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/openapi/openapi.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kSchema = R"j({"type":"object","properties":{
  "apiVersion":{"type":"string","description":"mine"},"metadata":{"type":"object"},
  "spec":{"type":"object","description":"the \"spec\"","required":["a","z"],"properties":{
    "a":{"type":"string","description":"an a","default":"x","nullable":true,"enum":["x","y"]},
    "ios":{"x-kubernetes-int-or-string":true},
    "told":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
    "more":{"x-kubernetes-int-or-string":true,"anyOf":[{"pattern":"^1"}],"allOf":[{"minimum":0}]},
    "p":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
         "properties":{"q":{"type":"string"}}},
    "e":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
         "x-kubernetes-embedded-resource":true},
    "r":{"type":"object","x-kubernetes-embedded-resource":true,"required":["spec","kind"],
         "properties":{"spec":{"type":"object"}}},
    "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
         "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}},
    "m":{"type":"object","additionalProperties":{"type":"integer"},
         "x-kubernetes-map-type":"atomic"},
    "v":{"type":"integer","minimum":1,
         "x-kubernetes-validations":[{"rule":"self > 0","message":"pos"}]},
    "o\"dd":{"type":"object","not":{"required":["y"]},"oneOf":[{"required":["x"]}],
         "properties":{"x":{"type":"string"}}},"z":{"type":"string"}}}}})j";

// A definition of things, with as many other kinds beside it as are asked for.
class Things final : public CustomKinds {
 public:
  explicit Things(std::string_view schema, int more_versions = 0) {
    const object::MessageDesc* type =
        object::FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps");
    schema_ = std::move(*object::DecodeJson(schema, type));
    kind_.name = "Thing";
    kind_.group_version = &version_;
    list_.name = "ThingList";
    list_.group_version = &version_;
    const object::MessageDesc* scale = object::FindMessage("autoscaling/v1", "Scale");
    subresources_ = {{{"scale", scale, {}, {}}, {"status", &kind_, {}, {}}}};
    info_.desc = &version_;
    resource_.name = "things";
    resource_.version = &info_;
    resource_.kind = &kind_;
    resource_.kind_name = "Thing";
    resource_.list_kind = &list_;
    resource_.subresources = subresources_;
    resource_.namespaced = true;
    for (int i = 0; i < more_versions; ++i) more_.push_back("g" + std::to_string(i) + ".example");
  }

  std::vector<CustomGroupVersion> GroupVersions() const override {
    std::vector<CustomGroupVersion> out{{"my-things.example.com", "v1", fingerprint}};
    for (const std::string& group : more_) out.push_back({group, "v1", fingerprint});
    return out;
  }
  std::string FingerprintOf(std::string_view group, std::string_view version) const override {
    return group == "my-things.example.com" && version == "v1" ? fingerprint : std::string();
  }
  bool WithKinds(std::string_view group, std::string_view, const Visit& visit) const override {
    if (group != "my-things.example.com") return false;
    const CustomKind kind{.resource = &resource_,
                          .schema = &schema_.root(),
                          .selectable_fields = {".spec.a"},
                          .preserves_unknown_fields = preserves};
    visit({&kind, 1});
    return true;
  }

  std::string fingerprint = "1";
  bool preserves = false;

 private:
  object::Document schema_;
  object::GroupVersionDesc version_{.path = "",
                                    .group = "my-things.example.com",
                                    .version = "v1",
                                    .api_version = "my-things.example.com/v1",
                                    .messages = {}};
  object::MessageDesc kind_{};
  object::MessageDesc list_{};
  std::array<object::SubresourceDesc, 2> subresources_{};
  object::GroupVersionInfo info_{};
  object::ResourceDesc resource_{};
  std::vector<std::string> more_;
};

class CustomOpenApiTest : public ::testing::Test {
 protected:
  explicit CustomOpenApiTest(std::string_view schema = kSchema)
      : things_(schema),
        openapi_(std::make_shared<ServedResources>(RuntimeConfig(), FeatureGates()), "v1.36.4",
                 &things_) {}

  object::Document Get(std::string_view path) {
    const auto answer = openapi_.Answer({.path = path});
    if (!answer) return {};
    return std::move(*object::DecodeJson(answer->body.view(), nullptr));
  }
  Things things_;
  OpenApi openapi_;
};

TEST_F(CustomOpenApiTest, Version3SaysAllThatTheDefinitionSays) {
  object::Document document = Get("/openapi/v3/apis/my-things.example.com/v1");
  object::Value& schemas = *document.root().Find("components")->Find("schemas");
  object::Value kind = *schemas.Find("com.example.my-things.v1.Thing");
  EXPECT_EQ(object::EncodeJson(*kind.Find("x-kubernetes-group-version-kind")),
            R"j([{"group":"my-things.example.com","kind":"Thing","version":"v1"}])j");
  EXPECT_EQ(object::EncodeJson(*kind.Find("x-kubernetes-selectable-fields")),
            R"j([{"fieldPath":"spec.a"}])j");
  const object::Value& spec = *kind.FindPath({"properties", "spec"});
  EXPECT_EQ(spec.Find("description")->AsText(), "the \"spec\"");
  const auto property = [&](std::string_view name) {
    return object::EncodeJson(*spec.Find("properties")->Find(name));
  };
  EXPECT_EQ(property("a"),
            R"j({"default":"x","description":"an a","enum":["x","y"],"nullable":true,)j"
            R"j("type":"string"})j");
  EXPECT_EQ(property("ios"), R"j({"anyOf":[{"type":"integer"},{"type":"string"}],)j"
                             R"j("x-kubernetes-int-or-string":true})j");
  EXPECT_EQ(property("told"), property("ios"));
  EXPECT_EQ(property("more"),
            R"j({"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"minimum":0}],)j"
            R"j("anyOf":[{"pattern":"^1"}],"x-kubernetes-int-or-string":true})j");
  EXPECT_EQ(property("p"), R"j({"properties":{"q":{"type":"string"}},"type":"object",)j"
                           R"j("x-kubernetes-preserve-unknown-fields":true})j");
  EXPECT_EQ(property("v"),
            R"j({"minimum":1,"type":"integer",)j"
            R"j("x-kubernetes-validations":[{"message":"pos","rule":"self \u003e 0"}]})j");
  EXPECT_EQ(property("o\"dd"), R"j({"not":{"required":["y"]},"oneOf":[{"required":["x"]}],)j"
                               R"j("properties":{"x":{"type":"string"}},"type":"object"})j");
  const object::Value& embedded = *spec.Find("properties")->Find("r");
  EXPECT_EQ(object::EncodeJson(*embedded.Find("required")), R"j(["spec","kind","apiVersion"])j");
  EXPECT_NE(embedded.FindPath({"properties", "metadata", "allOf"}), nullptr);
  // What the definition says of metadata gives way to what holds of all objects.
  EXPECT_NE(kind.FindPath({"properties", "metadata", "allOf"}), nullptr);
  EXPECT_NE(kind.FindPath({"properties", "apiVersion", "description"})->AsText(), "mine");
}

TEST_F(CustomOpenApiTest, Version2LeavesOutWhatItCannotSay) {
  object::Document document = Get("/openapi/v2");
  const object::Value& kind =
      *document.root().Find("definitions")->Find("com.example.my-things.v1.Thing");
  const object::Value& spec = *kind.FindPath({"properties", "spec"});
  EXPECT_EQ(object::EncodeJson(*spec.Find("required")), R"j(["z"])j");
  const auto property = [&](std::string_view name) {
    return object::EncodeJson(*spec.Find("properties")->Find(name));
  };
  EXPECT_EQ(property("a"), R"j({"description":"an a","enum":["x","y"]})j");
  EXPECT_EQ(property("ios"), R"j({"x-kubernetes-int-or-string":true})j");
  EXPECT_EQ(property("p"), R"j({"x-kubernetes-preserve-unknown-fields":true})j");
  EXPECT_EQ(property("e"), R"j({"x-kubernetes-embedded-resource":true,)j"
                           R"j("x-kubernetes-preserve-unknown-fields":true})j");
  EXPECT_EQ(property("o\"dd"), R"j({"properties":{"x":{"type":"string"}},"type":"object"})j");
  EXPECT_NE(spec.FindPath({"properties", "r", "properties", "metadata", "$ref"}), nullptr);
  EXPECT_NE(document.root().Find("paths")->Find("/apis/my-things.example.com/v1/things"), nullptr);
  things_.preserves = true;
  document = Get("/openapi/v2");
  const object::Value& open =
      *document.root().Find("definitions")->Find("com.example.my-things.v1.Thing");
  EXPECT_EQ(open.Find("properties"), nullptr);
}

TEST_F(CustomOpenApiTest, OperationsAreThoseOfEveryKind) {
  object::Document document = Get("/openapi/v3/apis/my-things.example.com/v1");
  EXPECT_EQ(document.root().FindPath({"info", "title"})->AsText(), "Kubernetes CRD Swagger");
  std::vector<std::string> paths;
  for (const auto& entry : document.root().Find("paths")->entries()) {
    std::string line(entry.key);
    for (const auto& each : entry.value.entries()) {
      const object::Value* id = each.value.is_map() ? each.value.Find("operationId") : nullptr;
      if (id != nullptr) line += " " + std::string(id->AsText());
    }
    paths.push_back(std::move(line));
  }
  const std::string root = "/apis/my-things.example.com/v1/";
  const std::string place = root + "namespaces/{namespace}/things";
  EXPECT_EQ(paths, (std::vector<std::string>{
                       place + " deleteMyThingsExampleComV1CollectionNamespacedThing "
                               "listMyThingsExampleComV1NamespacedThing "
                               "createMyThingsExampleComV1NamespacedThing",
                       place + "/{name} deleteMyThingsExampleComV1NamespacedThing "
                               "readMyThingsExampleComV1NamespacedThing "
                               "patchMyThingsExampleComV1NamespacedThing "
                               "replaceMyThingsExampleComV1NamespacedThing",
                       place + "/{name}/scale readMyThingsExampleComV1NamespacedThingScale "
                               "patchMyThingsExampleComV1NamespacedThingScale "
                               "replaceMyThingsExampleComV1NamespacedThingScale",
                       place + "/{name}/status readMyThingsExampleComV1NamespacedThingStatus "
                               "patchMyThingsExampleComV1NamespacedThingStatus "
                               "replaceMyThingsExampleComV1NamespacedThingStatus",
                       root + "things listMyThingsExampleComV1ThingForAllNamespaces"}));
  std::vector<std::string> schemas;
  for (const auto& entry : document.root().FindPath({"components", "schemas"})->entries()) {
    schemas.emplace_back(entry.key.substr(entry.key.rfind('.') + 1));
  }
  EXPECT_EQ(schemas, (std::vector<std::string>{
                         "Thing", "ThingList", "Scale", "ScaleSpec", "ScaleStatus", "DeleteOptions",
                         "FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta",
                         "OwnerReference", "Patch", "Preconditions", "ShardInfo", "Status",
                         "StatusCause", "StatusDetails", "Time"}));
}

TEST_F(CustomOpenApiTest, TheIndexFollowsWhatIsDefined) {
  const std::string name = "apis/my-things.example.com/v1";
  const auto address = [&] {
    const object::Document index = Get("/openapi/v3");
    return std::string(index.root().Find("paths")->Find(name)->Find("serverRelativeURL")->AsText());
  };
  const std::string before = address();
  EXPECT_TRUE(before.starts_with("/openapi/v3/" + name + "?hash="));
  EXPECT_EQ(address(), before);
  const std::string query = before.substr(before.find('?') + 1);
  EXPECT_EQ(openapi_.Answer({.path = "/openapi/v3/" + name, .query = query})->code, 200);
  const std::string v2 = openapi_.Answer({.path = "/openapi/v2"})->etag;
  things_.fingerprint = "2";
  EXPECT_NE(address(), before);
  EXPECT_EQ(openapi_.Answer({.path = "/openapi/v3/" + name, .query = query})->code, 301);
  EXPECT_NE(openapi_.Answer({.path = "/openapi/v2"})->etag, v2);
  EXPECT_FALSE(openapi_.Answer({.path = "/openapi/v3/apis/my-things.example.com/v2"}));
  EXPECT_FALSE(openapi_.Answer({.path = "/openapi/v3/apis/my-things.example.com"}));
}

}  // namespace
}  // namespace skiff::apiserver
