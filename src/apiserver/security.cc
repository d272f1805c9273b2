#include "apiserver/security.h"

#include <utility>

#include "apiserver/authn/bearer_token.h"
#include "apiserver/authn/client_certificate.h"
#include "apiserver/authn/token_file.h"

namespace skiff {
namespace {

Result<void> AddAuthenticator(const ApiServerOptions& options, Clock& clock, Log& log,
                              Security& out) {
  std::vector<std::unique_ptr<Authenticator>> methods;
  if (!options.client_ca_file.empty()) {
    methods.push_back(std::make_unique<ClientCertificateAuthenticator>(clock));
  }
  std::vector<std::unique_ptr<TokenAuthenticator>> tokens;
  if (!options.token_auth_file.empty()) {
    auto file = TokenFile::Load(options.token_auth_file);
    if (!file) {
      return Fail(file.error().reason(), "--token-auth-file: " + file.error().message());
    }
    for (const std::string& warning : (*file)->warnings()) log.Warning(warning);
    tokens.push_back(std::move(*file));
  }
  if (!tokens.empty()) {
    out.tokens = std::make_unique<TokenUnion>(std::move(tokens));
    methods.push_back(std::make_unique<BearerTokenAuthenticator>(*out.tokens));
    methods.push_back(std::make_unique<WebSocketTokenAuthenticator>(*out.tokens));
  }
  out.authenticator = std::make_unique<RequestAuthenticator>(
      std::move(methods), AnonymousOptions{.enabled = options.anonymous_auth});
  return {};
}

}  // namespace

Result<Security> MakeSecurity(const ApiServerOptions& options, Clock& clock, Log& log) {
  Security out;
  SKIFF_RETURN_IF_ERROR(AddAuthenticator(options, clock, log, out));
  std::vector<Authorizer*> order;
  const auto add = [&](std::unique_ptr<Authorizer> member) {
    order.push_back(member.get());
    out.members.push_back(std::move(member));
  };
  add(std::make_unique<PrivilegedGroups>(std::vector<std::string>{kMastersGroup}));
  for (const AuthorizationMode mode : options.authorization_modes) {
    switch (mode) {
      case AuthorizationMode::kAlwaysAllow:
        add(std::make_unique<AlwaysAllow>());
        break;
      case AuthorizationMode::kAlwaysDeny:
        add(std::make_unique<AlwaysDeny>());
        break;
      case AuthorizationMode::kRbac:
        out.rbac = std::make_unique<RbacPolicy>();
        order.push_back(out.rbac.get());
        break;
      case AuthorizationMode::kNode:
        // Nodes are given what RBAC gives to their group until their own authorizer comes.
        break;
    }
  }
  out.authorizer = std::make_unique<UnionAuthorizer>(std::move(order));
  return out;
}

}  // namespace skiff
