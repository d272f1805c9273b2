#include "cel/rule_run.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cel/evaluation.h"
#include "cel/schema_values.h"
#include "cel/values/strings.h"
#include "object/equal.h"

namespace skiff::cel {
namespace {

// The longest message that an expression may make.
constexpr size_t kMaxMessageBytes = 5 * 1024;

bool HasMembers(const object::Value& value) { return value.is_map() || value.is_object(); }

// Where a value stands. Its text is made when there is a fault.
struct Place {
  enum class Kind : uint8_t { kRoot, kField, kKey, kIndex };

  std::string Text() const {
    if (parent == nullptr) return std::string(name);
    std::string out = parent->Text();
    switch (kind) {
      case Kind::kRoot:
        break;
      case Kind::kField:
        if (!out.empty()) out += '.';
        out += name;
        break;
      case Kind::kKey:
        ((out += '[') += name) += ']';
        break;
      case Kind::kIndex:
        ((out += '[') += std::to_string(index)) += ']';
        break;
    }
    return out;
  }

  const Place* parent = nullptr;
  Kind kind = Kind::kRoot;
  std::string_view name = {};
  size_t index = 0;
};

// Items of an old list by their keys; none if the list has no keys.
class OldItems {
 public:
  OldItems(const SchemaType& list, const object::Value* old) : list_(list) {
    const bool has_keys = list.list_type == SchemaType::ListType::kMap && old != nullptr &&
                          old->is_list() && !list.list_keys.empty();
    if (!has_keys) return;
    items_.reserve(old->size());
    for (const object::Value& item : old->items()) items_.emplace(KeysOf(item), &item);
  }
  const object::Value* Find(const object::Value& item) const {
    if (items_.empty()) return nullptr;
    const auto found = items_.find(KeysOf(item));
    return found == items_.end() ? nullptr : found->second;
  }

 private:
  std::string KeysOf(const object::Value& item) const {
    std::string out;
    for (const std::string_view key : list_.list_keys) {
      const object::Value* value = HasMembers(item) ? item.Find(key) : nullptr;
      const std::string text = value == nullptr ? std::string() : KeyText(*value);
      ((out += std::to_string(text.size())) += ':') += text;
    }
    return out;
  }
  static std::string KeyText(const object::Value& value) {
    switch (value.tag()) {
      case object::Tag::kString:
        return "s" + std::string(value.AsText());
      case object::Tag::kInt:
        return "i" + std::to_string(value.AsInt());
      case object::Tag::kBool:
        return value.AsBool() ? "t" : "f";
      case object::Tag::kDouble:
        return "d" + std::to_string(value.AsDouble());
      default:
        return "?";  // Keys are scalars.
    }
  }

  const SchemaType& list_;
  std::unordered_map<std::string, const object::Value*> items_;
};

// The schema of a field as the definition has it; null: it has none, and so the field corresponds
// to nothing.
const SchemaType* DescribedField(const SchemaType& schema, std::string_view name) {
  if (const SchemaType::Property* property = schema.FindProperty(name)) {
    return property->is_added ? nullptr : property->type;
  }
  return schema.read == SchemaType::Read::kMap ? schema.items : nullptr;
}

bool IsUnchanged(const SchemaType& schema, const object::Value& now, const object::Value& old);

// Metadata, when it is typed.
bool IsUnchangedMessage(const SchemaType& schema, const object::Value& now,
                        const object::Value& old) {
  return now.type() == old.type() &&
         std::ranges::equal(now.members(), old.members(), [&](const auto& a, const auto& b) {
           const SchemaType* field = a.field() == b.field()
                                         ? DescribedField(schema, a.field_desc(*now.type()).name())
                                         : nullptr;
           return field != nullptr && IsUnchanged(*field, a, b);
         });
}

bool IsUnchanged(const SchemaType& schema, const object::Value& now, const object::Value& old) {
  if (now.tag() != old.tag()) return false;
  if (now.is_list()) {
    if (now.size() != old.size()) return false;
    if (schema.list_type != SchemaType::ListType::kMap) return object::Identical(now, old);
    const OldItems items(schema, &old);
    return std::ranges::all_of(now.items(), [&](const object::Value& item) {
      const object::Value* before = items.Find(item);
      return before != nullptr && schema.items != nullptr &&
             IsUnchanged(*schema.items, item, *before);
    });
  }
  if (now.is_object()) return IsUnchangedMessage(schema, now, old);
  if (!now.is_map()) return object::Identical(now, old);
  // Keys of maps ascend, so the same ones stand side by side.
  return now.size() == old.size() &&
         std::ranges::equal(now.entries(), old.entries(), [&](const auto& a, const auto& b) {
           const SchemaType* field = a.key == b.key ? DescribedField(schema, a.key) : nullptr;
           return field != nullptr && IsUnchanged(*field, a.value, b.value);
         });
}

// A value, and what it corresponds to in the old object.
struct Correlated {
  bool IsSame() {
    if (!same) same = IsUnchanged(*type, *now, *old);
    return *same;
  }

  const SchemaType* type;
  const object::Value* now;
  const object::Value* old;
  std::optional<bool> same = {};
};
// Whether a fault of the value at hand is one that was there before.
struct Ratchet {
  bool HoldsBack() const {
    Correlated* const nearest = current != nullptr ? current : parent;
    return nearest != nullptr && nearest->IsSame();
  }

  Correlated* current = nullptr;
  Correlated* parent = nullptr;
};

// A value and its old one, if there is one.
struct Pair {
  const object::Value& now;
  const object::Value* old;
};

std::string Shown(const ValidationRule& rule) {
  return std::string(Trim(rule.message.empty() ? rule.rule : rule.message));
}

class RuleRunner {
 public:
  explicit RuleRunner(const RuleInput& input)
      : remaining_(input.budget), interrupt_(input.interrupt) {
    evaluation_.SetInterrupt(interrupt_);
  }

  RuleOutcome Run(const RuleNode& rules, const RuleInput& input) {
    Ratchet ratchet;
    Correlated whole{rules.type, &input.object, input.old_object};
    if (input.ratcheting && input.old_object != nullptr) ratchet.current = &whole;
    const Place root{.name = input.root};
    Visit(rules, root, {input.object, input.old_object}, ratchet);
    outcome_.remaining = remaining_;
    return std::move(outcome_);
  }

 private:
  // Whether there is room for another fault, or else it is counted.
  bool Takes(const std::vector<RuleFault>& out) {
    if (out.size() < kMaxRuleFaults) return true;
    if (&out == &outcome_.faults) ++outcome_.left_out;
    return false;
  }
  // A fault that is about rules, not about the value.
  void Invalid(const RuleNode& node, const Place& place, std::string detail) {
    if (!Takes(outcome_.faults)) return;
    outcome_.faults.push_back({.type = "FieldValueInvalid",
                               .field = place.Text(),
                               .detail = std::move(detail),
                               .shows = RuleFault::Shows::kSchemaType,
                               .schema_type = node.schema_type});
  }
  void OutOfBudget(const RuleNode& node, const Place& place) {
    Invalid(node, place,
            "validation failed due to running out of cost budget, no further validation rules will "
            "be run");
    remaining_ = -1;
  }

  void Visit(const RuleNode& node, const Place& place, Pair value, const Ratchet& ratchet) {
    if (value.now.is_null()) return;
    if (value.old != nullptr && value.old->is_null()) value.old = nullptr;
    Expressions(node, place, value, ratchet);
    for (const auto& one : node.all_of) {
      if (remaining_ < 0) return;
      Visit(*one, place, value, {nullptr, ratchet.parent});
    }
    if (remaining_ < 0) return;
    if (value.now.is_list() && node.items != nullptr) Items(node, place, value, ratchet);
    if (HasMembers(value.now)) Members(node, place, value, ratchet);
  }

  void Items(const RuleNode& node, const Place& place, const Pair& list, const Ratchet& ratchet) {
    const OldItems old_items(*node.type, list.old);
    const object::Value* held = ratchet.current != nullptr ? ratchet.current->old : nullptr;
    std::optional<OldItems> other_items;
    if (held != list.old) other_items.emplace(*node.type, held);
    const OldItems& held_items = other_items ? *other_items : old_items;
    for (size_t i = 0; i < list.now.size() && remaining_ >= 0; ++i) {
      const object::Value& item = list.now.items()[i];
      Ratchet below = ratchet;
      Correlated correlated{node.items->type, &item, nullptr};
      if (ratchet.current != nullptr) {
        correlated.old = held_items.Find(item);
        below = {correlated.old != nullptr ? &correlated : nullptr, ratchet.current};
      }
      const Place at{.parent = &place, .kind = Place::Kind::kIndex, .index = i};
      Visit(*node.items, at, {item, old_items.Find(item)}, below);
    }
  }

  void Members(const RuleNode& node, const Place& place, const Pair& object,
               const Ratchet& ratchet) {
    if (node.values != nullptr) {
      for (size_t i = 0; i < object.now.size() && remaining_ >= 0; ++i) {
        const bool is_map = object.now.is_map();
        const object::Value& value =
            is_map ? object.now.entries()[i].value : object.now.members()[i];
        const std::string_view name =
            is_map ? object.now.entries()[i].key : value.field_desc(*object.now.type()).name();
        Member(*node.values, {&place, Place::Kind::kKey, name}, object, value, ratchet);
      }
    }
    for (const RuleNode::Property& property : node.properties) {
      if (remaining_ < 0) return;
      const object::Value* value = object.now.Find(property.name);
      if (value == nullptr) continue;
      Member(*property.node, {&place, Place::Kind::kField, property.name}, object, *value, ratchet);
    }
  }

  void Member(const RuleNode& node, const Place& place, const Pair& object,
              const object::Value& value, const Ratchet& ratchet) {
    const auto old_of = [&](const object::Value* old) {
      return old != nullptr && HasMembers(*old) ? old->Find(place.name) : nullptr;
    };
    Ratchet below = ratchet;
    Correlated correlated{node.type, &value, nullptr};
    // Both objects were converted to the version at hand, so these two never tell of a change.
    const bool is_version =
        ratchet.parent == nullptr && (place.name == "apiVersion" || place.name == "kind");
    if (ratchet.current != nullptr && is_version) {
      below = {};
    } else if (ratchet.current != nullptr) {
      correlated.old = old_of(ratchet.current->old);
      below = {correlated.old != nullptr ? &correlated : nullptr, ratchet.current};
    }
    Visit(node, place, {value, old_of(object.old)}, below);
  }

  // ---- The rules of one node.

  void Expressions(const RuleNode& node, const Place& place, const Pair& value,
                   const Ratchet& ratchet) {
    if (!node.error.empty()) {
      return Invalid(node, place, "rule compiler initialization error: " + node.error);
    }
    if (node.rules.empty()) return;
    if (remaining_ <= 0) return OutOfBudget(node, place);
    for (const CompiledRule& rule : node.rules) {
      if (remaining_ < 0) return;
      if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) {
        Invalid(node, place, "operation interrupted evaluating rule: " + Shown(rule.rule));
        remaining_ = -1;
        return;
      }
      if (!rule.error.empty()) {
        Invalid(node, place, "rule compile error: " + rule.error);
        continue;
      }
      if (rule.program == nullptr) continue;
      if (rule.uses_old_self && value.old == nullptr && !rule.rule.optional_old_self) continue;
      Evaluate(node, rule, place, value, ratchet);
    }
  }

  Val Run(const RuleNode& node, const Program& program, const Pair& value, bool optional) {
    evaluation_.Reset();
    Arena& arena = evaluation_.arena();
    std::array<Val, 2> values;
    size_t count = 0;
    for (const std::string& name : program.variables()) {
      Val& variable = values[count++];
      if (name == "self") {
        variable = ReadBySchema(arena, value.now, *node.type);
        continue;
      }
      if (value.old != nullptr) variable = ReadBySchema(arena, *value.old, *node.type);
      if (optional) {
        variable = value.old == nullptr ? Val::OptionalNone() : Val::OptionalOf(arena, variable);
      }
    }
    return evaluation_.Run(program, std::span(values).first(count));
  }

  void Evaluate(const RuleNode& node, const CompiledRule& rule, const Place& place,
                const Pair& value, const Ratchet& ratchet) {
    const Val result = Run(node, *rule.program, value, rule.rule.optional_old_self);
    if (evaluation_.cost() > static_cast<uint64_t>(remaining_)) return OutOfBudget(node, place);
    remaining_ -= static_cast<int64_t>(evaluation_.cost());
    if (result.is_true()) [[likely]]
      return;
    if (result.is_error()) return Failed(node, rule, place, result.AsText());
    const bool held_back = !rule.uses_old_self && ratchet.HoldsBack();
    std::vector<RuleFault>& out = held_back ? outcome_.warnings : outcome_.faults;
    if (!Takes(out)) return;
    std::string where = place.Text();
    if (!rule.field_path.empty()) {
      if (!where.empty()) where += '.';
      where += rule.field_path;
    }
    std::string detail;
    if (!Message(node, rule, value, where, out, detail)) return;
    if (detail.empty()) {
      detail = rule.rule.message.empty() ? "failed rule: " + Shown(rule.rule) : Shown(rule.rule);
    }
    const bool is_composite = node.schema_type == "object" || node.schema_type == "array";
    RuleFault fault{"FieldValueInvalid", where, detail};
    if (!is_composite) {
      fault.shows = RuleFault::Shows::kValue;
      fault.value = &value.now;
    }
    if (!rule.rule.reason.empty()) fault.type = rule.rule.reason;
    if (fault.type == "FieldValueDuplicate") fault.detail.clear();
    out.push_back(std::move(fault));
  }

  void Failed(const RuleNode& node, const CompiledRule& rule, const Place& place,
              std::string_view error) {
    const std::string text(error);
    if (text.starts_with("no such overload")) {
      Invalid(node, place,
              "'" + text +
                  "': call arguments did not match a supported operator, function or macro "
                  "signature for rule: " +
                  Shown(rule.rule));
    } else if (text.starts_with("operation cancelled: actual cost limit exceeded")) {
      Invalid(node, place,
              "'" + text +
                  "': no further validation rules will be run due to call cost exceeds limit for "
                  "rule: " +
                  Shown(rule.rule));
      remaining_ = -1;
    } else {
      Invalid(node, place, text + " evaluating rule: " + Shown(rule.rule));
    }
  }

  // The message that an expression makes, or nothing if it fails; false: nothing more is run.
  bool Message(const RuleNode& node, const CompiledRule& rule, const Pair& value,
               const std::string& where, std::vector<RuleFault>& out, std::string& detail) {
    if (rule.message == nullptr) return true;
    const Val result = Run(node, *rule.message, value, false);
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
      out.push_back({.type = "FieldValueInvalid",
                     .field = where,
                     .detail = fatal,
                     .shows = RuleFault::Shows::kSchemaType,
                     .schema_type = node.schema_type});
      remaining_ = -1;
      return false;
    }
    remaining_ -= static_cast<int64_t>(evaluation_.cost());
    if (!result.is_string()) return true;
    const std::string_view text = Trim(result.AsText());
    if (text.size() <= kMaxMessageBytes && text.find('\n') == std::string_view::npos) {
      detail = text;
    }
    return true;
  }

  int64_t remaining_;
  const std::atomic<bool>* interrupt_;
  RuleOutcome outcome_;
  Evaluation evaluation_;
};

}  // namespace

RuleOutcome RunRules(const RuleNode& rules, const RuleInput& input) {
  return RuleRunner(input).Run(rules, input);
}

}  // namespace skiff::cel
