#include "apiserver/authz/rbac_policy.h"

#include <algorithm>
#include <mutex>

#include "apiserver/authz/cache_follower.h"
#include "base/go_quoted.h"
#include "serving/auth/request_authenticator.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";

std::string_view TextAt(const object::Value& object, std::string_view name) {
  const object::Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace

struct RbacPolicy::Role {
  bool present = false;
  size_t referrers = 0;
  std::vector<PolicyRule> rules = {};
};

struct RbacPolicy::Binding {
  enum class SubjectKind : uint8_t { kUser, kGroup, kServiceAccount, kOther };
  struct Subject {
    SubjectKind kind;
    std::string name;       // of the user (also of a service account) or group
    std::string described;  // `User "ann"`
  };

  std::string name;
  std::string name_space;
  RoleRef role_ref;
  const Role* role = nullptr;  // null for a kind of role that there is none of
  std::vector<Subject> subjects;
  std::string grant;  // "RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to "

  bool IsOfCluster() const { return name_space.empty(); }
  std::string_view RoleScope() const {
    return role_ref.kind == "Role" ? std::string_view(name_space) : std::string_view();
  }

  static bool AppliesTo(const Subject& subject, const serving::UserInfo& user) {
    if (subject.kind == SubjectKind::kGroup) return user.IsIn(subject.name);
    return subject.kind != SubjectKind::kOther && subject.name == user.name;
  }

  // Made once, since every request that is allowed tells it.
  void DescribeGrant() {
    grant =
        IsOfCluster() ? "RBAC: allowed by ClusterRoleBinding " : "RBAC: allowed by RoleBinding ";
    grant += GoQuoted(IsOfCluster() ? name : name + "/" + name_space);
    grant += " of " + role_ref.kind + " " + GoQuoted(role_ref.name) + " to ";
  }

  std::string ReasonFor(const serving::UserInfo& user) const {
    for (const Subject& subject : subjects) {
      if (AppliesTo(subject, user)) return grant + subject.described;
    }
    return grant;
  }

  std::string MissingRole(RoleNaming naming) const {
    if (role_ref.kind != "Role" && role_ref.kind != "ClusterRole") {
      return "unsupported role reference kind: " + GoQuoted(role_ref.kind);
    }
    std::string noun = role_ref.kind == "Role" ? "role" : "clusterrole";
    if (naming == RoleNaming::kResource) noun += 's';
    return noun + ".rbac.authorization.k8s.io " + GoQuoted(role_ref.name) + " not found";
  }

  // Subjects of service accounts without a namespace mean that of the binding.
  void AddSubject(const object::Value& subject) {
    const std::string_view kind = TextAt(subject, "kind");
    const std::string subject_name(TextAt(subject, "name"));
    std::string described = std::string(kind) + " " + GoQuoted(subject_name);
    if (kind == "User") {
      subjects.push_back({SubjectKind::kUser, subject_name, std::move(described)});
    } else if (kind == "Group") {
      subjects.push_back({SubjectKind::kGroup, subject_name, std::move(described)});
    } else if (kind == "ServiceAccount") {
      std::string_view home = TextAt(subject, "namespace");
      if (home.empty()) home = name_space;
      if (home.empty()) return;
      subjects.push_back(
          {SubjectKind::kServiceAccount,
           std::string(kServiceAccountPrefix) + std::string(home) + ":" + subject_name,
           "ServiceAccount " + GoQuoted(subject_name + "/" + std::string(home))});
    }
  }
};

RbacPolicy::RbacPolicy() = default;
RbacPolicy::~RbacPolicy() = default;

void RbacPolicy::Put(const object::Document& object) {
  const std::string_view kind = object.kind();
  const object::Value* metadata = object.root().Find("metadata");
  if (metadata == nullptr || !object.api_version().starts_with("rbac.authorization.k8s.io/")) {
    return;
  }
  const bool of_cluster = kind == "ClusterRole" || kind == "ClusterRoleBinding";
  const std::string_view name = TextAt(*metadata, "name");
  const std::string_view name_space =
      of_cluster ? std::string_view() : TextAt(*metadata, "namespace");
  if (!of_cluster && name_space.empty()) return;
  if (kind == "Role" || kind == "ClusterRole") {
    PutRole(name_space, name, ReadPolicyRules(object.root().Find("rules")));
  } else if (kind == "RoleBinding" || kind == "ClusterRoleBinding") {
    auto binding = std::make_unique<Binding>();
    binding->name = name;
    binding->name_space = name_space;
    if (const object::Value* ref = object.root().Find("roleRef")) {
      binding->role_ref = {std::string(TextAt(*ref, "apiGroup")), std::string(TextAt(*ref, "kind")),
                           std::string(TextAt(*ref, "name"))};
    }
    if (const object::Value* subjects = object.root().Find("subjects");
        subjects && subjects->is_list()) {
      for (const object::Value& subject : subjects->items()) binding->AddSubject(subject);
    }
    binding->DescribeGrant();
    PutBinding(name_space, std::move(binding));
  }
}

Result<void> RbacPolicy::PutStored(std::string_view object) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, DecodeEntry(object));
  Put(document);
  return {};
}

const RbacPolicy::Scope* RbacPolicy::FindScope(std::string_view name_space) const {
  if (name_space.empty()) return &cluster_;
  const auto found = namespaces_.find(name_space);
  return found != namespaces_.end() ? &found->second : nullptr;
}

RbacPolicy::Scope& RbacPolicy::ScopeOf(std::string_view name_space) {
  if (name_space.empty()) return cluster_;
  const auto found = namespaces_.find(name_space);
  if (found != namespaces_.end()) return found->second;
  return namespaces_[std::string(name_space)];
}

void RbacPolicy::ForgetIfEmpty(std::string_view name_space) {
  const auto found = namespaces_.find(name_space);
  if (found == namespaces_.end()) return;
  if (found->second.bindings.empty() && found->second.roles.empty()) namespaces_.erase(found);
}

void RbacPolicy::PutRole(std::string_view name_space, std::string_view name,
                         std::vector<PolicyRule> rules) {
  const std::unique_lock lock(mutex_);
  std::unique_ptr<Role>& role = ScopeOf(name_space).roles[std::string(name)];
  if (role == nullptr) role = std::make_unique<Role>();
  role->present = true;
  role->rules.swap(rules);
}

void RbacPolicy::PutBinding(std::string_view name_space, std::unique_ptr<Binding> binding) {
  const std::unique_lock lock(mutex_);
  Scope& scope = ScopeOf(name_space);
  if (scope.bindings.contains(binding->name)) RemoveBinding(scope, binding->name);
  const RoleRef& ref = binding->role_ref;
  const bool finds_role = (ref.kind == "Role" && !name_space.empty()) || ref.kind == "ClusterRole";
  if (finds_role) {
    std::unique_ptr<Role>& role = ScopeOf(binding->RoleScope()).roles[ref.name];
    if (role == nullptr) role = std::make_unique<Role>();
    ++role->referrers;
    binding->role = role.get();
  }
  Index(scope, *binding);
  std::string name = binding->name;
  scope.bindings[std::move(name)] = std::move(binding);
}

void RbacPolicy::Index(Scope& scope, const Binding& binding) {
  for (const Binding::Subject& subject : binding.subjects) {
    auto& index = subject.kind == Binding::SubjectKind::kGroup ? scope.by_group : scope.by_user;
    std::vector<const Binding*>& bindings = index[subject.name];
    if (bindings.empty() || bindings.back() != &binding) bindings.push_back(&binding);
  }
}

void RbacPolicy::RemoveBinding(Scope& scope, std::string_view name) {
  const auto found = scope.bindings.find(name);
  if (found == scope.bindings.end()) return;
  const std::unique_ptr<Binding> binding = std::move(found->second);
  scope.bindings.erase(found);
  for (const Binding::Subject& subject : binding->subjects) {
    auto& index = subject.kind == Binding::SubjectKind::kGroup ? scope.by_group : scope.by_user;
    const auto entry = index.find(subject.name);
    if (entry == index.end()) continue;
    std::erase(entry->second, binding.get());
    if (entry->second.empty()) index.erase(entry);
  }
  if (binding->role == nullptr) return;
  Scope& home = ScopeOf(binding->RoleScope());
  --home.roles.find(binding->role_ref.name)->second->referrers;
  ForgetIfUnused(binding->RoleScope(), binding->role_ref.name);
}

void RbacPolicy::ForgetIfUnused(std::string_view name_space, std::string_view name) {
  Scope& scope = ScopeOf(name_space);
  const auto found = scope.roles.find(name);
  if (found == scope.roles.end()) return;
  if (!found->second->present && found->second->referrers == 0) scope.roles.erase(found);
}

void RbacPolicy::Remove(RbacKind kind, std::string_view name_space, std::string_view name) {
  const std::unique_lock lock(mutex_);
  if (kind == RbacKind::kClusterRole || kind == RbacKind::kClusterRoleBinding) name_space = {};
  if (FindScope(name_space) == nullptr) return;
  if (kind == RbacKind::kRoleBinding || kind == RbacKind::kClusterRoleBinding) {
    RemoveBinding(ScopeOf(name_space), name);
  } else {
    Scope& scope = ScopeOf(name_space);
    if (const auto found = scope.roles.find(name); found != scope.roles.end()) {
      found->second->present = false;
      found->second->rules.clear();
      ForgetIfUnused(name_space, name);
    }
  }
  ForgetIfEmpty(name_space);
}

template <typename Visit>
bool RbacPolicy::VisitScope(const Scope& scope, const serving::UserInfo& user, Visit& visit) {
  if (const auto found = scope.by_user.find(user.name); found != scope.by_user.end()) {
    for (const Binding* binding : found->second) {
      if (!visit(*binding)) return false;
    }
  }
  if (scope.by_group.empty()) return true;
  for (const std::string& group : user.groups) {
    const auto found = scope.by_group.find(group);
    if (found == scope.by_group.end()) continue;
    for (const Binding* binding : found->second) {
      if (!visit(*binding)) return false;
    }
  }
  return true;
}

template <typename Visit>
void RbacPolicy::VisitBindings(const serving::UserInfo& user, std::string_view name_space,
                               Visit visit) const {
  if (!VisitScope(cluster_, user, visit) || name_space.empty()) return;
  if (const Scope* scope = FindScope(name_space)) VisitScope(*scope, user, visit);
}

serving::AuthorizationResult RbacPolicy::Decide(const serving::AccessAttributes& attributes) const {
  serving::AuthorizationResult answer;
  std::vector<std::string> errors;
  const std::shared_lock lock(mutex_);
  VisitBindings(*attributes.user, attributes.name_space, [&](const Binding& binding) {
    if (binding.role == nullptr || !binding.role->present) {
      errors.push_back(binding.MissingRole(RoleNaming::kKind));
      return true;
    }
    for (const PolicyRule& rule : binding.role->rules) {
      if (!RuleAllows(rule, attributes)) continue;
      answer.decision = serving::Decision::kAllow;
      answer.reason = binding.ReasonFor(*attributes.user);
      return false;
    }
    return true;
  });
  if (answer.decision != serving::Decision::kAllow && !errors.empty()) {
    answer.reason = "RBAC: " + serving::JoinErrors(errors);
  }
  return answer;
}

void RbacPolicy::Authorize(const serving::AccessAttributes& attributes,
                           std::move_only_function<void(serving::AuthorizationResult)> done) {
  done(Decide(attributes));
}

UserRules RbacPolicy::RulesFor(const serving::UserInfo& user, std::string_view name_space) {
  return CollectRules(user, name_space, RoleNaming::kKind);
}

UserRules RbacPolicy::CollectRules(const serving::UserInfo& user, std::string_view name_space,
                                   RoleNaming naming) const {
  UserRules found;
  std::vector<std::string> errors;
  std::vector<const Binding*> seen;
  const std::shared_lock lock(mutex_);
  VisitBindings(user, name_space, [&](const Binding& binding) {
    if (std::find(seen.begin(), seen.end(), &binding) != seen.end()) return true;
    seen.push_back(&binding);
    if (binding.role == nullptr || !binding.role->present) {
      errors.push_back(binding.MissingRole(naming));
    } else {
      found.rules.insert(found.rules.end(), binding.role->rules.begin(), binding.role->rules.end());
    }
    return true;
  });
  found.error = serving::JoinErrors(errors);
  return found;
}

Result<std::vector<PolicyRule>> RbacPolicy::RulesOf(const RoleRef& role,
                                                    std::string_view name_space) const {
  if (role.kind != "Role" && role.kind != "ClusterRole") {
    return Fail(StatusReason::kInternalError,
                "unsupported role reference kind: " + GoQuoted(role.kind));
  }
  const bool is_role = role.kind == "Role";
  const std::shared_lock lock(mutex_);
  if (const Scope* scope = FindScope(is_role ? name_space : std::string_view())) {
    const auto found = scope->roles.find(role.name);
    if (found != scope->roles.end() && found->second->present) return found->second->rules;
  }
  return Fail(StatusReason::kNotFound, std::string(is_role ? "roles" : "clusterroles") +
                                           ".rbac.authorization.k8s.io " + GoQuoted(role.name) +
                                           " not found");
}

}  // namespace skiff::apiserver
