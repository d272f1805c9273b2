// Roles and bindings, compiled for decisions: an index from users and groups to the bindings that
// name them, for the whole cluster and for each namespace, and from bindings straight to the rules
// of their roles. A decision looks up the user's name and groups, compares strings in place, and
// takes about a microsecond; nothing is parsed or copied.
//
// Changes come object by object and cost what the object costs, however many there are. Decisions
// share a lock that a change takes for itself only to put pointers into the index; objects are read
// before that. Copying an index of thousands of bindings for each change would cost more than the
// wait that it saves.
//
// Any thread, everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/authz/authorizers.h"
#include "apiserver/authz/policy_rule.h"
#include "object/value.h"

namespace skiff::apiserver {

enum class RbacKind : uint8_t { kRole, kClusterRole, kRoleBinding, kClusterRoleBinding };

// What a binding refers to.
struct RoleRef {
  std::string api_group;
  std::string kind;
  std::string name;
  friend bool operator==(const RoleRef&, const RoleRef&) = default;
};

class RbacPolicy final : public serving::Authorizer, public RuleResolver {
 public:
  RbacPolicy();
  ~RbacPolicy() override;

  // Adds or replaces. Documents of other kinds are ignored. Their order does not matter: a binding
  // may come before its role.
  void Put(const object::Document& object);
  // `object` is as stored: protobuf in its envelope, or JSON.
  Result<void> PutStored(std::string_view object);
  // `name_space` is empty for the kinds of the cluster.
  void Remove(RbacKind kind, std::string_view name_space, std::string_view name);

  serving::AuthorizationResult Decide(const serving::AccessAttributes& attributes) const;
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override;
  // The error names the roles that bindings refer to and that are not there.
  UserRules RulesFor(const serving::UserInfo& user, std::string_view name_space) override;
  // How errors name a role that is missing: Kubernetes says `clusterrole.rbac.… "r" not found`
  // where it decides, and `clusterroles.rbac.…` where it stores.
  enum class RoleNaming : uint8_t { kKind, kResource };
  UserRules CollectRules(const serving::UserInfo& user, std::string_view name_space,
                         RoleNaming naming) const;
  // The rules that a binding in this namespace (empty: of the cluster) grants. kNotFound, or
  // kInternalError for a kind of role that there is none of.
  Result<std::vector<PolicyRule>> RulesOf(const RoleRef& role, std::string_view name_space) const;

 private:
  struct Role;
  struct Binding;
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <typename T>
  using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

  // The bindings of one namespace, or of the cluster.
  struct Scope {
    TextMap<std::vector<const Binding*>> by_user;
    TextMap<std::vector<const Binding*>> by_group;
    TextMap<std::unique_ptr<Binding>> bindings;
    TextMap<std::unique_ptr<Role>> roles;  // also those that are only referred to
  };

  // Those that apply to a user, those of the cluster first; one that names the user in several ways
  // comes as often. visit(binding) returns false to stop.
  template <typename Visit>
  void VisitBindings(const serving::UserInfo& user, std::string_view name_space, Visit visit) const;
  template <typename Visit>
  static bool VisitScope(const Scope& scope, const serving::UserInfo& user, Visit& visit);

  const Scope* FindScope(std::string_view name_space) const;
  Scope& ScopeOf(std::string_view name_space);
  void ForgetIfEmpty(std::string_view name_space);

  void PutRole(std::string_view name_space, std::string_view name, std::vector<PolicyRule> rules);
  void PutBinding(std::string_view name_space, std::unique_ptr<Binding> binding);
  void RemoveBinding(Scope& scope, std::string_view name);
  // Drops the role when it is neither there nor referred to.
  void ForgetIfUnused(std::string_view name_space, std::string_view name);
  static void Index(Scope& scope, const Binding& binding);

  mutable std::shared_mutex mutex_;
  Scope cluster_;
  TextMap<Scope> namespaces_;
};

}  // namespace skiff::apiserver
