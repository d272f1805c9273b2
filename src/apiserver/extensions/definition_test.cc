#include "apiserver/extensions/definition.h"

#include <gtest/gtest.h>

#include "apiserver/convert/convert.h"
#include "apiserver/convert/normalize.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/registry/use_kinds.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kThings = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "things.example.com", "uid": "u"},
  "spec": {"group": "example.com", "scope": "Namespaced",
    "names": {"plural": "things", "kind": "Thing"},
    "versions": [
      {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}, "scale":
         {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}},
       "selectableFields": [{"jsonPath": ".spec.color"}],
       "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
         "properties": {"color": {"type": "string", "default": "red"}, "n": {"type": "integer"},
           "list": {"type": "array", "items": {"type": "object", "properties":
             {"k": {"type": "string"}, "v": {"type": "integer"}}}}}}}}}},
      {"name": "v1beta1", "served": true, "storage": false, "deprecated": true,
       "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
         "properties": {"n": {"type": "integer", "default": 1}}}}}}},
      {"name": "v2", "served": false, "storage": false,
       "schema": {"openAPIV3Schema": {"type": "object"}}}]},
  "status": {"acceptedNames": {"plural": "things", "singular": "thing", "kind": "Thing",
             "listKind": "ThingList", "shortNames": ["th"], "categories": ["all"]}}})";

std::shared_ptr<const CustomDefinition> Things() {
  UseKinds();
  const Result<object::Document> object = ReadDefinition(kThings);
  EXPECT_TRUE(object.has_value());
  auto made =
      CustomDefinition::Make(*object, SharedBytes(kThings), std::make_shared<PatternCache>());
  EXPECT_TRUE(made.has_value());
  return *made;
}

object::Document Decode(const CustomVersion& version, std::string_view json) {
  Result<object::Document> out = object::DecodeJson(json, &version.kind());
  EXPECT_TRUE(out.has_value()) << out.error().message();
  return std::move(*out);
}

TEST(CustomDefinitionTest, HasTheTablesOfAResource) {
  const auto definition = Things();
  ASSERT_EQ(definition->versions().size(), 3u);
  const object::ResourceDesc& resource = definition->FindVersion("v1")->resource();
  EXPECT_EQ(resource.name, "things");
  EXPECT_EQ(resource.singular, "thing");
  EXPECT_EQ(resource.version->desc->api_version, "example.com/v1");
  EXPECT_EQ(resource.hub->storage->prefix, "example.com/things");
  EXPECT_EQ(resource.hub->storage->stored, &definition->storage_version().kind());
  EXPECT_NE(resource.FindSubresource("status"), nullptr);
  EXPECT_NE(resource.FindSubresource("scale"), nullptr);
  EXPECT_NE(resource.hub->FindSelectable("spec.color"), nullptr);
  EXPECT_EQ(definition->FindVersion("v1beta1")->resource().subresources.size(), 0u);
  EXPECT_FALSE(definition->FindVersion("v2")->served());
  EXPECT_EQ(definition->FindVersion("v3"), nullptr);
  EXPECT_EQ(definition->FindVersion("v1beta1")->deprecation(),
            "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing");
}

TEST(CustomDefinitionTest, AnObjectIsAMapThatKnowsItsKind) {
  const auto definition = Things();
  const CustomVersion& v1 = definition->storage_version();
  object::Document object =
      Decode(v1, R"({"kind": "Thing", "apiVersion": "example.com/v1", "other": [1, null],
              "metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"n": 1.5}})");
  EXPECT_EQ(object.type(), &v1.kind());
  EXPECT_TRUE(object.root().is_map());
  EXPECT_TRUE(object.root().Find("metadata")->is_object());
  EXPECT_EQ(MetaOf(object).name(), "a");
  EXPECT_EQ(object.Copy().type(), &v1.kind());
  EXPECT_EQ(object::EncodeJson(object.root()),
            R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a",)"
            R"("labels":{"x":"y"}},"other":[1,null],"spec":{"n":1.5}})");
  EXPECT_FALSE(object::DecodeJson(R"({"metadata": {"labels": 5}})", &v1.kind()));
  object::Document empty = object::Document::OfType(&v1.kind());
  MetaOf(empty).SetText("name", "b");
  EXPECT_EQ(object::EncodeJson(empty.root()), R"({"metadata":{"name":"b"}})");
}

TEST(CustomDefinitionTest, ItsSchemaPrunesAndDefaults) {
  const auto definition = Things();
  object::Document object =
      Decode(definition->storage_version(), R"({"spec": {"other": 1, "list": null}})");
  std::vector<object::FieldIssue> issues;
  ASSERT_TRUE(object::CoerceOpen(object, false, &issues));
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].ToString(), "unknown field \"spec.other\"");
  definition->storage_version().Default(object);
  EXPECT_EQ(object::EncodeJson(object.root()), R"({"spec":{"color":"red"}})");
}

TEST(CustomDefinitionTest, AnotherVersionHasAnotherSchema) {
  const auto definition = Things();
  const object::Document object =
      Decode(definition->storage_version(),
             R"({"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"color": "blue"}})");
  const object::MessageDesc* beta = definition->storage_version().InVersion("example.com/v1beta1");
  ASSERT_EQ(beta, &definition->FindVersion("v1beta1")->kind());
  EXPECT_EQ(definition->storage_version().InVersion("example.co/v1beta1"), nullptr);
  EXPECT_EQ(definition->storage_version().InVersion("v1"), nullptr);
  const Result<object::Document> converted = Convert(object, beta);
  ASSERT_TRUE(converted.has_value());
  EXPECT_EQ(converted->type(), beta);
  EXPECT_EQ(object::EncodeJson(converted->root()),
            R"({"apiVersion":"example.com/v1beta1","kind":"Thing","spec":{}})");
}

TEST(CustomDefinitionTest, ReadsInTheStoredVersionCopyTheText) {
  const auto definition = Things();
  const ObjectView view(definition->storage_version().resource());
  // Text that no encoder of ours writes shows that nothing decodes it.
  ByteBuffer out;
  ASSERT_TRUE(view.AppendJson(R"({ "metadata":{"name":"a"} , "spec":{"n":1.50}})",
                              store::Revision{7}, ObjectView::As::kItem, out));
  EXPECT_EQ(out.view(), R"({ "metadata":{"resourceVersion":"7","name":"a"} , "spec":{"n":1.50}})");
}

TEST(CustomDefinitionTest, WritersOwnFieldsByTheSchema) {
  const auto definition = Things();
  const CustomVersion& v1 = definition->storage_version();
  object::Document object =
      Decode(v1, R"({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a",
                     "labels": {"x": "y"}}, "spec": {"n": 1, "list": [{"k": "a"}]},
                     "status": {"n": 2}})");
  TrackUpdate({.manager = "m",
               .api_version = "example.com/v1",
               .subresource = {},
               .storage = v1.resource().hub->storage,
               .now = {}},
              object::Document::OfType(&v1.kind()), object);
  const object::Value* managed = object.root().FindPath({"metadata", "managedFields"});
  ASSERT_NE(managed, nullptr);
  ASSERT_EQ(managed->size(), 1u);
  EXPECT_EQ(managed->items()[0].Find("fieldsV1")->AsText(),
            R"({"f:metadata":{"f:labels":{".":{},"f:x":{}}},)"
            R"("f:spec":{".":{},"f:list":{},"f:n":{}}})");
}

}  // namespace
}  // namespace skiff::apiserver
