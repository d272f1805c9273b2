#include "apiserver/authz/authorization_chain.h"

#include <set>

#include "base/go_quoted.h"

namespace skiff::apiserver {

Result<std::unique_ptr<AuthorizationChain>> AuthorizationChain::Make(
    const std::vector<std::string>& modes, RbacPolicy& policy,
    const std::map<std::string, OtherAuthorizer>& others) {
  if (modes.empty()) return BadRequest("at least one authorization-mode must be passed");
  if (std::set<std::string>(modes.begin(), modes.end()).size() != modes.size()) {
    return BadRequest("authorization-mode " + QuotedList(modes) +
                      " has mode specified more than once");
  }
  std::unique_ptr<AuthorizationChain> chain(new AuthorizationChain);
  std::vector<serving::Authorizer*> authorizers{&chain->masters_};
  std::vector<RuleResolver*> resolvers;
  const auto add = [&](auto& member) {
    authorizers.push_back(&member);
    resolvers.push_back(&member);
  };
  for (const std::string& mode : modes) {
    if (mode == "AlwaysAllow") {
      add(chain->allow_);
    } else if (mode == "AlwaysDeny") {
      add(chain->deny_);
    } else if (mode == "RBAC") {
      add(policy);
    } else if (const auto other = others.find(mode); other != others.end()) {
      authorizers.push_back(other->second.authorizer);
      if (other->second.rules != nullptr) resolvers.push_back(other->second.rules);
    } else {
      return BadRequest("authorization-mode " + GoQuoted(mode) + " is not a valid mode");
    }
  }
  chain->authorizer_ = std::make_unique<UnionAuthorizer>(std::move(authorizers));
  chain->rules_ = std::make_unique<UnionRuleResolver>(std::move(resolvers));
  return chain;
}

}  // namespace skiff::apiserver
