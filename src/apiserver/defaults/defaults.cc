#include "apiserver/defaults/defaults.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "apiserver/defaults/apply_plan.h"
#include "apiserver/defaults/wire_checks.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/zero.h"

namespace skiff::apiserver {

DefaultPlans::DefaultPlans(const RuleSettings& settings) : settings_(settings) {}
DefaultPlans::~DefaultPlans() = default;

bool DefaultPlans::LeavesAlone(const object::MessageDesc* type, std::string_view message) const {
  return checks_->LeavesAlone(type, message);
}

class PlanCompiler {
 public:
  explicit PlanCompiler(const DefaultsEnvironment& environment)
      : environment_(environment),
        plans_(new DefaultPlans({.gates = environment.gates, .clock = environment.clock})) {}

  Result<std::unique_ptr<const DefaultPlans>> Compile() {
    for (const object::GroupVersionDesc* file : object::AllGroupVersions()) {
      for (const object::MessageDesc* message : file->messages) {
        SKIFF_RETURN_IF_ERROR(AddOwn(*message));
      }
    }
    AddParents();
    for (auto& [message, plan] : plans_->plans_) LinkChildren(*plan);
    for (auto& [message, plan] : plans_->plans_) FindFilledChildren(*plan);
    SKIFF_ASSIGN_OR_RETURN(plans_->checks_, WireChecks::Compile(plans_->plans_, plans_->settings_));
    return std::move(plans_);
  }

 private:
  // The message's own defaults; no plan when it has none.
  Result<void> AddOwn(const object::MessageDesc& message) {
    MessagePlan plan;
    plan.message = &message;
    for (uint16_t i = 0; i < message.fields.size(); ++i) {
      const object::FieldDesc& field = message.fields[i];
      if (!field.traits->default_json.empty()) {
        SKIFF_ASSIGN_OR_RETURN(const object::Value value,
                               Constant(message, i, field.traits->default_json));
        // Giving a zero to a field that is no pointer would say nothing.
        if (!object::IsUnset(field, value)) plan.constants.push_back(value.WithField(i));
      }
      if (IsResourceList(message, field)) plan.amounts.push_back(i);
    }
    SKIFF_RETURN_IF_ERROR(AddRulesOf(message, plan));
    if (!plan.constants.empty() || !plan.rules.empty() || !plan.amounts.empty()) Add(plan);
    return {};
  }

  // The rules of the plan's message or of one that is inlined in it, whose fields are its own.
  Result<void> AddRulesOf(const object::MessageDesc& message, MessagePlan& plan) {
    if (const object::DefaultsDesc* defaults = object::FindDefaults(&message)) {
      for (const object::DefaultRuleDesc& rule : defaults->rules) {
        SKIFF_RETURN_IF_ERROR(AddRule(message, rule, plan));
      }
    }
    for (const object::ProtoFieldDesc& field : message.proto_fields) {
      if (field.inlined != nullptr) SKIFF_RETURN_IF_ERROR(AddRulesOf(*field.inlined, plan));
    }
    return {};
  }

  // Core's maps of amounts, as the schema's note resource-amounts-round-up-to-milli has it.
  static bool IsResourceList(const object::MessageDesc& message, const object::FieldDesc& field) {
    return field.type == object::FieldType::kQuantity &&
           field.cardinality == object::Cardinality::kMap &&
           message.group_version->path == "core/v1";
  }

  // `stated_in` is the message that the schema gives the rule to.
  Result<void> AddRule(const object::MessageDesc& stated_in, const object::DefaultRuleDesc& desc,
                       MessagePlan& plan) {
    const object::MessageDesc& message = *plan.message;
    if (!desc.gate.empty() && !environment_.gates.IsNamedOn(desc.gate)) return {};
    DefaultRule rule;
    if (desc.by_code()) {
      rule.code = environment_.find_rule(stated_in, desc.path);
      if (rule.code == nullptr) {
        return Fail(StatusReason::kInternalError, "no code for the default of " +
                                                      Quoted(desc.path) + " in " +
                                                      std::string(stated_in.name));
      }
    } else {
      SKIFF_ASSIGN_OR_RETURN(rule.path, RulePath::Resolve(message, desc.path));
      const RuleStep& last = rule.path.last();
      if (desc.source.empty()) {
        SKIFF_ASSIGN_OR_RETURN(rule.constant,
                               Constant(rule.path.owner(), last.index, desc.value_json));
        if (object::IsUnset(*last.field, rule.constant)) return {};
      } else {
        SKIFF_ASSIGN_OR_RETURN(rule.source, RulePath::Resolve(message, desc.source));
      }
    }
    for (const object::ConditionDesc& condition : desc.conditions) {
      SKIFF_ASSIGN_OR_RETURN(RulePath path, RulePath::Resolve(message, condition.path));
      rule.conditions.push_back({std::move(path), condition.negated, condition.values});
    }
    plan.rules.push_back(std::move(rule));
    return {};
  }

  // The value of a field, from JSON.
  Result<object::Value> Constant(const object::MessageDesc& owner, uint16_t field,
                                 std::string_view json) {
    const std::string object =
        "{\"" + std::string(owner.fields[field].name()) + "\":" + std::string(json) + "}";
    SKIFF_ASSIGN_OR_RETURN(object::Document document, object::DecodeJson(object, &owner));
    const object::Value* value = document.root().Member(field);
    const object::Value found = value == nullptr ? object::Value() : *value;
    plans_->constants_.push_back(std::move(document));
    return found;
  }

  void Add(MessagePlan plan) {
    const object::MessageDesc* message = plan.message;
    plans_->plans_.emplace(message, std::make_unique<MessagePlan>(std::move(plan)));
  }

  bool LeadsToDefaults(const object::MessageDesc& message) const {
    return std::ranges::any_of(message.fields, [&](const object::FieldDesc& field) {
      return field.message != nullptr && plans_->plans_.contains(field.message);
    });
  }

  // Plans for the messages that have defaults somewhere below. Messages may contain themselves, so
  // this goes on until nothing is found any more.
  void AddParents() {
    for (bool found = true; found;) {
      found = false;
      for (const object::GroupVersionDesc* file : object::AllGroupVersions()) {
        for (const object::MessageDesc* message : file->messages) {
          if (plans_->plans_.contains(message) || !LeadsToDefaults(*message)) continue;
          MessagePlan plan;
          plan.message = message;
          Add(std::move(plan));
          found = true;
        }
      }
    }
  }

  void LinkChildren(MessagePlan& plan) {
    for (uint16_t i = 0; i < plan.message->fields.size(); ++i) {
      const object::FieldDesc& field = plan.message->fields[i];
      if (field.message == nullptr) continue;
      const auto child = plans_->plans_.find(field.message);
      if (child == plans_->plans_.end()) continue;
      plan.children.push_back({i, field.cardinality, false, child->second.get()});
    }
  }

  // Messages that are no pointers cannot contain themselves, so that this comes to an end.
  void FindFilledChildren(MessagePlan& plan) {
    if (!ready_.insert(&plan).second) return;
    for (MessagePlan::Child& child : plan.children) {
      const object::FieldDesc& field = plan.message->fields[child.field];
      if (child.cardinality != object::Cardinality::kSingle || field.pointer()) continue;
      FindFilledChildren(*plans_->plans_.at(field.message));
      object::Document empty = object::Document::OfType(field.message);
      ApplyPlan(*child.plan, empty.root(), {empty.arena(), plans_->settings_});
      child.filled_when_absent = empty.root().size() != 0;
    }
  }

  const DefaultsEnvironment& environment_;
  std::unique_ptr<DefaultPlans> plans_;
  std::unordered_set<const MessagePlan*> ready_;  // whose children are known to be filled or not
};

Result<std::unique_ptr<const DefaultPlans>> DefaultPlans::Compile(
    const DefaultsEnvironment& environment) {
  return PlanCompiler(environment).Compile();
}

}  // namespace skiff::apiserver
