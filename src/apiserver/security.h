// Who may come in and what they may do: authenticators and authorizers as the options name them.
#pragma once

#include <memory>
#include <vector>

#include "apiserver/authn/request_authenticator.h"
#include "apiserver/authz/authorizers.h"
#include "apiserver/authz/rbac_policy.h"
#include "apiserver/options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"

namespace skiff {

struct Security {
  std::unique_ptr<TokenAuthenticator> tokens;  // null: no tokens are known
  std::unique_ptr<RequestAuthenticator> authenticator;
  // In the order of --authorization-mode, behind system:masters.
  std::vector<std::unique_ptr<Authorizer>> members;
  std::unique_ptr<Authorizer> authorizer;
  std::unique_ptr<RbacPolicy> rbac;  // null when RBAC is not among the modes
};

// Files are read here; what is wrong with one is told with its flag.
Result<Security> MakeSecurity(const ApiServerOptions& options, Clock& clock, Log& log);

}  // namespace skiff
