#include "apiserver/authz/escalation.h"

#include <algorithm>
#include <set>

#include "base/go_quoted.h"
#include "object/equal.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

using EscalationCallback = std::move_only_function<void(Result<void>)>;

std::string_view ResourceOf(RbacKind kind) {
  switch (kind) {
    case RbacKind::kRole:
      return "roles";
    case RbacKind::kClusterRole:
      return "clusterroles";
    case RbacKind::kRoleBinding:
      return "rolebindings";
    case RbacKind::kClusterRoleBinding:
      return "clusterrolebindings";
  }
  return {};
}

std::string_view TextIn(const object::Document& object, std::string_view parent,
                        std::string_view name) {
  const object::Value* found = object.root().FindPath({parent, name});
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

// Why the user may not grant the rules; empty if he may.
std::string WhyNot(const RbacWrite& write, RbacPolicy& policy,
                   const std::vector<PolicyRule>& rules) {
  const UserRules held =
      policy.CollectRules(*write.user, write.name_space, RbacPolicy::RoleNaming::kResource);
  const std::vector<PolicyRule> missing = CompactRules(UncoveredRules(held.rules, rules));
  if (missing.empty()) return {};
  std::set<std::string> lines;
  for (const PolicyRule& rule : missing) lines.insert(RuleText(rule));
  std::string why = "user " + GoQuoted(write.user->name) +
                    " (groups=" + QuotedList(write.user->groups) +
                    ") is attempting to grant RBAC permissions not currently held:";
  for (const std::string& line : lines) why.append("\n").append(line);
  if (!held.error.empty()) why += "; resolution errors: [" + held.error + "]";
  return why;
}

std::unexpected<Status> Refuse(const RbacWrite& write, std::string_view why) {
  return std::unexpected(object::ForbiddenObject(kGroup, ResourceOf(write.kind),
                                                 TextIn(*write.object, "metadata", "name"), why));
}

bool HasAggregationRule(const object::Document* role) {
  if (role == nullptr) return false;
  const object::Value* selectors =
      role->root().FindPath({"aggregationRule", "clusterRoleSelectors"});
  return selectors != nullptr && selectors->size() > 0;
}

Result<void> CheckRole(const RbacWrite& write, RbacPolicy& policy) {
  const auto rules = ReadPolicyRules(write.object->root().Find("rules"));
  if (const std::string why = WhyNot(write, policy, rules); !why.empty()) return Refuse(write, why);
  if (write.kind != RbacKind::kClusterRole) return {};
  if (!HasAggregationRule(write.object) && !HasAggregationRule(write.old)) return {};
  // An aggregated role can gather anything.
  const std::vector<PolicyRule> everything{
      {.verbs = {"*"}, .api_groups = {"*"}, .resources = {"*"}},
      {.verbs = {"*"}, .non_resource_urls = {"*"}}};
  if (WhyNot(write, policy, everything).empty()) return {};
  return Refuse(write, "must have cluster-admin privileges to use the aggregationRule");
}

Result<void> CheckBinding(const RbacWrite& write, RbacPolicy& policy, const RoleRef& role) {
  auto rules = policy.RulesOf(role, write.name_space);
  if (!rules) {
    if (rules.error().reason() != StatusReason::kNotFound) return std::unexpected(rules.error());
    // As Kubernetes has it: the name of the role, but the resource that is written.
    const std::string resource(ResourceOf(write.kind));
    Status missing(StatusReason::kNotFound,
                   resource + "." + std::string(kGroup) + " " + GoQuoted(role.name) + " not found");
    return std::unexpected(
        std::move(missing.SetSubject({role.name, std::string(kGroup), resource, {}})));
  }
  if (const std::string why = WhyNot(write, policy, *rules); !why.empty()) {
    return Refuse(write, why);
  }
  return {};
}

// What the user would have to be allowed explicitly. The texts are those of the write and the role.
serving::AccessAttributes ExplicitRight(const RbacWrite& write, const RoleRef& role,
                                        bool is_binding) {
  serving::AccessAttributes right;
  right.user = write.user;
  right.is_resource = true;
  right.version = "*";
  right.name_space = write.name_space;
  if (is_binding) {
    right.verb = "bind";
    right.group = role.api_group;
    right.resource = role.kind == "Role" ? "roles" : "clusterroles";
    right.name = role.name;
  } else {
    right.verb = "escalate";
    right.group = kGroup;
    right.resource = ResourceOf(write.kind);
    right.name = write.request_name;
  }
  return right;
}

}  // namespace

bool ChangesOnlyCollectedFields(const object::Document& object, const object::Document& old) {
  object::Document a = object.Copy();
  object::Document b = old.Copy();
  for (object::Document* each : {&a, &b}) {
    object::Value* metadata = each->root().Find("metadata");
    if (metadata == nullptr) continue;
    for (const char* field : {"ownerReferences", "finalizers", "selfLink", "managedFields"}) {
      metadata->Erase(field);
    }
  }
  return object::DeepEqual(a.root(), b.root());
}

void CheckEscalation(const RbacWrite& write, serving::Authorizer& authorizer, RbacPolicy& policy,
                     EscalationCallback done) {
  if (write.user->IsIn(serving::kMastersGroup) ||
      (write.old != nullptr && ChangesOnlyCollectedFields(*write.object, *write.old))) {
    done({});
    return;
  }
  const bool is_binding =
      write.kind == RbacKind::kRoleBinding || write.kind == RbacKind::kClusterRoleBinding;
  auto role = std::make_shared<RoleRef>();
  if (is_binding) {
    *role = {std::string(TextIn(*write.object, "roleRef", "apiGroup")),
             std::string(TextIn(*write.object, "roleRef", "kind")),
             std::string(TextIn(*write.object, "roleRef", "name"))};
    if (role->kind != "Role" && role->kind != "ClusterRole") {
      done(CheckBinding(write, policy, *role));
      return;
    }
  }
  authorizer.Authorize(ExplicitRight(write, *role, is_binding),
                       [&write, &policy, role, is_binding,
                        done = std::move(done)](serving::AuthorizationResult answer) mutable {
                         if (answer.decision == serving::Decision::kAllow) {
                           done({});
                         } else if (is_binding) {
                           done(CheckBinding(write, policy, *role));
                         } else {
                           done(CheckRole(write, policy));
                         }
                       });
}

}  // namespace skiff::apiserver
