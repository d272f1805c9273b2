// Who may come in and what they may do: authenticators and authorizers as the options name them,
// and what answers questions about both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apiserver/authn/bound_object.h"
#include "apiserver/authn/openid_metadata.h"
#include "apiserver/authn/service_account_tokens.h"
#include "apiserver/authn/token_request.h"
#include "apiserver/authz/authorization_chain.h"
#include "apiserver/authz/node_authorizer.h"
#include "apiserver/authz/node_graph.h"
#include "apiserver/authz/rbac_policy.h"
#include "apiserver/options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "serving/auth/request_authenticator.h"

namespace skiff::apiserver {

struct Security {
  std::unique_ptr<serving::TokenAuthenticator> tokens;  // null: no tokens are known
  std::unique_ptr<serving::RequestAuthenticator> authenticator;
  std::unique_ptr<TokenIssuer> issuer;   // null: no tokens are made
  std::optional<OpenIdMetadata> openid;  // nothing: not served
  std::vector<std::string> api_audiences;

  std::unique_ptr<RbacPolicy> rbac;
  bool roles_decide = false;  // RBAC is among the modes
  // Null unless Node is among the modes. The graph is for the owner to keep up to date.
  std::unique_ptr<NodeGraph> node_graph;
  std::unique_ptr<NodeAuthorizer> nodes;
  std::unique_ptr<AuthorizationChain> chain;

  serving::Authorizer& authorizer() { return chain->authorizer(); }
};

// The CAs of --client-ca-file and --requestheader-client-ca-file, one bit for each file.
struct ClientCaFiles {
  std::vector<std::string> files;  // as TlsOptions takes them
  uint32_t users = 0;              // the bit of those whose certificates make users; zero: none
  uint32_t proxies = 0;
};
ClientCaFiles ClientCaFilesOf(const ApiServerOptions& options);

// Files are read here; what is wrong with one is told with its flag. The rest outlives the result.
// `on_legacy_use`: see ServiceAccountTokenOptions.
Result<Security> MakeSecurity(const ApiServerOptions& options, BoundObjectLookup& lookup,
                              Clock& clock, Random& random, Log& log,
                              std::function<void(LegacyTokenUse)> on_legacy_use);

}  // namespace skiff::apiserver
