#include "apiserver/extensions/schema/correlation.h"

#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/testing.h"
#include "apiserver/extensions/schema/value_validator.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "m":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
    "items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"string"}}}},
  "l":{"type":"array","items":{"type":"integer"}},
  "metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":2}}},
  "n":{"type":"number"}}})";

bool Unchanged(std::string_view now, std::string_view old) {
  const auto schema = SchemaOfJson(kSchema);
  return IsUnchanged(schema->root(), DocumentOfJson(now).root(), DocumentOfJson(old).root());
}

TEST(CorrelationTest, ItemsWithKeysMayChangePlaces) {
  EXPECT_TRUE(Unchanged(R"({"m":[{"k":"a"},{"k":"b","v":"1"}]})",
                        R"({"m":[{"k":"b","v":"1"},{"k":"a"}]})"));
  EXPECT_FALSE(Unchanged(R"({"m":[{"k":"a"},{"k":"b","v":"1"}]})",
                         R"({"m":[{"k":"b","v":"2"},{"k":"a"}]})"));
  EXPECT_FALSE(Unchanged(R"({"m":[{"k":"a"}]})", R"({"m":[{"k":"c"}]})"));
  EXPECT_FALSE(Unchanged(R"({"m":[{"v":"1"}]})", R"({"m":[{"v":"1"}]})"));
}

TEST(CorrelationTest, OtherListsAreTheSameAsAWholeOnly) {
  EXPECT_TRUE(Unchanged(R"({"l":[1,2]})", R"({"l":[1,2]})"));
  EXPECT_FALSE(Unchanged(R"({"l":[1,2]})", R"({"l":[2,1]})"));
}

TEST(CorrelationTest, AFieldThatIsNotDescribedCountsAsChanged) {
  EXPECT_FALSE(Unchanged(R"({"x":1})", R"({"x":1})"));
}

TEST(CorrelationTest, AnIntegerIsNotAFraction) {
  EXPECT_FALSE(Unchanged(R"({"n":1})", R"({"n":1.0})"));
  EXPECT_TRUE(Unchanged(R"({"n":null})", R"({"n":null})"));
}

TEST(CorrelationTest, MetadataMayBeTyped) {
  const auto schema = SchemaOfJson(kSchema);
  const object::MessageDesc* type = object::FindMessage("meta/v1", "ObjectMeta");
  const Result<object::Document> named = object::DecodeJson(R"({"name":"long"})", type);
  const Result<object::Document> labelled =
      object::DecodeJson(R"({"name":"long","labels":{"a":"b"}})", type);
  ASSERT_TRUE(named && labelled);
  const SchemaNode& node = *schema->root().FindProperty("metadata");
  EXPECT_TRUE(IsUnchanged(node, named->root(), named->root()));
  EXPECT_FALSE(IsUnchanged(node, labelled->root(), labelled->root()));
  FieldErrors errors(kDefaultSettings);
  ValidateValue(*schema, node, labelled->root(), nullptr, "metadata", errors);
  ASSERT_EQ(errors.causes().size(), 1u);
  EXPECT_EQ(errors.causes()[0].field, "metadata.name");
}

}  // namespace
}  // namespace skiff::apiserver
