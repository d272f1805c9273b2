// Schemas and objects that are made to cost much: they take bounded time, stack and memory.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/custom_resource.h"
#include "apiserver/extensions/schema/pattern_cache.h"
#include "apiserver/extensions/schema/rule_validation.h"
#include "apiserver/extensions/schema/testing.h"
#include "base/limits.h"

namespace skiff::apiserver {
namespace {

FieldErrors FaultsOf(const CompiledSchema& schema, std::string_view json) {
  object::Document object = DocumentOfJson(json);
  EXPECT_TRUE(CoerceCustomResource(schema, object, {}).has_value());
  DefaultCustomResource(schema, object);
  FieldErrors errors(kDefaultSettings);
  ValidateCustomResource(schema, object.root(), errors);
  return errors;
}

TEST(BadSchemaTest, TheDeepestSchemaAndObjectDoNotExhaustTheStack) {
  constexpr size_t kLevels = 250;
  const auto schema = SchemaOfJson(Repeated(R"({"type":"object","properties":{"a":)", kLevels) +
                                   R"({"type":"string"})" + Repeated("}}", kLevels));
  ASSERT_NE(schema, nullptr);
  const FieldErrors errors =
      FaultsOf(*schema, Repeated("{\"a\":", kLevels) + "1" + Repeated("}", kLevels));
  ASSERT_EQ(errors.causes().size(), 1u);
  EXPECT_TRUE(errors.causes()[0].message.ends_with("must be of type string: \"integer\""));
}

TEST(BadSchemaTest, ThousandsOfPropertiesCompileAndAreFound) {
  std::string properties;
  for (int i = 0; i < 20'000; ++i) {
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":{\"type\":\"integer\"}";
  }
  const auto schema = SchemaOfJson("{\"type\":\"object\",\"properties\":{" + properties + "}}");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(FaultsOf(*schema, R"({"p0":"x","p19999":1})").size(), 1u);
}

TEST(BadSchemaTest, AlternativesWithinAlternativesEnd) {
  // Each level tries the next one several times.
  const auto schema =
      SchemaOfJson(Repeated(R"({"anyOf":[{"not":{}},{"oneOf":[{"not":{}},{"allOf":[)", 20) +
                   R"({"not":{}})" + Repeated("]}]}]}", 20));
  ASSERT_NE(schema, nullptr);
  EXPECT_FALSE(FaultsOf(*schema, "{\"a\":1}").empty());
}

TEST(BadValueTest, AnObjectThatTakesTooLongIsRefused) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += i == 0 ? "{\"items\":{}}" : ",{\"items\":{}}";
  const auto schema =
      SchemaOfJson(R"({"type":"object","properties":{"a":{"type":"array","allOf":[)" + many +
                   R"(],"items":{"type":"integer"}}}})");
  const FieldErrors errors = FaultsOf(*schema, "{\"a\":[1" + Repeated(",1", 100'000) + "]}");
  ASSERT_EQ(errors.causes().size(), 1u);
  EXPECT_NE(errors.causes()[0].message.find("takes too long"), std::string::npos);
}

TEST(BadValueTest, OfVeryManyFaultsAHundredAreToldAndTheRestCounted) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}}})");
  const FieldErrors errors =
      FaultsOf(*schema, "{\"a\":[\"x\"" + Repeated(",\"x\"", 200'000) + "]}");
  EXPECT_EQ(errors.causes().size(), limits::kMaxStatusCauses);
  EXPECT_EQ(errors.size(), 200'001u);
}

TEST(BadValueTest, ManyEqualItemsOfASetAreOneFault) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},
        "x-kubernetes-list-type":"set"}}})");
  const FieldErrors errors =
      FaultsOf(*schema, "{\"a\":[\"x\"" + Repeated(",\"x\"", 200'000) + "]}");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.causes()[0].field, "a[1]");
}

TEST(BadValueTest, ALongTextIsMatchedInLinearTime) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{"a":{"type":"string",
        "pattern":"^(a*)*(a|aa)+(a?){30}b$"}}})");
  const FieldErrors errors = FaultsOf(*schema, "{\"a\":\"" + std::string(1'000'000, 'a') + "\"}");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_LT(errors.causes()[0].message.size(), limits::kMaxCauseMessageBytes);
}

TEST(BadValueTest, AVeryLongKeyDoesNotMakeAVeryLongMessage) {
  const auto schema = SchemaOfJson(
      R"({"type":"object","properties":{"a":{"type":"object",
        "additionalProperties":{"type":"integer"}}}})");
  const FieldErrors errors =
      FaultsOf(*schema, "{\"a\":{\"" + std::string(1'000'000, 'k') + "\":\"x\"}}");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_LT(errors.causes()[0].message.size() + errors.causes()[0].field.size(), 8192u);
}

FieldErrors RuleFaultsOf(const CompiledSchema& schema, std::string_view json) {
  const object::Document object = DocumentOfJson(json);
  FieldErrors errors(kDefaultSettings);
  EvaluateRules(schema, object.root(), nullptr, {}, errors);
  return errors;
}

TEST(BadRulesTest, ASchemaWithRulesOnEveryLevelIsCompiledOnce) {
  // If each level had the types below it anew, these would be millions.
  constexpr size_t kLevels = 200;
  std::string properties;
  for (int i = 0; i < 20'000; ++i) {
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":{\"type\":\"integer\"}";
  }
  const auto schema = SchemaOfJson(
      Repeated(R"j({"type":"object","x-kubernetes-validations":[{"rule":"has(self.a)"}],)j"
               R"j("properties":{"a":)j",
               kLevels) +
      "{\"type\":\"object\",\"properties\":{" + properties + "}}" + Repeated("}}", kLevels));
  ASSERT_NE(schema, nullptr);
  EXPECT_TRUE(
      RuleFaultsOf(*schema, Repeated("{\"a\":", kLevels) + "{}" + Repeated("}", kLevels)).empty());
  EXPECT_EQ(RuleFaultsOf(*schema, "{\"a\":{\"a\":{}}}").size(), 1u);
}

TEST(BadRulesTest, WhatBoundsARunIsItsCost) {
  std::string list = "0";
  for (int i = 1; i < 1000; ++i) list += "," + std::to_string(i);
  const auto cubic = SchemaOfJson(
      R"j({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"},)j"
      R"j("x-kubernetes-validations":[)j"
      R"j({"rule":"self.all(x, self.all(y, self.all(z, x + y + z >= 0)))"}]}}})j");
  const FieldErrors stopped = RuleFaultsOf(*cubic, "{\"l\":[" + list + "]}");
  ASSERT_EQ(stopped.causes().size(), 1u);
  EXPECT_NE(stopped.causes()[0].message.find("actual cost limit exceeded"), std::string::npos);
  // Texts double with each step.
  const auto growing = SchemaOfJson(
      R"j({"type":"object","properties":{"s":{"type":"string","x-kubernetes-validations":[)j"
      R"j({"rule":")j" +
      Repeated("[", 24) + "self" + Repeated("].map(a, a + a)[0]", 24) + R"j(.size() > 0"}]}}})j");
  const std::string text(100'000, 'x');
  const FieldErrors grown = RuleFaultsOf(*growing, "{\"s\":\"" + text + "\"}");
  ASSERT_EQ(grown.causes().size(), 1u);
  EXPECT_NE(grown.causes()[0].message.find("actual cost limit exceeded"), std::string::npos)
      << grown.causes()[0].message;
}

TEST(BadRulesTest, ExpressionsAreBoundedInSizeDepthAndPatterns) {
  const auto fault = [](const std::string& rule) {
    const auto schema = SchemaOfJson(
        R"j({"type":"object","properties":{"s":{"type":"string","x-kubernetes-validations":[)j"
        R"j({"rule":")j" +
        rule + R"j("}]}}})j");
    const FieldErrors errors = RuleFaultsOf(*schema, R"({"s":"x"})");
    return errors.empty() ? std::string() : errors.causes()[0].message;
  };
  EXPECT_NE(fault("self != '" + std::string(200'000, 'a') + "'").find("compil"), std::string::npos);
  EXPECT_NE(fault(Repeated("(", 2000) + "true" + Repeated(")", 2000)).find("compil"),
            std::string::npos);
  EXPECT_NE(fault("self.matches('((a{1000}){1000}){1000}')").find("compil"), std::string::npos);
  EXPECT_EQ(fault("self == 'x'" + Repeated(" || self == 'y'", 5000)), "");
}

TEST(PatternCacheTest, HugeRepetitionsAreRefused) {
  PatternCache cache;
  EXPECT_FALSE(cache.Get("(a{1000}){1000}")->problem().empty());
  EXPECT_FALSE(cache.Get("(((\\p{L}{100}){100}){100}){100}")->problem().empty());
  EXPECT_TRUE(cache.Get("^.{0,1000}$")->problem().empty());
  EXPECT_TRUE(cache.Get("^\\p{L}{0,100}$")->Matches("äöü"));
}

TEST(PatternCacheTest, PatternsMeanWhatTheyMeanToGo) {
  PatternCache cache;
  EXPECT_TRUE(cache.Get("b")->Matches("abc"));
  EXPECT_FALSE(cache.Get("^b$")->Matches("a\nb\nc"));
  EXPECT_TRUE(cache.Get("^(?<year>[0-9]{4})-[(?<]$")->Matches("2024-<"));
  EXPECT_FALSE(cache.Get("(?=a)")->problem().empty());
}

TEST(PatternCacheTest, OnlyTheMostRecentlyUsedAreKept) {
  PatternCache cache;
  const auto first = cache.Get("first");
  for (size_t i = 0; i < 2 * PatternCache::kMaxPatterns; ++i) cache.Get("p" + std::to_string(i));
  EXPECT_EQ(cache.size(), PatternCache::kMaxPatterns);
  EXPECT_TRUE(first->Matches("the first"));
}

}  // namespace
}  // namespace skiff::apiserver
