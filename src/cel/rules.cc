#include "cel/rules.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "cel/cost_estimate.h"
#include "cel/evaluation.h"
#include "cel/rule_path.h"
#include "cel/schema_values.h"
#include "cel/values/escape.h"
#include "cel/values/strings.h"

namespace skiff::cel {
namespace {

constexpr uint64_t kMaxRequestBytes = 3 * 1024 * 1024;

class RuleCompiler {
 public:
  explicit RuleCompiler(std::shared_ptr<const Environment> base) : base_(std::move(base)) {}

  // `validation` has the rules, `schema` the types: they differ below allOf.
  std::unique_ptr<RuleNode> Make(const Schema& validation, const Schema& schema, bool root) {
    auto node = std::make_unique<RuleNode>();
    node->schema_type = schema.type;
    node->correlates_items = schema.list_type == "map";
    node->list_keys = schema.list_map_keys;
    node->atomic_map = schema.map_type == "atomic";
    // The environments own the types; that of each node has its own.
    auto environment = std::make_shared<Environment>(base_);
    auto schema_types = std::make_shared<SchemaTypes>();
    node->type = schema_types->Declare(schema, root, "selfType", environment->types());
    node->schema_types = schema_types;
    if (!validation.validations.empty()) Compile(validation, schema, *node, environment);
    if (validation.items != nullptr && schema.items != nullptr) {
      node->items = Make(*validation.items, *schema.items, schema.items->embedded_resource);
    }
    MakeProperties(validation, schema, *node);
    for (const Schema& one : validation.all_of) {
      if (auto made = Make(one, schema, root)) node->all_of.push_back(std::move(made));
    }
    const bool empty = node->rules.empty() && node->error.empty() && node->items == nullptr &&
                       node->values == nullptr && node->properties.empty() && node->all_of.empty();
    if (empty) return nullptr;
    return node;
  }

 private:
  void MakeProperties(const Schema& validation, const Schema& schema, RuleNode& node) {
    for (const auto& [name, of] : validation.properties) {
      const auto typed = schema.properties.find(name);
      if (typed == schema.properties.end()) continue;
      const auto property = node.type->properties.find(name);
      const bool visible =
          property != node.type->properties.end() && property->second.type->type != nullptr;
      if (!visible && EscapeName(name)) continue;
      if (auto made = Make(of, typed->second, typed->second.embedded_resource)) {
        node.properties.emplace(name, std::move(made));
      }
    }
    if (validation.additional_properties != nullptr && schema.additional_properties != nullptr) {
      node.values = Make(*validation.additional_properties, *schema.additional_properties,
                         schema.additional_properties->embedded_resource);
    }
  }

  void Compile(const Schema& validation, const Schema& schema, RuleNode& node,
               const std::shared_ptr<Environment>& plain) {
    if (node.type->type == nullptr) {
      node.error = "failed to convert to declType for CEL validation rules";
      return;
    }
    plain->AddVariable("self", node.type->type);
    const auto optional = std::make_shared<Environment>(plain);
    optional->AddVariable("oldSelf", optional->types().Optional(node.type->type));
    plain->AddVariable("oldSelf", node.type->type);
    for (const ValidationRule& rule : validation.validations) {
      CompiledRule& compiled = node.rules.emplace_back();
      compiled.rule = rule;
      CompileRule(schema, *node.type, rule.optional_old_self ? optional : plain, compiled);
    }
  }

  static void CompileRule(const Schema& schema, const SchemaType& type,
                          const std::shared_ptr<const Environment>& environment,
                          CompiledRule& out) {
    if (Trim(out.rule.rule).empty()) return;
    const SchemaSizes sizes(type);
    const CompileResult rule = cel::Compile(out.rule.rule, environment);
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

  static void CompileMessage(const std::shared_ptr<const Environment>& environment,
                             const SchemaSizes& sizes, CompiledRule& out) {
    const CompileResult message = cel::Compile(out.rule.message_expression, environment);
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

  std::shared_ptr<const Environment> base_;
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

// What an old value corresponds to a new one.
struct Correlated {
  const object::Value* now;
  const object::Value* old;
};
// Whether a fault of the value at hand is one that was there before.
struct Ratchet {
  std::optional<Correlated> current;
  std::optional<Correlated> parent;

  bool HoldsBack() const {
    const std::optional<Correlated>& nearest = current ? current : parent;
    return nearest && object::DeepEqual(*nearest->now, *nearest->old);
  }
};

class RuleRunner {
 public:
  explicit RuleRunner(const RuleInput& input) : remaining_(input.budget) {}

  RuleOutcome Run(const RuleNode& rules, const RuleInput& input) {
    Ratchet ratchet;
    if (input.ratcheting && input.old_object != nullptr) {
      ratchet.current = {&input.object, input.old_object};
    }
    Visit(rules, input.root, input.object, input.old_object, ratchet);
    outcome_.remaining = remaining_;
    return std::move(outcome_);
  }

 private:
  void Add(std::string type, const std::string& field, std::string detail,
           const object::Value* value = nullptr) {
    outcome_.faults.push_back({std::move(type), field, std::move(detail), value});
  }
  void Invalid(const std::string& field, std::string detail) {
    Add("FieldValueInvalid", field, std::move(detail));
  }
  void OutOfBudget(const std::string& field) {
    Invalid(field,
            "validation failed due to running out of cost budget, no further validation rules will "
            "be run");
    remaining_ = -1;
  }

  void Visit(const RuleNode& node, const std::string& field, const object::Value& object,
             const object::Value* old_object, const Ratchet& ratchet) {
    if (object.is_null()) return;
    if (old_object != nullptr && old_object->is_null()) old_object = nullptr;
    Expressions(node, field, object, old_object, ratchet);
    for (const auto& one : node.all_of) {
      if (remaining_ < 0) return;
      Visit(*one, field, object, old_object, Ratchet{{}, ratchet.parent});
    }
    if (remaining_ < 0) return;
    if (object.is_list()) Items(node, field, object, old_object, ratchet);
    if (object.is_map() || object.is_object()) Members(node, field, object, old_object, ratchet);
  }

  void Items(const RuleNode& node, const std::string& field, const object::Value& list,
             const object::Value* old, const Ratchet& ratchet) {
    if (node.items == nullptr) return;
    const OldItems old_items = ItemsByKeys(node, old);
    const OldItems ratchet_items =
        ItemsByKeys(node, ratchet.current ? ratchet.current->old : nullptr);
    const auto find = [&](const OldItems& items,
                          const object::Value& item) -> const object::Value* {
      const auto found = items.empty() ? items.end() : items.find(KeysOf(node, item));
      return found == items.end() ? nullptr : found->second;
    };
    for (size_t i = 0; i < list.size() && remaining_ >= 0; ++i) {
      const object::Value& item = list.items()[i];
      Ratchet below = ratchet;
      if (ratchet.current) {
        below.parent = ratchet.current;
        below.current.reset();
        if (const object::Value* same = find(ratchet_items, item)) below.current = {&item, same};
      }
      Visit(*node.items, field + "[" + std::to_string(i) + "]", item, find(old_items, item), below);
    }
  }

  // Items of an old list by their keys; none if the list has no keys.
  using OldItems = std::unordered_map<std::string, const object::Value*>;
  static OldItems ItemsByKeys(const RuleNode& node, const object::Value* old) {
    OldItems items;
    if (!node.correlates_items || old == nullptr || !old->is_list()) return items;
    for (const object::Value& item : old->items()) items.emplace(KeysOf(node, item), &item);
    return items;
  }
  static std::string KeysOf(const RuleNode& node, const object::Value& item) {
    std::string out;
    for (const std::string& key : node.list_keys) {
      const object::Value* value = item.is_map() || item.is_object() ? item.Find(key) : nullptr;
      std::string text;
      if (value != nullptr) {
        switch (value->tag()) {
          case object::Tag::kString:
            text = "s" + std::string(value->AsText());
            break;
          case object::Tag::kInt:
            text = "i" + std::to_string(value->AsInt());
            break;
          case object::Tag::kBool:
            text = value->AsBool() ? "t" : "f";
            break;
          case object::Tag::kDouble:
            text = "d" + std::to_string(value->AsDouble());
            break;
          default:
            text = "?";
            break;  // Keys are scalars.
        }
      }
      out += std::to_string(text.size()) + ":" + text;
    }
    return out;
  }

  void Members(const RuleNode& node, const std::string& field, const object::Value& object,
               const object::Value* old, const Ratchet& ratchet) {
    const auto visit = [&](const RuleNode& below, std::string_view name, const object::Value& value,
                           const std::string& path) {
      const object::Value* old_value =
          old != nullptr && (old->is_map() || old->is_object()) ? old->Find(name) : nullptr;
      Visit(below, path, value, old_value, Below(node, ratchet, name, value));
    };
    for (size_t i = 0; i < object.size() && remaining_ >= 0; ++i) {
      const bool map = object.is_map();
      const object::Value& value = map ? object.entries()[i].value : object.members()[i];
      const std::string name(map ? object.entries()[i].key
                                 : value.field_desc(*object.type()).name());
      if (node.values != nullptr) visit(*node.values, name, value, field + "[" + name + "]");
      const auto property = node.properties.find(name);
      if (property != node.properties.end() && remaining_ >= 0) {
        visit(*property->second, name, value, field + "." + name);
      }
    }
  }
  static Ratchet Below(const RuleNode& node, const Ratchet& ratchet, std::string_view name,
                       const object::Value& value) {
    if (!ratchet.current) return ratchet;
    if (!ratchet.parent && (name == "apiVersion" || name == "kind")) return {};
    Ratchet below{{}, ratchet.current};
    const object::Value& old = *ratchet.current->old;
    if (!node.atomic_map && (old.is_map() || old.is_object())) {
      if (const object::Value* same = old.Find(name)) below.current = {&value, same};
    }
    return below;
  }

  // ---- The rules of one node.

  void Expressions(const RuleNode& node, const std::string& field, const object::Value& object,
                   const object::Value* old_object, const Ratchet& ratchet) {
    if (!node.error.empty()) {
      return Invalid(field, "rule compiler initialization error: " + node.error);
    }
    if (node.rules.empty()) return;
    if (remaining_ <= 0) return OutOfBudget(field);
    for (const CompiledRule& rule : node.rules) {
      if (remaining_ < 0) return;
      if (!rule.error.empty()) {
        Invalid(field, "rule compile error: " + rule.error);
        continue;
      }
      if (rule.program == nullptr) continue;
      if (rule.uses_old_self && old_object == nullptr && !rule.rule.optional_old_self) continue;
      Evaluate(node, rule, field, object, old_object, ratchet);
    }
  }

  // Values of self and oldSelf, by the slots of a program.
  std::vector<Val> Variables(const RuleNode& node, const Program& program,
                             const object::Value& object, const object::Value* old_object,
                             bool optional) {
    std::vector<Val> values;
    for (const std::string& name : program.variables()) {
      if (name == "self") {
        values.push_back(ReadBySchema(evaluation_.arena(), object, *node.type));
        continue;
      }
      Val old;
      if (old_object != nullptr) old = ReadBySchema(evaluation_.arena(), *old_object, *node.type);
      if (optional) {
        old =
            old_object == nullptr ? Val::OptionalNone() : Val::OptionalOf(evaluation_.arena(), old);
      }
      values.push_back(old);
    }
    return values;
  }

  static std::string Shown(const ValidationRule& rule) {
    return std::string(Trim(rule.message.empty() ? rule.rule : rule.message));
  }

  void Evaluate(const RuleNode& node, const CompiledRule& rule, const std::string& field,
                const object::Value& object, const object::Value* old_object,
                const Ratchet& ratchet) {
    evaluation_.Reset();
    const Val result = evaluation_.Run(
        *rule.program,
        Variables(node, *rule.program, object, old_object, rule.rule.optional_old_self));
    if (evaluation_.cost() > static_cast<uint64_t>(remaining_)) return OutOfBudget(field);
    remaining_ -= static_cast<int64_t>(evaluation_.cost());
    if (result.is_true()) return;
    if (result.is_error()) return Failed(rule, field, result.AsText());
    std::string where = field;
    if (!rule.field_path.empty()) where += "." + rule.field_path;
    const bool held_back = !rule.uses_old_self && ratchet.HoldsBack();
    std::string detail;
    if (!Message(node, rule, object, old_object, where, held_back, detail)) return;
    if (detail.empty()) {
      detail = rule.rule.message.empty() ? "failed rule: " + Shown(rule.rule) : Shown(rule.rule);
    }
    const bool composite = node.schema_type == "object" || node.schema_type == "array";
    RuleFault fault{"FieldValueInvalid", where, detail, composite ? nullptr : &object};
    if (!rule.rule.reason.empty()) fault.type = rule.rule.reason;
    if (fault.type == "FieldValueDuplicate") fault.detail.clear();
    (held_back ? outcome_.warnings : outcome_.faults).push_back(std::move(fault));
  }

  void Failed(const CompiledRule& rule, const std::string& field, std::string_view error) {
    const std::string text(error);
    if (text.starts_with("no such overload")) {
      Invalid(field, "'" + text +
                         "': call arguments did not match a supported operator, function or macro "
                         "signature for rule: " +
                         Shown(rule.rule));
    } else if (text.starts_with("operation cancelled: actual cost limit exceeded")) {
      Invalid(field, "'" + text +
                         "': no further validation rules will be run due to call cost exceeds "
                         "limit for rule: " +
                         Shown(rule.rule));
      remaining_ = -1;
    } else {
      Invalid(field, text + " evaluating rule: " + Shown(rule.rule));
    }
  }

  // The message that an expression makes, or nothing if it fails; false: nothing more is run.
  bool Message(const RuleNode& node, const CompiledRule& rule, const object::Value& object,
               const object::Value* old_object, const std::string& where, bool held_back,
               std::string& detail) {
    if (rule.message == nullptr) return true;
    evaluation_.Reset();
    const Val result =
        evaluation_.Run(*rule.message, Variables(node, *rule.message, object, old_object, false));
    std::string fatal;
    if (evaluation_.cost() > static_cast<uint64_t>(remaining_)) {
      fatal =
          "messageExpression evaluation failed due to running out of cost budget, no further "
          "validation rules will be run";
    } else if (evaluation_.out_of_budget()) {
      fatal =
          "no further validation rules will be run due to call cost exceeds limit for "
          "messageExpression: " +
          Quote(rule.rule.message_expression);
    }
    if (!fatal.empty()) {
      (held_back ? outcome_.warnings : outcome_.faults)
          .push_back({"FieldValueInvalid", where, fatal, nullptr});
      remaining_ = -1;
      return false;
    }
    remaining_ -= static_cast<int64_t>(evaluation_.cost());
    constexpr size_t kMaxMessageBytes = 5 * 1024;
    if (!result.is_string()) return true;
    const std::string_view text = Trim(result.AsText());
    if (text.size() <= kMaxMessageBytes && text.find('\n') == std::string_view::npos) {
      detail = text;
    }
    return true;
  }

  int64_t remaining_;
  RuleOutcome outcome_;
  Evaluation evaluation_;
};

}  // namespace

std::unique_ptr<RuleNode> CompileRules(const Schema& schema, bool resource_root,
                                       std::shared_ptr<const Environment> environment) {
  if (!HasRules(schema)) return nullptr;
  return RuleCompiler(std::move(environment)).Make(schema, schema, resource_root);
}

RuleOutcome RunRules(const RuleNode& rules, const RuleInput& input) {
  return RuleRunner(input).Run(rules, input);
}

}  // namespace skiff::cel
