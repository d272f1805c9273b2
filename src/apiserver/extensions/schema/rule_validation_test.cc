#include "apiserver/extensions/schema/rule_validation.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/custom_resource.h"
#include "apiserver/extensions/schema/testing.h"
#include "base/limits.h"

namespace skiff::apiserver {
namespace {

std::string Text(const FieldErrors& errors) {
  std::string out;
  for (const StatusCause& cause : errors.causes()) {
    out += (out.empty() ? "" : "; ") + cause.field + " " + cause.reason + " " + cause.message;
  }
  return out;
}

// The faults of an object, as they are told; of an update if there is an old one.
std::string FaultsOf(const CompiledSchema& schema, std::string_view object,
                     std::string_view old = {}, std::vector<std::string>* warnings = nullptr) {
  const object::Document now = DocumentOfJson(object);
  const object::Document before = DocumentOfJson(old.empty() ? "{}" : old);
  FieldErrors errors(kDefaultSettings);
  EvaluateRules(schema, now.root(), old.empty() ? nullptr : &before.root(), {.warnings = warnings},
                errors);
  return Text(errors);
}

std::string ObjectSchema(std::string_view properties, std::string_view rules = "[]") {
  return R"j({"type":"object","x-kubernetes-validations":)j" + std::string(rules) +
         R"j(,"properties":)j" + std::string(properties) + "}";
}

TEST(RuleValidationTest, FaultsAreToldAsKubernetesTellsThem) {
  const auto schema = SchemaOfJson(ObjectSchema(R"j({
      "a":{"type":"string","x-kubernetes-validations":[
          {"rule":"self != 'bad'","messageExpression":"'got ' + self"}]},
      "b":{"type":"array","items":{"type":"string"},"x-kubernetes-validations":[
          {"rule":"self.all(x, x != 'bad')"}]},
      "c":{"type":"number","x-kubernetes-validations":[
          {"rule":"self < 2.0","message":"  too much  "}]},
      "d":{"type":"string","x-kubernetes-validations":[
          {"rule":"self != 'bad'","message":"fallback","messageExpression":"' '"}]},
      "e":{"type":"array","items":{"type":"integer"},"x-kubernetes-validations":[
          {"rule":"self[5] > 0"}]}})j"));
  EXPECT_EQ(FaultsOf(*schema, R"j({"a":"bad"})j"),
            R"j(a FieldValueInvalid Invalid value: "bad": got bad)j");
  EXPECT_EQ(FaultsOf(*schema, R"j({"b":["bad"]})j"),
            "b FieldValueInvalid Invalid value: failed rule: self.all(x, x != 'bad')");
  EXPECT_EQ(FaultsOf(*schema, R"j({"c":2.5})j"),
            "c FieldValueInvalid Invalid value: 2.5: too much");
  EXPECT_EQ(FaultsOf(*schema, R"j({"d":"bad"})j"),
            R"j(d FieldValueInvalid Invalid value: "bad": fallback)j");
  EXPECT_EQ(FaultsOf(*schema, R"j({"e":[1]})j"),
            "e FieldValueInvalid Invalid value: \"array\": index out of bounds: 5 evaluating rule: "
            "self[5] > 0");
  EXPECT_EQ(FaultsOf(*schema, R"j({"a":"good","b":["x"],"c":1})j"), "");
}

TEST(RuleValidationTest, ReasonsAndPathsAreThoseOfTheRule) {
  const auto schema = SchemaOfJson(ObjectSchema(
      R"j({"spec":{"type":"object","properties":{"m":{"type":"object","additionalProperties":
          {"type":"string"}},"n":{"type":"integer"}},"x-kubernetes-validations":[
          {"rule":"self.n > 0","reason":"FieldValueRequired","fieldPath":".n","message":"needed"},
          {"rule":"self.n > 1","reason":"FieldValueForbidden","fieldPath":".m['x']"},
          {"rule":"self.n > 2","reason":"FieldValueDuplicate"}]}})j",
      R"j([{"rule":"self.spec.n > 3","fieldPath":".spec.n"},{"rule":"self.spec.n > 4"}])j"));
  EXPECT_EQ(FaultsOf(*schema, R"j({"spec":{"n":0}})j"),
            "spec.n FieldValueInvalid Invalid value: failed rule: self.spec.n > 3; "
            "<nil> FieldValueInvalid Invalid value: failed rule: self.spec.n > 4; "
            "spec.n FieldValueRequired Required value: needed; "
            "spec.m[x] FieldValueForbidden Forbidden: failed rule: self.n > 1; "
            "spec FieldValueDuplicate Duplicate value");
}

TEST(RuleValidationTest, ValuesThatDidNotChangeAreWarnedOfOnly) {
  const auto schema = SchemaOfJson(ObjectSchema(
      R"j({"a":{"type":"string","x-kubernetes-validations":[{"rule":"self == 'good'"}]},
          "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
               "items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}},
               "x-kubernetes-validations":[{"rule":"self.v > 0"},
                   {"rule":"self.v >= oldSelf.v","message":"may only grow"}]}}})j"));
  std::vector<std::string> warnings;
  EXPECT_EQ(FaultsOf(*schema, R"j({"a":"bad","l":[{"k":"y","v":5},{"k":"x","v":0}]})j",
                     R"j({"a":"bad","l":[{"k":"x","v":0},{"k":"y","v":6}]})j", &warnings),
            "l[0] FieldValueInvalid Invalid value: may only grow");
  EXPECT_EQ(warnings,
            (std::vector<std::string>{R"j(a: Invalid value: "bad": failed rule: self == 'good')j",
                                      "l[1]: Invalid value: failed rule: self.v > 0"}));
}

TEST(RuleValidationTest, ResourcesShowTheirNameAndNothingElseOfTheirMetadata) {
  const auto schema = SchemaOfJson(ObjectSchema(
      R"j({"t":{"type":"object","x-kubernetes-embedded-resource":true,
          "x-kubernetes-preserve-unknown-fields":true,
          "x-kubernetes-validations":[{"rule":"self.metadata.name.startsWith('t')"}]},
          "p":{"x-kubernetes-int-or-string":true,
          "x-kubernetes-validations":[{"rule":"type(self) == int ? self < 9 : self == '50%'"}]}})j",
      R"j([{"rule":"self.metadata.name.size() < 5 && !has(self.metadata.generateName)"}])j"));
  EXPECT_EQ(FaultsOf(*schema, R"j({"metadata":{"name":"long-name"},"t":{"metadata":{"name":"x"}},
                                  "p":9})j"),
            "<nil> FieldValueInvalid Invalid value: failed rule: self.metadata.name.size() < 5 && "
            "!has(self.metadata.generateName); "
            "p FieldValueInvalid Invalid value: 9: failed rule: type(self) == int ? self < 9 : "
            "self == '50%'; "
            "t FieldValueInvalid Invalid value: failed rule: "
            "self.metadata.name.startsWith('t')");
  EXPECT_EQ(FaultsOf(*schema, R"j({"metadata":{"name":"n"},"t":{"metadata":{"name":"t"}},
                                  "p":"50%"})j"),
            "");
}

TEST(RuleValidationTest, AnObjectOfTheWrongFormIsNotEvaluated) {
  const auto schema = SchemaOfJson(ObjectSchema(
      R"j({"a":{"type":"string","maxLength":2,"x-kubernetes-validations":[{"rule":"false"}]}})j"));
  const object::Document object = DocumentOfJson(R"j({"a":"long"})j");
  FieldErrors errors(kDefaultSettings);
  ValidateCustomResource(*schema, object.root(), errors);
  EvaluateRules(*schema, object.root(), nullptr, {}, errors);
  ASSERT_EQ(errors.causes().size(), 2U);
  EXPECT_EQ(errors.causes()[1].field, "<nil>");
  EXPECT_NE(errors.causes()[1].message.find("some validation rules were not checked"),
            std::string::npos);
}

TEST(RuleValidationTest, AnObjectHasABudget) {
  // Each rule costs a fiftieth of it.
  const std::string rules = Repeated(R"j({"rule":"!self.contains('y')"},)j", 60);
  const auto schema =
      SchemaOfJson(ObjectSchema(R"j({"a":{"type":"string","x-kubernetes-validations":[)j" + rules +
                                R"j({"rule":"false"}]}})j"));
  const std::string object = R"j({"a":")j" + std::string(2'000'000, 'x') + "\"}";
  EXPECT_EQ(FaultsOf(*schema, object),
            "a FieldValueInvalid Invalid value: \"string\": validation failed due to running out "
            "of cost budget, no further validation rules will be run");
}

TEST(RuleValidationTest, ManyFaultsAreCountedAndFewAreKept) {
  const auto schema = SchemaOfJson(ObjectSchema(
      R"j({"l":{"type":"array","items":{"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 1"}]}}})j"));
  std::string object = R"j({"l":[)j";
  for (int i = 0; i < 100'000; ++i) object += "1,";
  object.back() = ']';
  const object::Document now = DocumentOfJson(object + "}");
  FieldErrors errors(kDefaultSettings);
  std::vector<std::string> warnings;
  EvaluateRules(*schema, now.root(), nullptr, {}, errors);
  EXPECT_EQ(errors.size(), 100'000U);
  EXPECT_EQ(errors.causes().size(), limits::kMaxStatusCauses);
  // The list did not change, which is found out once and not for each item.
  FieldErrors none(kDefaultSettings);
  EvaluateRules(*schema, now.root(), &now.root(), {.warnings = &warnings}, none);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(warnings.size(), limits::kMaxFieldIssues);
}

TEST(RuleValidationTest, ARunEndsWhenItIsInterrupted) {
  const auto schema = SchemaOfJson(ObjectSchema(R"j({"a":{"type":"integer"}})j",
                                                R"j([{"rule":"self.a == 1"},{"rule":"false"}])j"));
  const object::Document object = DocumentOfJson(R"j({"a":1})j");
  const std::atomic<bool> interrupt = true;
  FieldErrors errors(kDefaultSettings);
  EvaluateRules(*schema, object.root(), nullptr, {.interrupt = &interrupt}, errors);
  EXPECT_EQ(Text(errors),
            "<nil> FieldValueInvalid Invalid value: \"object\": operation interrupted evaluating "
            "rule: self.a == 1");
}

TEST(RuleValidationTest, ThreadsShareTheRulesThatTheFirstOfThemCompiles) {
  const auto schema = SchemaOfJson(ObjectSchema(
      R"j({"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":
          {"type":"integer","x-kubernetes-validations":[{"rule":"self == 1"}]}}}}}})j",
      R"j([{"rule":"self.a.b.c == 1 && type(self.a.b) != int"}])j"));
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string& each : found) {
    threads.emplace_back([&] { each = FaultsOf(*schema, R"j({"a":{"b":{"c":2}}})j"); });
  }
  for (std::thread& each : threads) each.join();
  for (const std::string& each : found) EXPECT_EQ(each, found[0]);
  EXPECT_NE(found[0].find("a.b.c FieldValueInvalid Invalid value: 2"), std::string::npos);
}

}  // namespace
}  // namespace skiff::apiserver
