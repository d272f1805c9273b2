#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

// A definition of one version with this schema, as it is stored.
RulesTester DefinitionOf(const std::string& schema) {
  return RulesTester("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition",
                     R"j({"metadata": {"name": "foos.example.com"}, "spec": {"group": "example.com",
      "version": "v1", "scope": "Namespaced", "preserveUnknownFields": false,
      "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
      "versions": [{"name": "v1", "served": true, "storage": true}],
      "validation": {"openAPIV3Schema": )j" +
                         schema + R"j(}}, "status": {"storedVersions": ["v1"]}})j");
}

std::string ObjectWith(std::string_view properties) {
  return R"j({"type": "object", "properties": )j" + std::string(properties) + "}";
}

using Fault = std::tuple<std::string, std::string, std::string>;

// What comes behind the value in a message. Syntax errors name tokens of a grammar, which are not
// ours: of them the position counts.
std::string DetailOf(std::string_view message, std::string_view wanted) {
  const size_t syntax = wanted.find("Syntax error");
  if (syntax != std::string_view::npos) wanted = wanted.substr(0, syntax);
  return message.find(wanted) != std::string_view::npos ? std::string(wanted)
                                                        : std::string(message);
}

std::string CaseFault(const object::Value& record) {
  const RulesTester definition = DefinitionOf(object::EncodeJson(*record.Find("schema")));
  std::vector<StatusCause> causes = definition.NewCauses("");
  const object::Value& wanted = *record.FindPath({"expect", "errors"});
  std::string out;
  for (const object::Value& fault : wanted.items()) {
    const std::string_view detail = fault.Find("detail")->AsText();
    const auto found = std::ranges::find_if(causes, [&](const StatusCause& cause) {
      return cause.reason == fault.Find("type")->AsText() &&
             cause.field == fault.Find("field")->AsText() &&
             DetailOf(cause.message, detail) != cause.message;
    });
    if (found != causes.end()) {
      causes.erase(found);
    } else {
      out += "\n  missing " + object::EncodeJson(fault);
    }
  }
  for (const StatusCause& cause : causes) {
    out += "\n  more " + cause.field + " " + cause.reason + " " + cause.message;
  }
  return out;
}

// What Kubernetes answered, recorded outside of the repository.
TEST(ExpressionRulesTest, DefinitionsAreRefusedAsKubernetesRefusesThem) {
  const std::filesystem::path file =
      std::filesystem::path(SKIFF_SOURCE_DIR) / "../shared/fixtures/cel/crd-create.jsonl";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no recorded definitions";
  std::ifstream in(file);
  size_t passed = 0;
  size_t failed = 0;
  for (std::string line; std::getline(in, line);) {
    const Result<object::Document> record = object::DecodeJson(line, nullptr);
    ASSERT_TRUE(record) << line;
    const std::string fault = CaseFault(record->root());
    EXPECT_EQ(fault, "") << record->root().Find("id")->AsText();
    ++(fault.empty() ? passed : failed);
  }
  std::cout << passed << " passed, " << failed << " failed\n";
}

// Faults, with paths below the schema.
std::string FaultsOf(const std::string& schema) {
  std::string out = DefinitionOf(schema).NewMessages("");
  constexpr std::string_view kPlace = "spec.validation.openAPIV3Schema";
  for (size_t at = 0; (at = out.find(kPlace, at)) != std::string::npos;)
    out.erase(at, kPlace.size());
  return out;
}

constexpr std::string_view kTry =
    " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, "
    "maps, and strings are declared)";

TEST(ExpressionRulesTest, ARuleThatDoesNotCompileIsShownAsKubernetesShowsIt) {
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "integer", "x-kubernetes-validations": [
      {"rule": "self < 'x'", "reason": "FieldValueRequired", "optionalOldSelf": false}]}})j")),
            ".properties[a].x-kubernetes-validations[0].rule: Invalid value: "
            R"j({"Rule":"self \u003c 'x'","Message":"","MessageExpression":"",)j"
            R"j("Reason":"FieldValueRequired","FieldPath":"","OptionalOldSelf":false}: )j"
            "compilation failed: ERROR: <input>:1:6: found no matching overload for '_<_' applied "
            "to '(int, string)'\n | self < 'x'\n | .....^; "
            ".properties[a].x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may "
            "not be set if oldSelf is not used in rule");
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "integer", "x-kubernetes-validations": [
      {"rule": "self > 0", "messageExpression": "self"}]}})j")),
            ".properties[a].x-kubernetes-validations[0].messageExpression: Invalid value: "
            R"j({"Rule":"self \u003e 0","Message":"","MessageExpression":"self",)j"
            R"j("Reason":null,"FieldPath":"","OptionalOldSelf":null}: )j"
            "messageExpression must evaluate to a string");
}

TEST(ExpressionRulesTest, NeitherOneRuleNorAllOfThemMayCostTooMuch) {
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "array", "items": {"type": "string"},
      "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, x == y))"}]}})j")),
            ".properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost "
            "exceeds budget by factor of more than 100x" +
                std::string(kTry) +
                "; .properties[a].x-kubernetes-validations[0].rule: Forbidden: contributed to "
                "estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema; : "
                "Forbidden: x-kubernetes-validations estimated rule cost total for entire "
                "OpenAPIv3 schema exceeds budget by factor of more than 100x" +
                std::string(kTry));
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "array", "maxItems": 10, "items": {
      "type": "string", "maxLength": 10},
      "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, x == y))"}]}})j")),
            "");
}

TEST(ExpressionRulesTest, ARuleOfAnUnchangedSchemaMayCostWhatItDid) {
  const RulesTester definition = DefinitionOf(ObjectWith(R"j({"a": {"type": "array",
      "maxItems": 2000, "items": {"type": "string", "maxLength": 600},
      "x-kubernetes-validations": [{"rule": "self.all(x, self.exists(y, x == y))"}]}})j"));
  EXPECT_EQ(definition.NewCauses("").size(), 3U);
  // What all rules may cost together still holds.
  const std::string kept = definition.ChangedMessages("", "spec.names.categories=[\"all\"]");
  EXPECT_EQ(kept.find("estimated rule cost exceeds"), std::string::npos) << kept;
  EXPECT_NE(kept.find("contributed to estimated rule cost total"), std::string::npos) << kept;
}

TEST(ExpressionRulesTest, OldValuesAreThereOnlyWhereListsHaveKeys) {
  const auto list = [](std::string_view traits) {
    return ObjectWith(R"j({"l": {"type": "array", "maxItems": 5, )j" + std::string(traits) +
                      R"j("items": {"type": "object", "required": ["k"], "properties":
      {"k": {"type": "string", "maxLength": 5}}, "x-kubernetes-map-type": "atomic",
      "x-kubernetes-validations": [{"rule": "self.k == oldSelf.k"}]}}})j");
  };
  EXPECT_EQ(FaultsOf(list(R"j("x-kubernetes-list-type": "map",
                             "x-kubernetes-list-map-keys": ["k"],)j")),
            "");
  for (const std::string_view other : {"", R"j("x-kubernetes-list-type": "set",)j"}) {
    EXPECT_EQ(FaultsOf(list(other)),
              ".properties[l].items.x-kubernetes-validations[0].rule: Invalid value: \"self.k == "
              "oldSelf.k\": oldSelf cannot be used on the uncorrelatable portion of the schema "
              "within .properties[l]");
  }
}

TEST(ExpressionRulesTest, WhatIsWrongWithTheSchemaIsSaidFirst) {
  // The rule is not looked at, since a part of what it sees is unsound.
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "object", "properties": {"b": {"type": "array",
      "items": {"type": "string"}, "uniqueItems": true}},
      "x-kubernetes-validations": [{"rule": "self.nothing"}]}})j"))
                .find("compilation failed"),
            std::string::npos);
}

TEST(ExpressionRulesTest, RulesHoldOfDefaults) {
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "integer", "default": 1,
      "x-kubernetes-validations": [{"rule": "self > 1"}]}})j")),
            ".properties[a].default: Invalid value: 1: failed rule: self > 1");
  // Such a default could not be given to an object that has none.
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "integer", "default": 1,
      "x-kubernetes-validations": [{"rule": "oldSelf.hasValue()", "optionalOldSelf": true,
      "message": "only to be changed"}]}})j")),
            ".properties[a].default: Invalid value: 1: only to be changed");
}

TEST(ExpressionRulesTest, ASchemaHasABoundedNumberOfRules) {
  std::string rules;
  for (size_t i = 0; i < 10'001; ++i) rules += R"j({"rule": "true"},)j";
  rules.pop_back();
  EXPECT_EQ(FaultsOf(ObjectWith(R"j({"a": {"type": "integer", "x-kubernetes-validations": [)j" +
                                rules + "]}}")),
            ": Forbidden: the schema has more than 10000 validation rules");
}

}  // namespace
}  // namespace skiff::apiserver
