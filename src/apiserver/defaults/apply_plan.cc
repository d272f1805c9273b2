#include "apiserver/defaults/apply_plan.h"

#include <algorithm>
#include <string>

#include "object/scalar/quantity.h"
#include "object/zero.h"

namespace skiff::apiserver {
namespace {

void AddConstants(const MessagePlan& plan, object::Value& object, Arena& arena) {
  for (const object::Value& constant : plan.constants) {
    const uint16_t field = constant.field();
    const object::Value* present = object.Member(field);
    if (present != nullptr && !object::IsUnset(plan.message->fields[field], *present)) continue;
    object.SetMember(arena, field, ConstantFor(constant, arena));
  }
}

bool Holds(const RuleCondition& condition, const object::Value& object) {
  const object::Value* found = condition.path.Find(object);
  if (condition.values.empty()) return (found != nullptr) != condition.negated;
  const bool matches =
      found != nullptr && found->is_string() &&
      std::ranges::find(condition.values, found->AsText()) != condition.values.end();
  return matches != condition.negated;
}

void ApplyRule(const DefaultRule& rule, object::Value& object, const RuleContext& context) {
  for (const RuleCondition& condition : rule.conditions) {
    if (!Holds(condition, object)) return;
  }
  if (rule.code != nullptr) {
    rule.code->apply(object, context);
  } else if (rule.source.empty()) {
    rule.path.SetWhereUnset(object, rule.constant, context.arena);
  } else if (const object::Value* source = rule.source.Find(object)) {
    const object::Value copied = *source;
    rule.path.SetWhereUnset(object, copied, context.arena);
  }
}

void RoundUpAmounts(object::Value& map, Arena& arena) {
  for (object::MapEntry& entry : map.entries()) {
    if (!entry.value.is_string() || !MayBeFineAmount(entry.value.AsText())) continue;
    Result<object::Quantity> amount = object::Quantity::Parse(entry.value.AsText());
    if (!amount || amount->RoundUp(object::Quantity::kMilli)) continue;
    entry.value = object::Value::String(arena.Copy(amount->ToString()));
  }
}

void ApplyBelow(const MessagePlan& plan, object::Value& value, const RuleContext& context) {
  if (value.is_object() && value.type() == plan.message) ApplyPlan(plan, value, context);
}

void ApplyChild(const MessagePlan::Child& child, object::Value& member,
                const RuleContext& context) {
  if (child.cardinality == object::Cardinality::kSingle)
    return ApplyBelow(*child.plan, member, context);
  if (member.is_list()) {
    for (object::Value& item : member.items()) ApplyBelow(*child.plan, item, context);
  } else if (member.is_map()) {
    for (object::MapEntry& entry : member.entries()) ApplyBelow(*child.plan, entry.value, context);
  }
}

void ApplyChildren(const MessagePlan& plan, object::Value& object, const RuleContext& context) {
  size_t at = 0;
  for (const MessagePlan::Child& child : plan.children) {
    while (at < object.size() && object.members()[at].field() < child.field) ++at;
    const bool present = at < object.size() && object.members()[at].field() == child.field;
    if (present && !object.members()[at].is_null()) {
      ApplyChild(child, object.members()[at], context);
    } else if (child.filled_when_absent) {
      object::Value made = object::Value::EmptyObject(context.arena, child.plan->message);
      ApplyPlan(*child.plan, made, context);
      object.SetMember(context.arena, child.field, made);
    }
  }
}

}  // namespace

bool MayBeFineAmount(std::string_view amount) {
  return amount.ends_with('n') || amount.ends_with('u') ||
         amount.find_first_of(".e") != std::string_view::npos;
}

// The order is Kubernetes': a message before what it contains, so that rules see the parts as they
// were written, and parts that a rule makes get their own defaults.
void ApplyPlan(const MessagePlan& plan, object::Value& object, const RuleContext& context) {
  AddConstants(plan, object, context.arena);
  for (const DefaultRule& rule : plan.rules) ApplyRule(rule, object, context);
  for (const uint16_t field : plan.amounts) {
    object::Value* map = object.Member(field);
    if (map != nullptr && map->is_map()) RoundUpAmounts(*map, context.arena);
  }
  ApplyChildren(plan, object, context);
}

void DefaultPlans::Apply(object::Document& object) const {
  const auto plan = plans_.find(object.type());
  if (plan == plans_.end()) return;
  ApplyPlan(*plan->second, object.root(), {object.arena(), settings_});
}

}  // namespace skiff::apiserver
