#include "apiserver/defaults/wire_checks.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "apiserver/defaults/apply_plan.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMaxRequired = 64;

bool IsPlainScalar(object::FieldType type) {
  return type == object::FieldType::kString || type == object::FieldType::kBytes ||
         (type >= object::FieldType::kBool && type <= object::FieldType::kUint64);
}

// The value of a map's entry.
std::optional<std::string_view> EntryValue(std::string_view entry) {
  constexpr uint32_t kValueKey = object::WireKey(2, object::WireType::kBytes);
  std::string_view value;
  for (object::WireReader in(entry); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return std::nullopt;
    const object::WireError error = key == kValueKey ? in.ReadBytes(&value) : in.Skip(key);
    if (error != object::WireError::kNone) return std::nullopt;
  }
  return value;
}

// An entry of a map of quantities, {1 key, 2 value {1 text}}, whose amount has no parts smaller
// than a thousandth.
bool IsCoarseAmount(std::string_view entry) {
  const std::optional<std::string_view> quantity = EntryValue(entry);
  if (!quantity) return false;
  constexpr uint32_t kTextKey = object::WireKey(1, object::WireType::kBytes);
  std::string_view text;
  for (object::WireReader in(*quantity); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return false;
    const object::WireError error = key == kTextKey ? in.ReadBytes(&text) : in.Skip(key);
    if (error != object::WireError::kNone) return false;
  }
  return !MayBeFineAmount(text);
}

}  // namespace

class WireChecks::Compiler {
 public:
  Compiler(const Plans& plans, WireChecks& out) : plans_(plans), out_(out) {}

  Result<void> Run() {
    for (const auto& [type, plan] : plans_) {
      if (type->in_protobuf) out_.by_type_.emplace(type, New());
    }
    for (const auto& [type, plan] : plans_) {
      if (!type->in_protobuf) continue;
      Fill(*plan, *type, 0, *out_.by_type_.at(type));
    }
    for (const auto& [type, plan] : plans_) {
      if (!type->in_protobuf) continue;
      for (const DefaultRule& rule : plan->rules) {
        SKIFF_RETURN_IF_ERROR(AddRule(*plan, rule, *out_.by_type_.at(type)));
      }
    }
    for (const auto& [type, check] : out_.by_type_) Finish(*check);
    return {};
  }

 private:
  Check* New() { return out_.all_.emplace_back(std::make_unique<Check>()).get(); }

  // The fields of the plan's message, or of one that is inlined in it and whose fields begin at
  // `offset` of the plan's.
  void Fill(const MessagePlan& plan, const object::MessageDesc& message, size_t offset,
            Check& check) {
    for (const object::ProtoFieldDesc& proto : message.proto_fields) {
      Slot slot{.key = proto.key};
      if (proto.inlined != nullptr) {
        Check* const part = New();
        Fill(plan, *proto.inlined, offset + proto.first_field, *part);
        check.uncertain |= part->uncertain;
        if (part->slots.empty()) continue;
        slot.below = part;
        Add(check, slot, part->required != 0);
        continue;
      }
      const auto index = static_cast<uint16_t>(offset + proto.first_field);
      FillField(plan, index, slot, check);
    }
  }

  void FillField(const MessagePlan& plan, uint16_t index, Slot slot, Check& check) {
    const object::FieldDesc& field = plan.message->fields[index];
    const auto constant = std::ranges::find(plan.constants, index, &object::Value::field);
    const bool required = constant != plan.constants.end();
    const auto child = std::ranges::find(plan.children, index, &MessagePlan::Child::field);
    slot.amounts = std::ranges::find(plan.amounts, index) != plan.amounts.end();
    bool filled = false;
    if (child != plan.children.end()) {
      const auto below = out_.by_type_.find(child->plan->message);
      if (below != out_.by_type_.end()) slot.below = below->second;
      slot.in_map = child->cardinality == object::Cardinality::kMap;
      filled = child->filled_when_absent;
    }
    if (!required && !filled && slot.below == nullptr && !slot.amounts) return;
    if (required && !field.pointer() && field.cardinality == object::Cardinality::kSingle) {
      slot.zero_is_missing = true;
      if (!IsPlainScalar(field.type)) check.uncertain = true;
    }
    Add(check, slot, required || filled);
  }

  static void MakeRequired(Check& check, Slot& slot) {
    if (slot.bit != 0) return;
    const auto bits = static_cast<size_t>(std::popcount(check.required));
    if (bits == kMaxRequired) {
      check.uncertain = true;
      return;
    }
    slot.bit = uint64_t{1} << bits;
    check.required |= slot.bit;
  }

  static void Add(Check& check, Slot slot, bool required) {
    const size_t number = object::WireFieldNumber(slot.key);
    if (required) MakeRequired(check, slot);
    if (check.slot_of_number.size() <= number) check.slot_of_number.resize(number + 1);
    check.slots.push_back(slot);
    check.slot_of_number[number] = static_cast<uint8_t>(check.slots.size());
  }

  Result<void> AddRule(const MessagePlan& plan, const DefaultRule& from, Check& check) {
    Rule rule;
    const object::MessageDesc& message = *plan.message;
    for (const RuleCondition& condition : from.conditions) {
      SKIFF_ASSIGN_OR_RETURN(object::WirePath path,
                             object::WirePath::Resolve(message, condition.path.wire_text()));
      rule.conditions.push_back({std::move(path), &condition});
    }
    if (!from.source.empty()) {
      SKIFF_ASSIGN_OR_RETURN(rule.source,
                             object::WirePath::Resolve(message, from.source.wire_text()));
    }
    if (from.code != nullptr) rule.code = from.code->changes_nothing;
    if (rule.code == nullptr) {
      const std::string_view target =
          from.code != nullptr ? from.code->path : std::string_view(from.path.wire_text());
      SKIFF_ASSIGN_OR_RETURN(object::WirePath path, object::WirePath::Resolve(message, target));
      if (rule.conditions.empty() && !rule.source && IsPlain(path)) {
        required_[&check].push_back(std::move(path));
        return {};
      }
      rule.target = std::move(path);
    } else if (std::ranges::find(check.rules, rule.code, &Rule::code) != check.rules.end()) {
      return {};  // two rules that one look tells of
    }
    check.rules.push_back(std::move(rule));
    return {};
  }

  // A path to one field that is there or not, so that it can be looked for on the walk over the
  // message instead of on one of its own.
  static bool IsPlain(const object::WirePath& path) {
    const object::FieldDesc& last = path.last();
    return std::ranges::none_of(path.steps(), &object::WirePath::Step::every) &&
           (last.pointer() || last.cardinality != object::Cardinality::kSingle ||
            IsPlainScalar(last.type));
  }

  // What the rules of the check's own message require.
  void Finish(Check& check) {
    const auto found = required_.find(&check);
    if (found == required_.end()) return;
    const std::vector<object::WirePath> paths = std::move(found->second);
    required_.erase(found);
    for (const object::WirePath& path : paths) Require(check, path.steps());
  }

  void Require(Check& check, std::span<const object::WirePath::Step> steps) {
    const object::WirePath::Step& step = steps.front();
    const size_t number = object::WireFieldNumber(step.key);
    if (number >= check.slot_of_number.size() || check.slot_of_number[number] == 0) {
      Add(check, {.key = step.key}, false);
    }
    const size_t at = check.slot_of_number[number] - size_t{1};
    MakeRequired(check, check.slots[at]);
    if (steps.size() == 1) {
      check.slots[at].zero_is_missing =
          !step.field->pointer() && step.field->cardinality == object::Cardinality::kSingle;
      return;
    }
    // What is below may be required here and not elsewhere.
    Check* const below = New();
    if (Check* const shared = check.slots[at].below; shared != nullptr) {
      Finish(*shared);
      *below = *shared;
    }
    check.slots[at].below = below;
    Require(*below, steps.subspan(1));
  }

  const Plans& plans_;
  WireChecks& out_;
  // By rules without conditions, and not yet part of the checks.
  std::unordered_map<Check*, std::vector<object::WirePath>> required_;
};

Result<std::unique_ptr<WireChecks>> WireChecks::Compile(const Plans& plans,
                                                        const RuleSettings& settings) {
  auto out = std::make_unique<WireChecks>();
  out->settings_ = settings;
  SKIFF_RETURN_IF_ERROR(Compiler(plans, *out).Run());
  return out;
}

bool WireChecks::LeavesAlone(const object::MessageDesc* type, std::string_view message) const {
  const auto check = by_type_.find(type);
  return check == by_type_.end() || Passes(*check->second, message);
}

bool WireChecks::Passes(const Check& check, std::string_view message) const {
  if (check.uncertain) return false;
  uint64_t seen = 0;
  for (object::WireReader in(message); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return false;
    const uint32_t number = object::WireFieldNumber(key);
    const uint8_t index = number < check.slot_of_number.size() ? check.slot_of_number[number] : 0;
    if (index == 0) {
      if (!object::PassOver(in, key)) return false;
      continue;
    }
    const Slot& slot = check.slots[index - size_t{1}];
    if (key != slot.key) return false;
    bool zero = false;
    if (object::WireTypeOf(key) == object::WireType::kBytes) {
      std::string_view value;
      if (in.ReadBytes(&value) != object::WireError::kNone || !Passes(slot, value)) return false;
      zero = value.empty();
    } else {
      uint64_t value = 1;
      const object::WireError error = object::WireTypeOf(key) == object::WireType::kVarint
                                          ? in.ReadVarint(&value)
                                          : in.Skip(key);
      if (error != object::WireError::kNone) return false;
      zero = value == 0;
    }
    seen = slot.zero_is_missing && zero ? seen & ~slot.bit : seen | slot.bit;
  }
  if ((seen & check.required) != check.required) return false;
  return std::ranges::all_of(check.rules, [&](const Rule& rule) { return Passes(rule, message); });
}

bool WireChecks::Passes(const Slot& slot, std::string_view value) const {
  if (slot.amounts && !IsCoarseAmount(value)) return false;
  if (slot.below == nullptr) return true;
  if (!slot.in_map) return Passes(*slot.below, value);
  const std::optional<std::string_view> below = EntryValue(value);
  return below && Passes(*slot.below, *below);
}

WireChecks::Holding WireChecks::Holds(const Condition& condition, std::string_view message) {
  const auto& values = condition.rule->values;
  bool matches = false;
  if (values.empty()) {
    const object::WirePath::Answer set = condition.path.IsSet(message);
    if (set == object::WirePath::Answer::kOdd) return Holding::kUncertain;
    matches = set == object::WirePath::Answer::kYes;
  } else {
    bool odd = false;
    const auto found = condition.path.Find(message, odd);
    if (odd) return Holding::kUncertain;
    matches = found && std::ranges::find(values, found->bytes) != values.end();
  }
  return matches != condition.rule->negated ? Holding::kYes : Holding::kNo;
}

bool WireChecks::Passes(const Rule& rule, std::string_view message) const {
  for (const Condition& condition : rule.conditions) {
    switch (Holds(condition, message)) {
      case Holding::kNo:
        return true;
      case Holding::kUncertain:
        return false;
      case Holding::kYes:
        break;
    }
  }
  if (rule.source) {
    const object::WirePath::Answer there = rule.source->IsSet(message);
    if (there != object::WirePath::Answer::kYes) return there == object::WirePath::Answer::kNo;
  }
  if (rule.code != nullptr) return rule.code(message, settings_);
  return rule.target->IsSet(message) == object::WirePath::Answer::kYes;
}

}  // namespace skiff::apiserver
