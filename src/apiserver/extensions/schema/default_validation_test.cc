#include "apiserver/extensions/schema/default_validation.h"

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/testing.h"

namespace skiff::apiserver {
namespace {

// Each fault on a line.
std::string FaultsOfDefaults(std::string_view json) {
  const object::Document schema = DocumentOfJson(json);
  const auto made = CompiledSchema::Compile(schema.root(), std::make_shared<PatternCache>(),
                                            CompiledSchema::Defaults::kAsWritten);
  EXPECT_TRUE(made.has_value());
  FieldErrors errors(kDefaultSettings);
  const auto at = errors.At("schema");
  ValidateDefaultsOf(**made, true, errors);
  std::string out;
  for (const StatusCause& cause : errors.causes()) {
    out += cause.field + ": " + cause.message + "\n";
  }
  return out;
}

TEST(DefaultValidationTest, ADefaultHasTheTypeOfItsSchema) {
  EXPECT_EQ(
      FaultsOfDefaults(R"({"type":"object","properties":{"a":{"type":"string","default":1}}})"),
      "schema.properties[a].default: Invalid value: \"integer\":  in body must be of type "
      "string: \"integer\"\n");
  EXPECT_EQ(
      FaultsOfDefaults(R"({"type":"object","properties":{"a":{"type":"string","default":"x"}}})"),
      "");
}

TEST(DefaultValidationTest, ADefaultHasNoUnknownFieldsAndAllRequiredOnes) {
  EXPECT_EQ(FaultsOfDefaults(R"({"type":"object","properties":{"a":{"type":"object",
              "required":["x"],"properties":{"x":{"type":"string"}},"default":{"y":1}}}})"),
            "schema.properties[a].default: Invalid value: {\"y\":1}: must not have unknown fields\n"
            "schema.properties[a].default.x: Required value\n");
}

TEST(DefaultValidationTest, AResourceAsDefaultHasApiVersionAndKind) {
  EXPECT_EQ(FaultsOfDefaults(R"({"type":"object","default":{},"properties":{}})"),
            "schema.default.apiVersion: Required value\n"
            "schema.default.kind: Required value\n");
  EXPECT_EQ(FaultsOfDefaults(R"({"type":"object","properties":{"a":{"type":"object",
              "x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,
              "default":{"kind":"Pod"}}}})"),
            "schema.properties[a].default.apiVersion: Required value\n");
}

TEST(DefaultValidationTest, ADefaultInsideMetadataResultsInValidMetadata) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{"a":{"type":"object",
    "x-kubernetes-embedded-resource":true,"properties":{"metadata":{"type":"object",
      "properties":{"name":{"type":"string","default":"x/y"}}}}}}})";
  EXPECT_EQ(FaultsOfDefaults(kSchema),
            "schema.properties[a].properties[metadata].properties[name].default: Invalid value: "
            "\"x/y\": must result in valid metadata: metadata.name: Invalid value: \"x/y\": may "
            "not contain '/'\n");
}

TEST(DefaultValidationTest, DefaultsOfItemsAreLookedAtToo) {
  EXPECT_EQ(FaultsOfDefaults(R"({"type":"object","properties":{"l":{"type":"array","items":{
              "type":"object","properties":{"n":{"type":"integer","maximum":3,"default":4}}}}}})"),
            "schema.properties[l].items.properties[n].default: Invalid value: 4:  in body should "
            "be less than or equal to 3\n");
}

}  // namespace
}  // namespace skiff::apiserver
