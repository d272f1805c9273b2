#include "apiserver/extensions/schema/default_validation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/extensions/schema/embedded.h"
#include "apiserver/extensions/schema/prune.h"
#include "apiserver/extensions/schema/rule_validation.h"
#include "apiserver/extensions/schema/value_faults.h"
#include "apiserver/extensions/schema/value_validator.h"
#include "cel/rule_run.h"
#include "cel/rules.h"
#include "object/equal.h"

namespace skiff::apiserver {
namespace {

class DefaultValidator {
 public:
  DefaultValidator(const CompiledSchema& schema, bool require_pruned, FieldErrors& errors)
      : schema_(schema), require_pruned_(require_pruned), errors_(errors) {}

  // The way from the resource that a schema belongs to: names of fields, and "" for items.
  using Way = std::vector<std::string_view>;

  // `rules` of the node, if there are any.
  void Validate(const SchemaNode& node, const SchemaNode& resource, const Way& way,
                bool is_in_metadata, const cel::RuleNode* rules) {
    if (!node.is(SchemaNode::kDefaults) || budget_ < 0) return;
    if (node.is(SchemaNode::kEmbedded) && &node != &resource)
      return Validate(node, node, {}, false, rules);
    if (node.default_value != nullptr) {
      const auto at = errors_.At("default");
      if (!is_in_metadata || ResultsInMetadata(node, resource, way)) {
        ValidateDefault(node, &node == &resource, is_in_metadata, rules);
      }
    }
    if (node.items != nullptr) {
      const auto at = errors_.At("items");
      Validate(*node.items, resource, Extended(way, ""), is_in_metadata,
               rules != nullptr ? rules->items.get() : nullptr);
    }
    for (const SchemaProperty& property : node.properties) {
      const std::string_view name = property.name;
      const bool is_metadata =
          &node == &resource && (name == "metadata" || name == "apiVersion" || name == "kind");
      const auto at = errors_.AtKey("properties", name);
      Validate(*property.schema, resource, Extended(way, name), is_in_metadata || is_metadata,
               rules != nullptr ? rules->FindProperty(name) : nullptr);
    }
  }

 private:
  static Way Extended(Way way, std::string_view step) {
    way.push_back(step);
    return way;
  }

  void ValidateDefault(const SchemaNode& node, bool is_resource, bool is_in_metadata,
                       const cel::RuleNode* rules) {
    const object::Value& value = *node.default_value;
    if (!is_in_metadata) {
      Arena arena;
      if (require_pruned_) {
        object::Value pruned = value.CopyInto(arena);
        PruneUnknownFields(node, is_resource, pruned, arena, nullptr);
        if (!object::Identical(pruned, value)) {
          errors_.Invalid("", ShownValue(value), "must not have unknown fields");
        }
      }
      object::Value coerced = value.CopyInto(arena);
      const Result<void> result = CoerceEmbedded(node, is_resource, coerced, arena, {});
      if (!result) return ReportCause(result.error());
      const size_t before = errors_.size();
      ValidateEmbedded(node, is_resource, coerced, errors_);
      if (errors_.size() != before) return;
    }
    const size_t before = errors_.size();
    ValidateValue(schema_, node, value, nullptr, errors_.PathOf(""), errors_);
    if (errors_.size() == before && rules != nullptr) EvaluateRulesOf(value, *rules);
  }

  // A default may be what an object had already, or what it gets: rules hold of both.
  void EvaluateRulesOf(const object::Value& value, const cel::RuleNode& rules) {
    const size_t before = errors_.size();
    const auto evaluate = [&](const object::Value* old) {
      return EvaluateRulesAt(rules, {.object = value, .old_object = old, .budget = budget_},
                             nullptr, errors_);
    };
    int64_t left = evaluate(&value);
    if (errors_.size() == before) left = std::min(left, evaluate(nullptr));
    budget_ = left;
  }

  void ReportCause(const Status& status) {
    std::vector<StatusCause> causes = status.causes();
    for (StatusCause& cause : causes) cause.field = errors_.PathOf(cause.field);
    errors_.Append(std::move(causes));
  }

  // A default inside metadata, in a resource that has nothing else.
  bool ResultsInMetadata(const SchemaNode& node, const SchemaNode& resource, const Way& way) {
    Arena arena;
    object::Value value = node.default_value->CopyInto(arena);
    for (size_t i = way.size(); i-- > 0;) {
      object::Value around =
          way[i].empty() ? object::Value::EmptyList() : object::Value::EmptyMap();
      if (way[i].empty()) {
        around.Append(arena, value);
      } else {
        around.SetEntry(arena, way[i], value);
      }
      value = around;
    }
    for (const auto& [name, text] :
         {std::pair<std::string_view, std::string_view>{"kind", "Validation"},
          {"apiVersion", "validation/v1"}}) {
      if (value.Find(name) == nullptr) value.SetEntry(arena, name, object::Value::String(text));
    }
    std::string problem;
    const Result<void> result = CoerceEmbedded(resource, true, value, arena, {});
    if (!result) problem = result.error().message();
    FieldErrors found(errors_.settings());
    if (result) ValidateEmbedded(resource, true, value, found);
    for (const StatusCause& cause : found.causes()) {
      if (!problem.empty()) problem += ", ";
      problem += cause.field + ": " + cause.message;
    }
    if (problem.empty()) return true;
    if (found.size() > 1) problem = "[" + problem + "]";
    errors_.Invalid("", ShownValue(*node.default_value),
                    "must result in valid metadata: " + problem);
    return false;
  }

  const CompiledSchema& schema_;
  const bool require_pruned_;
  FieldErrors& errors_;
  int64_t budget_ = cel::kRuleBudget;  // of all defaults together
};

}  // namespace

void ValidateDefaultsOf(const CompiledSchema& schema, bool require_pruned, FieldErrors& errors) {
  DefaultValidator(schema, require_pruned, errors)
      .Validate(schema.root(), schema.root(), {}, false, schema.rules());
}

}  // namespace skiff::apiserver
