#include "apiserver/validation/common.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

namespace meta = views::meta_v1;

object::Document Read(const object::MessageDesc* type, std::string_view json) {
  return object::DecodeJson(json, type).value();
}

std::string Faults(FieldErrors& errors) {
  std::string out;
  for (const StatusCause& cause : errors.causes()) {
    out += (out.empty() ? "" : " ") + cause.field + ":" +
           cause.reason.substr(std::string_view("FieldValue").size());
  }
  return out;
}

TEST(CommonRulesTest, SelectorsNameTheirFaults) {
  const object::Document document =
      Read(meta::LabelSelector::Type(),
           R"({"matchLabels":{"a b":"ok","c":"not ok"},"matchExpressions":[
      {"key":"k","operator":"In"},{"key":"k","operator":"Exists","values":["-"]},
      {"key":"","operator":"Is"}]})");
  const meta::LabelSelector selector(&document.root());
  FieldErrors errors(kDefaultSettings);
  const auto at = errors.At("selector");
  ValidateLabelSelector(selector, {}, errors);
  EXPECT_EQ(Faults(errors),
            "selector.matchLabels:Invalid selector.matchLabels:Invalid "
            "selector.matchExpressions[0].values:Required "
            "selector.matchExpressions[1].values:Forbidden "
            "selector.matchExpressions[1].values[0]:Invalid "
            "selector.matchExpressions[2].operator:Invalid "
            "selector.matchExpressions[2].key:Invalid "
            "selector.matchExpressions[2].key:Invalid");
  EXPECT_TRUE(HasInvalidLabelValue(selector));
}

TEST(CommonRulesTest, NumbersAndAmountsHaveRanges) {
  FieldErrors errors(kDefaultSettings);
  ValidateNonNegative(0, "a", errors);
  ValidatePositive(1, "a", errors);
  ValidatePortNumber(65535, "a", errors);
  ValidateNonNegativeQuantity("1Gi", "a", errors);
  ValidatePositiveQuantity("1m", "a", errors);
  ValidateIntOrPercent({true, 0, "110%"}, "a", errors);
  ValidateIntOrPercent({false, 3, {}}, "a", errors);
  EXPECT_EQ(Faults(errors), "");
  ValidateNonNegative(-1, "b", errors);
  ValidatePositive(0, "c", errors);
  ValidatePortNumber(65536, "d", errors);
  ValidateNonNegativeQuantity("-1", "e", errors);
  ValidatePositiveQuantity("0", "f", errors);
  ValidateIntOrPercent({true, 0, "1"}, "g", errors);
  ValidateIntOrPercent({false, -1, {}}, "h", errors);
  ValidateNotMoreThan100Percent({true, 0, "110%"}, "i", errors);
  EXPECT_EQ(Faults(errors),
            "b:Invalid c:Invalid d:Invalid e:Invalid f:Invalid g:Invalid h:Invalid i:Invalid");
}

TEST(CommonRulesTest, ConditionsAreCompleteAndOfDifferentTypes) {
  const object::Document good = Read(meta::Condition::Type(),
                                     R"({"type":"Ready","status":"True","reason":"All_Good",
                                 "lastTransitionTime":"2020-01-01T00:00:00Z"})");
  const object::Document bad =
      Read(meta::Condition::Type(), R"({"type":"Ready","status":"Maybe","observedGeneration":-1})");
  Arena arena;
  const object::Value both[] = {good.root(), bad.root()};
  const object::Value list = object::Value::List(arena, both);
  FieldErrors errors(kDefaultSettings);
  ValidateConditions(object::ListView<meta::Condition>(&list), "conditions", errors);
  EXPECT_EQ(Faults(errors),
            "conditions[1].type:Duplicate conditions[1].status:NotSupported "
            "conditions[1].observedGeneration:Invalid conditions[1].lastTransitionTime:Required "
            "conditions[1].reason:Required");
}

TEST(CommonRulesTest, WhatIsAbsentIsTheSameAsWhatIsZero) {
  const object::Value one = object::Value::Int(1);
  FieldErrors errors(kDefaultSettings);
  ValidateImmutable(nullptr, nullptr, "a", errors);
  ValidateImmutable(&one, &one, "a", errors);
  EXPECT_TRUE(errors.empty());
  ValidateImmutable(&one, nullptr, "a", errors);
  ValidateImmutable("x", "y", "b", errors);
  EXPECT_EQ(Faults(errors), "a:Invalid b:Invalid");
}

}  // namespace
}  // namespace skiff::apiserver
