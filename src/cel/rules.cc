#include "cel/rules.h"

#include <algorithm>
#include <utility>

#include "cel/cost_estimate.h"
#include "cel/rule_path.h"
#include "cel/values/strings.h"

namespace skiff::cel {
namespace {

constexpr uint64_t kMaxRequestBytes = 3 * 1024 * 1024;

// The environments of the rules of one node, made when they are asked for.
class RuleEnvironments {
 public:
  RuleEnvironments(std::shared_ptr<const Environment> base, const SchemaType& type)
      : plain_(std::make_shared<Environment>(std::move(base))),
        self_(DeclareType(type, "selfType", plain_->types())) {
    plain_->AddVariable("self", self_);
    plain_->AddVariable("oldSelf", self_);
  }

  std::shared_ptr<const Environment> Get(bool optional_old_self) {
    if (!optional_old_self) return plain_;
    if (optional_ == nullptr) {
      optional_ = std::make_shared<Environment>(plain_);
      optional_->AddVariable("oldSelf", optional_->types().Optional(self_));
    }
    return optional_;
  }

 private:
  std::shared_ptr<Environment> plain_;
  const Type* self_;
  std::shared_ptr<Environment> optional_;
};

void CompileMessage(const std::shared_ptr<const Environment>& environment, const SchemaSizes& sizes,
                    CompiledRule& out) {
  const CompileResult message = Compile(out.rule.message_expression, environment);
  if (!message.issues.empty()) {
    out.message_error = "messageExpression compilation failed: " + message.display;
  } else if (message.checked->type().kind != TypeKind::kString) {
    out.message_error = "messageExpression must evaluate to a string";
  } else if (message.program == nullptr) {
    out.message_error = "messageExpression instantiation failed: " + message.program_error;
  } else {
    out.message = message.program;
    out.message_max_cost = EstimateCost(*message.program, &sizes).max;
  }
}

void CompileRule(const Schema& schema, const SchemaType& type,
                 const std::shared_ptr<const Environment>& environment, CompiledRule& out) {
  const SchemaSizes sizes(type);
  const CompileResult rule = Compile(out.rule.rule, environment);
  if (!rule.issues.empty()) {
    out.error = "compilation failed: " + rule.display;
    return;
  }
  if (rule.checked->type().kind != TypeKind::kBool || rule.checked->type().wrapper) {
    out.error = "cel expression must evaluate to a bool";
    return;
  }
  const auto& variables = rule.checked->variables();
  out.uses_old_self = std::ranges::find(variables, "oldSelf") != variables.end();
  if (rule.program == nullptr) {
    out.error = "program instantiation failed: " + rule.program_error;
    return;
  }
  out.max_cost = EstimateCost(*rule.program, &sizes).max;
  out.max_cardinality = kMaxRequestBytes / (static_cast<uint64_t>(type.min_serialized) + 1);
  out.program = rule.program;
  if (!out.rule.message_expression.empty()) CompileMessage(environment, sizes, out);
  if (!out.message_error.empty()) return;
  if (!out.rule.field_path.empty()) {
    out.field_path = NormalizedFieldPath(out.rule.field_path, schema);
  }
}

class RuleCompiler {
 public:
  RuleCompiler(std::shared_ptr<const Environment> base, SchemaTypes& types)
      : base_(std::move(base)), types_(types) {}

  // `validation` has the rules, `schema` the types: they differ below allOf.
  std::unique_ptr<RuleNode> Make(const Schema& validation, const Schema& schema,
                                 const SchemaType& type) const {
    auto node = std::make_unique<RuleNode>();
    node->type = &type;
    node->schema_type = schema.type;
    if (!validation.validations.empty()) CompileAll(validation, schema, *node);
    if (validation.items != nullptr && type.read == SchemaType::Read::kList) {
      if (type.items != nullptr) node->items = Make(*validation.items, *schema.items, *type.items);
    }
    if (validation.additional_properties != nullptr && type.read == SchemaType::Read::kMap) {
      node->values =
          Make(*validation.additional_properties, *schema.additional_properties, *type.items);
    }
    for (const auto& [name, of] : validation.properties) {
      const auto typed = schema.properties.find(name);
      if (typed == schema.properties.end()) continue;
      const SchemaType* property = TypeOfProperty(typed->second, name, type);
      if (property == nullptr || !property->is_visible) continue;
      if (auto made = Make(of, typed->second, *property)) {
        node->properties.push_back({name, std::move(made)});
      }
    }
    for (const Schema& one : validation.all_of) {
      if (auto made = Make(one, schema, type)) node->all_of.push_back(std::move(made));
    }
    const bool empty = node->rules.empty() && node->error.empty() && node->items == nullptr &&
                       node->values == nullptr && node->properties.empty() && node->all_of.empty();
    if (empty) return nullptr;
    return node;
  }

 private:
  // A schema that is a map has no properties, and is refused; its rules are looked at all the same.
  const SchemaType* TypeOfProperty(const Schema& schema, std::string_view name,
                                   const SchemaType& type) const {
    if (const SchemaType::Property* property = type.FindProperty(name)) return property->type;
    if (type.read != SchemaType::Read::kMap) return nullptr;
    return types_.Declare(schema, schema.embedded_resource);
  }

  void CompileAll(const Schema& validation, const Schema& schema, RuleNode& node) const {
    if (!node.type->is_visible) {
      node.error = "failed to convert to declType for CEL validation rules";
      return;
    }
    RuleEnvironments environments(base_, *node.type);
    for (const ValidationRule& rule : validation.validations) {
      CompiledRule& compiled = node.rules.emplace_back();
      compiled.rule = rule;
      if (Trim(rule.rule).empty()) continue;
      CompileRule(schema, *node.type, environments.Get(rule.optional_old_self), compiled);
    }
  }

  std::shared_ptr<const Environment> base_;
  SchemaTypes& types_;
};

// Rules that are only below allOf do not count: Kubernetes then runs none.
bool HasRules(const Schema& schema) {
  if (!schema.validations.empty()) return true;
  if (schema.items != nullptr && HasRules(*schema.items)) return true;
  if (schema.additional_properties != nullptr && HasRules(*schema.additional_properties)) {
    return true;
  }
  return std::ranges::any_of(schema.properties,
                             [](const auto& property) { return HasRules(property.second); });
}

size_t CountRules(const Schema& schema) {
  size_t count = schema.validations.size();
  if (schema.items != nullptr) count += CountRules(*schema.items);
  if (schema.additional_properties != nullptr) count += CountRules(*schema.additional_properties);
  for (const auto& [name, property] : schema.properties) count += CountRules(property);
  for (const Schema& one : schema.all_of) count += CountRules(one);
  return count;
}

}  // namespace

const RuleNode* RuleNode::FindProperty(std::string_view name) const {
  const auto at = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return at != properties.end() && at->name == name ? at->node.get() : nullptr;
}

std::unique_ptr<const RuleNode> CompileRules(const Schema& schema, bool resource_root,
                                             std::shared_ptr<const Environment> environment) {
  if (!HasRules(schema)) return nullptr;
  auto types = std::make_unique<SchemaTypes>();
  const SchemaType& type = *types->Declare(schema, resource_root);
  std::unique_ptr<RuleNode> root;
  if (CountRules(schema) > kMaxRulesOfSchema) {
    root = std::make_unique<RuleNode>();
    root->type = &type;
    root->schema_type = schema.type;
    root->is_over_limit = true;
    root->error =
        "the schema has more than " + std::to_string(kMaxRulesOfSchema) + " validation rules";
  } else {
    root = RuleCompiler(std::move(environment), *types).Make(schema, schema, type);
  }
  if (root != nullptr) root->types = std::move(types);
  return root;
}

}  // namespace skiff::cel
