#include "cel/schema_types.h"

#include <gtest/gtest.h>

#include "cel/testing.h"

namespace skiff::cel {
namespace {

class CelSchemaTest : public ::testing::Test {
 protected:
  // The value of an expression over `self`, an object of the schema.
  std::string Evaluate(std::string_view schema, std::string_view object,
                       std::string_view expression) {
    const object::Document schema_json = *object::DecodeJson(schema, nullptr);
    const object::Document self_json = *object::DecodeJson(object, nullptr);
    auto environment = std::make_shared<Environment>(Environment::Base());
    SchemaTypes schemas;
    const SchemaType* self = schemas.Declare(ReadSchema(schema_json.root()), false);
    environment->AddVariable("self", DeclareType(*self, "selfType", environment->types()));
    const CompileResult compiled = Compile(expression, environment);
    if (compiled.program == nullptr) return compiled.display;
    Evaluation evaluation;
    const Val value = FromDocument(evaluation.arena(), self_json.root(), self);
    const Val result = evaluation.Run(*compiled.program, std::span(&value, 1));
    return result.is_error() ? "error: " + std::string(result.AsText())
                             : ValueText(evaluation.arena(), result);
  }
};

TEST_F(CelSchemaTest, NamesOfPropertiesAreEscaped) {
  constexpr std::string_view kSchema =
      R"({"type":"object","properties":{"a-b":{"type":"integer"},"for":{"type":"string"}}})";
  EXPECT_EQ(Evaluate(kSchema, R"({"a-b":1})", "self.a__dash__b + 1"), "2");
  EXPECT_EQ(Evaluate(kSchema, R"({"for":"x"})", "self.__for__ == self.for"), "true");
}

TEST_F(CelSchemaTest, FormatsDecideTheTypesOfStrings) {
  constexpr std::string_view kSchema =
      R"({"type":"object","properties":{"t":{"type":"string","format":"date-time"},
          "d":{"type":"string","format":"duration"},"b":{"type":"string","format":"byte"},
          "n":{"type":"number"},"i":{"x-kubernetes-int-or-string":true}}})";
  EXPECT_EQ(Evaluate(kSchema, R"({"t":"2023-02-03T04:05:06Z"})", "self.t.getFullYear()"), "2023");
  EXPECT_EQ(Evaluate(kSchema, R"({"d":"90m"})", "self.d == duration('1h30m')"), "true");
  EXPECT_EQ(Evaluate(kSchema, R"({"b":"YWJj"})", "self.b == b'abc'"), "true");
  EXPECT_EQ(Evaluate(kSchema, R"({"n":3})", "type(self.n) == double"), "true");
  EXPECT_EQ(Evaluate(kSchema, R"({"i":"50%"})", "self.i == '50%'"), "true");
}

TEST_F(CelSchemaTest, SetsAndListsWithKeysHaveNoOrder) {
  constexpr std::string_view kSet =
      R"({"type":"object","properties":{"s":{"type":"array","x-kubernetes-list-type":"set",
          "items":{"type":"string"}}}})";
  EXPECT_EQ(Evaluate(kSet, R"({"s":["p","q"]})", "self.s == ['q', 'p']"), "true");
  EXPECT_EQ(Evaluate(kSet, R"({"s":["p","q"]})", "self.s + ['p', 'r']"), R"(["p", "q", "r"])");
}

TEST_F(CelSchemaTest, AnObjectThatIsNotOfTheSchemaIsAnError) {
  EXPECT_EQ(Evaluate(R"({"type":"object","properties":{"i":{"type":"integer"}}})", R"({"i":"one"})",
                     "self.i == 1"),
            "error: invalid data, expected int, got string");
}

}  // namespace
}  // namespace skiff::cel
