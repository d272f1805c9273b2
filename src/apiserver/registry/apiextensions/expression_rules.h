// x-kubernetes-validations of a definition: its rules compile, and cost no more than one object may
// spend, or all rules of a schema together.
//
// Whoever walks the schema asks at each of its nodes, from the inside out; faults are kept apart
// from those of the schema itself, behind which they are told.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::cel {
struct CompiledRule;
struct RuleNode;
}  // namespace skiff::cel

namespace skiff::apiserver {

// Where a node of the schema stands, as far as rules care.
struct RuleScope {
  // What is below the node at `schema`: `step` is "properties" (with a name), "items" or
  // "additionalProperties".
  RuleScope Below(const object::Value* schema, std::string_view step,
                  std::string_view name = {}) const;

  const cel::RuleNode* rules = nullptr;       // null: none at the node and below it
  std::optional<uint64_t> cardinality = 1;    // how often it can occur; nothing: without bound
  const std::string* uncorrelated = nullptr;  // the list above it whose items have no old values
};

class ExpressionRules {
 public:
  // Of the root of a schema, which has been found structural. Kubernetes 1.36 knows no
  // expression that is stored and could not be written today, so it does not matter which of them
  // are there already. `limit_cost`: each by itself, as when the schema has changed.
  ExpressionRules(std::shared_ptr<const CompiledSchema> schema, bool limit_cost)
      : schema_(std::move(schema)), limit_cost_(limit_cost) {}

  RuleScope Root() const { return {.rules = schema_->rules()}; }
  // The rules of one node, which is where `place` is.
  void Check(const object::Value* schema, const RuleScope& scope, const FieldErrors& place);
  // Tells what was found. `place` is that of the root schema.
  void Report(std::string_view place, FieldErrors& errors);

 private:
  struct Costly {
    std::string field;
    uint64_t cost;
  };
  void CheckOne(const object::Value* rule, const cel::CompiledRule& compiled,
                const RuleScope& scope, const std::string& field);
  void CheckCost(std::string_view what, uint64_t cost, const std::string& field);
  void Invalid(std::string field, std::string_view shown, std::string_view why);
  void Forbidden(std::string field, std::string why);

  // Whether there are so many rules that none was compiled.
  bool IsOverLimit() const;

  const std::shared_ptr<const CompiledSchema> schema_;
  const bool limit_cost_;
  uint64_t total_ = 0;
  std::vector<Costly> most_costly_;
  std::vector<StatusCause> found_;
};

}  // namespace skiff::apiserver
