#include "apiserver/extensions/schema/schema_shape.h"

#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/testing.h"

namespace skiff::apiserver {
namespace {

using Kind = SchemaShape::Kind;

SchemaShape At(const CompiledSchema& schema, std::string_view path) {
  const Result<object::FieldPath> parsed = object::FieldPath::Parse(path);
  EXPECT_TRUE(parsed.has_value()) << path;
  return SchemaShape::At(schema, *parsed);
}

constexpr std::string_view kSchema = R"({"type":"object","properties":{"spec":{"type":"object",
  "properties":{
    "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","p"],
      "items":{"type":"object","properties":{"k":{"type":"string"},
        "p":{"type":"string","default":"TCP"},
        "tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}},
    "plain":{"type":"array","items":{"type":"string"}},
    "whole":{"type":"object","x-kubernetes-map-type":"atomic",
      "properties":{"a":{"type":"string"}}},
    "by_name":{"type":"object","additionalProperties":{"type":"array",
      "items":{"type":"string"},"x-kubernetes-list-type":"set"}},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
      "properties":{"known":{"type":"object","properties":{"a":{"type":"string"}}}}},
    "either":{"x-kubernetes-int-or-string":true},
    "any":{"x-kubernetes-preserve-unknown-fields":true},
    "pod":{"type":"object","x-kubernetes-embedded-resource":true,
      "properties":{"spec":{"type":"object"}}}}}}})";

TEST(SchemaShapeTest, ListsAreAtomicUnlessTheirTypeSaysOtherwise) {
  const auto schema = SchemaOfJson(kSchema);
  EXPECT_TRUE(At(*schema, "spec.plain").atomic());
  EXPECT_EQ(At(*schema, "spec.plain").kind(), Kind::kList);
  const SchemaShape ports = At(*schema, "spec.ports");
  EXPECT_FALSE(ports.atomic());
  ASSERT_EQ(ports.keys().size(), 2u);
  EXPECT_EQ(ports.keys()[1], "p");
  ASSERT_NE(ports.KeyDefault("p"), nullptr);
  EXPECT_EQ(ports.KeyDefault("p")->AsText(), "TCP");
  EXPECT_EQ(ports.KeyDefault("k"), nullptr);
}

TEST(SchemaShapeTest, APathLeadsThroughItemsAndKeysOfMaps) {
  const auto schema = SchemaOfJson(kSchema);
  const SchemaShape tags = At(*schema, "spec.ports[k=a,p=TCP].tags");
  EXPECT_EQ(tags.kind(), Kind::kList);
  EXPECT_FALSE(tags.atomic());
  EXPECT_TRUE(tags.keys().empty());
  EXPECT_FALSE(At(*schema, "spec.by_name.anything").atomic());
  EXPECT_EQ(At(*schema, "spec.by_name.anything[0]").kind(), Kind::kScalar);
  EXPECT_EQ(At(*schema, "spec.either").kind(), Kind::kScalar);
}

TEST(SchemaShapeTest, AFieldThatIsNotDescribedIsUnknownUnlessItIsPreserved) {
  const auto schema = SchemaOfJson(kSchema);
  EXPECT_EQ(At(*schema, "spec.bogus").kind(), Kind::kUnknown);
  EXPECT_EQ(At(*schema, "spec.whole.bogus").kind(), Kind::kUnknown);
  EXPECT_TRUE(At(*schema, "spec.whole").atomic());
  EXPECT_EQ(At(*schema, "spec.free.bogus").kind(), Kind::kDeduced);
  EXPECT_EQ(At(*schema, "spec.free.bogus.deeper[3]").kind(), Kind::kDeduced);
  // What is preserved above is preserved below.
  EXPECT_EQ(At(*schema, "spec.free.known.bogus").kind(), Kind::kDeduced);
}

TEST(SchemaShapeTest, AResourceHasMetadataWhateverItsSchemaSays) {
  const auto schema = SchemaOfJson(kSchema);
  EXPECT_EQ(At(*schema, "metadata.labels.a").kind(), Kind::kMetadata);
  EXPECT_EQ(At(*schema, "kind").kind(), Kind::kScalar);
  EXPECT_EQ(At(*schema, "spec.pod.metadata").kind(), Kind::kMetadata);
  EXPECT_EQ(At(*schema, "spec.pod.apiVersion").kind(), Kind::kScalar);
  EXPECT_EQ(At(*schema, "spec.pod.bogus").kind(), Kind::kUnknown);
  EXPECT_EQ(At(*schema, "spec.pod.spec.free").kind(), Kind::kDeduced);
}

TEST(SchemaShapeTest, AValueSaysWhatASpotWithoutATypeIs) {
  const auto schema = SchemaOfJson(kSchema);
  const SchemaShape any = At(*schema, "spec.any");
  EXPECT_EQ(any.kind(), Kind::kDeduced);
  EXPECT_EQ(any.For(object::Value::Int(1)).kind(), Kind::kScalar);
  EXPECT_TRUE(any.For(object::Value::EmptyList()).atomic());
  EXPECT_EQ(any.For(object::Value::EmptyMap()).kind(), Kind::kObject);
  EXPECT_FALSE(any.For(object::Value::EmptyMap()).atomic());
}

}  // namespace
}  // namespace skiff::apiserver
