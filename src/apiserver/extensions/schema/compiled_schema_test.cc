#include "apiserver/extensions/schema/compiled_schema.h"

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/defaults.h"
#include "apiserver/extensions/schema/go_numbers.h"
#include "apiserver/extensions/schema/prune.h"
#include "apiserver/extensions/schema/testing.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

// Objects of a few fields, of which no two are the same, and little for people: what takes most.
std::string SchemaOfAbout20Kilobytes() {
  std::string objects;
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    if (i > 0) objects += ',';
    objects += "\"part" + n + R"(":{"type":"object","required":["name)" + n + R"("],"properties":{
"name)" + n + R"(":{"type":"string","maxLength":)" +
               n + R"(,"pattern":"^[a-z]{)" + n + R"(}$"},
"replicas)" + n +
               R"(":{"type":"integer","format":"int32","minimum":)" + n + R"(,"default":)" + n +
               R"(},
"mode)" + n + R"(":{"type":"string","enum":["Fast)" +
               n + R"(","Safe"]},
"labels)" + n + R"(":{"type":"object","additionalProperties":{"type":"string"}}}})";
  }
  return R"({"type":"object","properties":{"spec":{"type":"object","properties":{)" + objects +
         "}}}}";
}

TEST(CompiledSchemaTest, ASchemaOf20KilobytesTakesLittleMemory) {
  const std::string json = SchemaOfAbout20Kilobytes();
  ASSERT_GT(json.size(), 18'000u);
  ASSERT_LT(json.size(), 26'000u);
  const auto schema = SchemaOfJson(json);
  ASSERT_NE(schema, nullptr);
  RecordProperty("bytes", std::to_string(schema->BytesReserved()));
  RecordProperty("nodes", std::to_string(schema->node_count()));
  EXPECT_LT(schema->BytesReserved(), 60'000u);
}

TEST(CompiledSchemaTest, ADefaultThatIsNoJsonFails) {
  const object::Document schema = DocumentOfJson("{}");
  Arena arena;
  object::Value bad = object::Value::EmptyMap();
  bad.SetEntry(arena, "default", object::Value::RawJson("{"));
  EXPECT_FALSE(CompiledSchema::Compile(bad, std::make_shared<PatternCache>()).has_value());
  EXPECT_TRUE(CompiledSchema::Compile(schema.root(), std::make_shared<PatternCache>()).has_value());
}

TEST(CompiledSchemaTest, ASchemaWithoutTypesCompilesToo) {
  const object::Document schema = DocumentOfJson(
      R"({"type":"object","properties":{"a":{"type":"integer","minimum":1,"maximum":2.5}}})");
  const auto made = CompiledSchema::Compile(schema.root(), std::make_shared<PatternCache>());
  ASSERT_TRUE(made.has_value());
  const SchemaNode* a = (*made)->root().FindProperty("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->checks->Bounds().minimum, 1);
  EXPECT_EQ(a->checks->Bounds().maximum, 2.5);
}

TEST(CompiledSchemaTest, RulesAreKeptAsTheyAreWritten) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{"a":{"type":"string","x-kubernetes-validations":[
        {"rule":"self != ''","message":"m","reason":"FieldValueForbidden","fieldPath":".x",
         "optionalOldSelf":true}]}}})");
  EXPECT_TRUE(schema->root().is(SchemaNode::kRules));
  const SchemaNode* a = schema->root().FindProperty("a");
  ASSERT_EQ(a->rules().size(), 1u);
  EXPECT_EQ(a->rules()[0].rule, "self != ''");
  EXPECT_EQ(a->rules()[0].reason, "FieldValueForbidden");
  EXPECT_EQ(a->rules()[0].field_path, ".x");
  EXPECT_TRUE(a->rules()[0].optional_old_self);
}

TEST(CompiledSchemaTest, UnknownFieldsOfADefaultAreNotServed) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{"a":{"type":"object","default":{"x":1,"y":2},
        "properties":{"x":{"type":"integer"}}}}})");
  object::Document object = DocumentOfJson("{}");
  ApplyDefaults(schema->root(), object.root(), object.arena());
  EXPECT_EQ(object::EncodeJson(object.root()), R"({"a":{"x":1}})");
}

TEST(CompiledSchemaTest, NodesThatSayTheSameAreShared) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{
        "a":{"type":"object","required":["x"],"properties":{"x":{"type":"string","default":"d"}}},
        "b":{"type":"object","required":["x"],"properties":{"x":{"type":"string","default":"d"}}},
        "c":{"type":"object","required":["x"],"properties":{"x":{"type":"string"}}}}})");
  const SchemaNode& root = schema->root();
  EXPECT_EQ(root.FindProperty("a"), root.FindProperty("b"));
  EXPECT_NE(root.FindProperty("a"), root.FindProperty("c"));
}

TEST(CompiledSchemaTest, TheSameDefaultIsPrunedByEachSchemaForItself) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{
        "a":{"type":"object","default":{"x":1,"y":2},"properties":{"x":{"type":"integer"}}},
        "b":{"type":"object","default":{"x":1,"y":2},"properties":{"y":{"type":"integer"}}}}})");
  object::Document object = DocumentOfJson("{}");
  ApplyDefaults(schema->root(), object.root(), object.arena());
  EXPECT_EQ(object::EncodeJson(object.root()), R"({"a":{"x":1},"b":{"y":2}})");
}

TEST(PruneTest, PreservedObjectsArePrunedInsideWhatIsDescribed) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
        "a":{"type":"object","properties":{"x":{"type":"string"}}},
        "l":{"type":"array","x-kubernetes-preserve-unknown-fields":true,
          "items":{"type":"object","properties":{"x":{"type":"string"}}}},
        "m":{"type":"object","additionalProperties":true}}})");
  object::Document object = DocumentOfJson(
      R"({"a":{"x":"1","y":2},"b":{"c":1},"l":[{"x":"1","y":2}],"m":{"k":{"gone":1},"n":1}})");
  std::vector<object::FieldIssue> dropped;
  PruneUnknownFields(schema->root(), true, object.root(), object.arena(), &dropped);
  EXPECT_EQ(object::EncodeJson(object.root()),
            R"({"a":{"x":"1"},"b":{"c":1},"l":[{"x":"1","y":2}],"m":{"k":{},"n":1}})");
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped[0].ToString(), "unknown field \"a.y\"");
  EXPECT_EQ(dropped[1].path, "m.k.gone");
}

TEST(PruneTest, ManyUnknownFieldsGoInOnePassAndAHundredAreTold) {
  const auto schema = SchemaOfJson(R"({"type":"object","properties":{"a":{"type":"object"}}})");
  std::string text = "{\"a\":{";
  for (int i = 0; i < 100'000; ++i) text += "\"k" + std::to_string(i) + "\":1,";
  text += "\"last\":1}}";
  object::Document object = DocumentOfJson(text);
  std::vector<object::FieldIssue> dropped;
  PruneUnknownFields(schema->root(), true, object.root(), object.arena(), &dropped);
  EXPECT_EQ(object::EncodeJson(object.root()), "{\"a\":{}}");
  EXPECT_EQ(dropped.size(), limits::kMaxFieldIssues);
}

TEST(DefaultsTest, DefaultingTwiceChangesNothing) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{"a":{"type":"object","default":{},"properties":{
        "b":{"type":"string","default":"x"},"l":{"type":"array","items":{"type":"object",
          "properties":{"c":{"type":"integer","default":3}}}}}}}})");
  object::Document object = DocumentOfJson(R"({"a":{"l":[{},{"c":null},{"c":4}]}})");
  ApplyDefaults(schema->root(), object.root(), object.arena());
  const std::string once = object::EncodeJson(object.root());
  EXPECT_EQ(once, R"({"a":{"b":"x","l":[{"c":3},{"c":3},{"c":4}]}})");
  ApplyDefaults(schema->root(), object.root(), object.arena());
  EXPECT_EQ(object::EncodeJson(object.root()), once);
}

TEST(GoNumbersTest, FractionsPrintAsGoPrintsThem) {
  EXPECT_EQ(GoFloatText(0.25), "0.25");
  EXPECT_EQ(GoFloatText(10), "10");
  EXPECT_EQ(GoFloatText(123456), "123456");
  EXPECT_EQ(GoFloatText(1000000), "1e+06");
  EXPECT_EQ(GoFloatText(-1.5e300), "-1.5e+300");
  EXPECT_EQ(GoFloatText(0.0001), "0.0001");
  EXPECT_EQ(GoFloatText(1e-7), "1e-07");
  EXPECT_TRUE(IsJsonInteger(-3));
  EXPECT_FALSE(IsJsonInteger(0.5));
  EXPECT_FALSE(IsJsonInteger(9223372036854775808.0));
}

}  // namespace
}  // namespace skiff::apiserver
