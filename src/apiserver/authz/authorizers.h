// The simple authorizers, and several of them in a row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/authz/policy_rule.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

// What a user may do in a namespace (and beyond all namespaces), as far as rules can say it.
struct UserRules {
  std::vector<PolicyRule> rules = {};
  bool incomplete = false;
  std::string error = {};
};

// Any thread.
class RuleResolver {
 public:
  virtual ~RuleResolver() = default;
  virtual UserRules RulesFor(const serving::UserInfo& user, std::string_view name_space) = 0;
};

// --authorization-mode=AlwaysAllow
class AlwaysAllow final : public serving::Authorizer, public RuleResolver {
 public:
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override;
  UserRules RulesFor(const serving::UserInfo& user, std::string_view name_space) override;
};

// --authorization-mode=AlwaysDeny. It has no opinion, in fact, as in Kubernetes.
class AlwaysDeny final : public serving::Authorizer, public RuleResolver {
 public:
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override;
  UserRules RulesFor(const serving::UserInfo& user, std::string_view name_space) override;
};

// Members of these groups may do everything. Stands first with system:masters, whatever the modes
// are, so that a cluster whose roles are gone can be mended.
class PrivilegedGroups final : public serving::Authorizer {
 public:
  explicit PrivilegedGroups(std::vector<std::string> groups) : groups_(std::move(groups)) {}
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override;

 private:
  const std::vector<std::string> groups_;
};

// The first that allows or denies decides; otherwise nobody has an opinion, and all reasons are
// told. The members outlive it, and the attributes live until the answer.
class UnionAuthorizer final : public serving::Authorizer {
 public:
  explicit UnionAuthorizer(std::vector<Authorizer*> members) : members_(std::move(members)) {}
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override;

 private:
  struct Attempt;
  void TryNext(std::shared_ptr<Attempt> attempt);

  const std::vector<Authorizer*> members_;
};

class UnionRuleResolver final : public RuleResolver {
 public:
  explicit UnionRuleResolver(std::vector<RuleResolver*> members) : members_(std::move(members)) {}
  UserRules RulesFor(const serving::UserInfo& user, std::string_view name_space) override;

 private:
  const std::vector<RuleResolver*> members_;
};

}  // namespace skiff::apiserver
