// The authorizers of a server: members of system:masters first, then --authorization-mode in order.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/authz/authorizers.h"
#include "apiserver/authz/rbac_policy.h"
#include "base/status.h"

namespace skiff::apiserver {

// Of a mode that is not made here.
struct OtherAuthorizer {
  serving::Authorizer* authorizer;
  RuleResolver* rules = nullptr;  // null: it resolves none
};

// Owns what it is made of but the policy and the others, which outlive it.
class AuthorizationChain {
 public:
  // AlwaysAllow, AlwaysDeny, RBAC, and those of `others` by their name (Node, Webhook, ABAC).
  static Result<std::unique_ptr<AuthorizationChain>> Make(
      const std::vector<std::string>& modes, RbacPolicy& policy,
      const std::map<std::string, OtherAuthorizer>& others = {});

  serving::Authorizer& authorizer() { return *authorizer_; }
  RuleResolver& rules() { return *rules_; }

 private:
  AuthorizationChain() : masters_({serving::kMastersGroup}) {}

  PrivilegedGroups masters_;
  AlwaysAllow allow_;
  AlwaysDeny deny_;
  std::unique_ptr<UnionAuthorizer> authorizer_;
  std::unique_ptr<UnionRuleResolver> rules_;
};

}  // namespace skiff::apiserver
