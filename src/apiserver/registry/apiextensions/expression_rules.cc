#include "apiserver/registry/apiextensions/expression_rules.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "apiserver/registry/apiextensions/schema_tree.h"
#include "base/limits.h"
#include "base/strings.h"
#include "cel/rules.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

// What the estimate of one expression may come to, and that of all in a schema.
constexpr uint64_t kMaxCost = 10'000'000;
constexpr uint64_t kMaxTotalCost = 100'000'000;
// Expressions that are named when the total is too much, if they are a hundredth of it or more.
constexpr size_t kNamedExpressions = 4;

uint64_t Product(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// How many values below it one value of the schema may have; nothing: any number.
std::optional<uint64_t> MostElements(const object::Value* schema) {
  const std::string_view type = TextOf(schema, "type");
  std::string_view bound;
  if (type == "array") {
    bound = "maxItems";
  } else if (type == "object" && FieldOf(schema, "additionalProperties") != nullptr) {
    bound = "maxProperties";
  } else {
    return 1;
  }
  const object::Value* most = FieldOf(schema, bound);
  if (most == nullptr) return {};
  return static_cast<uint64_t>(std::max<int64_t>(most->AsInt(), 0));
}

std::string TooCostly(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  char text[64];
  if (factor > 100) {
    std::snprintf(text, sizeof(text), "more than 100x");
  } else {
    // Close to the limit, one digit would not tell the two apart.
    std::snprintf(text, sizeof(text), factor < 1.5 ? "%fx" : "%.1fx", factor);
  }
  return std::string(what) + " exceeds budget by factor of " + text +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "
         "arrays, maps, and strings are declared)";
}

// A rule as Kubernetes prints its struct.
std::string Shown(const object::Value* rule) {
  std::string out = "{";
  const auto add = [&](std::string_view name, std::string_view json) {
    if (out.size() > 1) out += ',';
    (((out += '"') += name) += "\":") += json;
  };
  const auto text = [&](std::string_view field) {
    return object::EncodeJson(object::Value::String(TextOf(rule, field)));
  };
  const object::Value* optional = FieldOf(rule, "optionalOldSelf");
  add("Rule", text("rule"));
  add("Message", text("message"));
  add("MessageExpression", text("messageExpression"));
  add("Reason", FieldOf(rule, "reason") == nullptr ? "null" : text("reason"));
  add("FieldPath", text("fieldPath"));
  add("OptionalOldSelf", optional == nullptr ? "null" : optional->AsBool() ? "true" : "false");
  CutText(out, limits::kMaxCauseValueBytes);
  return out + '}';
}

}  // namespace

RuleScope RuleScope::Below(const object::Value* schema, std::string_view step,
                           std::string_view name) const {
  RuleScope out = *this;
  if (rules != nullptr) {
    out.rules = step == "items"        ? rules->items.get()
                : step == "properties" ? rules->FindProperty(name)
                                       : rules->values.get();
  }
  const std::optional<uint64_t> most = MostElements(schema);
  out.cardinality.reset();
  if (cardinality && most) out.cardinality = Product(*cardinality, *most);
  return out;
}

bool ExpressionRules::IsOverLimit() const {
  return schema_->rules() != nullptr && schema_->rules()->is_over_limit;
}

void ExpressionRules::Invalid(std::string field, std::string_view shown, std::string_view why) {
  std::string message = "Invalid value: ";
  ((message += shown) += ": ") += why;
  found_.push_back({"FieldValueInvalid", std::move(message), std::move(field)});
}

void ExpressionRules::Forbidden(std::string field, std::string why) {
  found_.push_back({"FieldValueForbidden", "Forbidden: " + std::move(why), std::move(field)});
}

void ExpressionRules::CheckCost(std::string_view what, uint64_t cost, const std::string& field) {
  if (limit_cost_ && cost > kMaxCost) {
    Forbidden(field, TooCostly("estimated " + std::string(what) + " cost", cost, kMaxCost));
  }
  if (__builtin_add_overflow(total_, cost, &total_)) total_ = UINT64_MAX;
  if (cost < kMaxTotalCost / 100) return;
  most_costly_.push_back({field, cost});
  std::ranges::stable_sort(most_costly_, std::ranges::greater(), &Costly::cost);
  if (most_costly_.size() > kNamedExpressions) most_costly_.pop_back();
}

void ExpressionRules::CheckOne(const object::Value* rule, const cel::CompiledRule& compiled,
                               const RuleScope& scope, const std::string& field) {
  const uint64_t cardinality = scope.cardinality.value_or(compiled.max_cardinality);
  CheckCost("rule", Product(compiled.max_cost, cardinality), field + ".rule");
  if (!compiled.error.empty()) Invalid(field + ".rule", Shown(rule), compiled.error);
  if (!compiled.message_error.empty()) {
    Invalid(field + ".messageExpression", Shown(rule), compiled.message_error);
  } else if (compiled.message != nullptr) {
    CheckCost("messageExpression", compiled.message_max_cost, field + ".messageExpression");
  }
  const object::Value* optional = FieldOf(rule, "optionalOldSelf");
  if (compiled.uses_old_self && scope.uncorrelated != nullptr) {
    Invalid(field + ".rule", ShownValue(TextOf(rule, "rule")).json(),
            "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
                *scope.uncorrelated);
  } else if (!compiled.uses_old_self && optional != nullptr) {
    Invalid(field + ".optionalOldSelf", optional->AsBool() ? "true" : "false",
            "may not be set if oldSelf is not used in rule");
  }
}

void ExpressionRules::Check(const object::Value* schema, const RuleScope& scope,
                            const FieldErrors& place) {
  const auto rules = ItemsOf(schema, "x-kubernetes-validations");
  if (rules.empty()) return;
  if (scope.rules == nullptr || scope.rules->rules.size() != rules.size()) {
    if (IsOverLimit()) return;
    found_.push_back({"InternalError",
                      "Internal error: internal error: failed to construct type information for "
                      "x-kubernetes-validations rules: unable to convert structural schema to CEL "
                      "declarations",
                      place.PathOf("x-kubernetes-validations")});
    return;
  }
  for (size_t i = 0; i < rules.size(); ++i) {
    // A fault that nobody is told of needs no text, but the costs still count.
    const std::string field = place.PathOf("x-kubernetes-validations[" + std::to_string(i) + "]");
    CheckOne(rules[i], scope.rules->rules[i], scope, field);
  }
}

void ExpressionRules::Report(std::string_view place, FieldErrors& errors) {
  if (IsOverLimit()) Forbidden(std::string(place), schema_->rules()->error);
  errors.Append(std::move(found_));
  found_.clear();
  if (total_ <= kMaxTotalCost) return;
  for (const Costly& costly : most_costly_) {
    Forbidden(costly.field,
              "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 "
              "schema");
  }
  Forbidden(std::string(place),
            TooCostly("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                      "schema",
                      total_, kMaxTotalCost));
  errors.Append(std::move(found_));
}

}  // namespace skiff::apiserver
