#include "apiserver/security.h"

#include <map>
#include <utility>

#include "apiserver/authn/bootstrap_token.h"
#include "apiserver/authn/service_account_tokens.h"
#include "apiserver/authn/token_file.h"
#include "apiserver/front_proxy.h"
#include "serving/auth/bearer_token.h"
#include "serving/auth/client_certificate.h"
#include "serving/auth/token_cache.h"

namespace skiff::apiserver {
namespace {

std::unexpected<Status> OfFlag(std::string_view flag, const Status& why) {
  return Fail(why.reason(), std::string(flag) + ": " + why.message());
}

Result<std::vector<serving::JwtKey>> LoadKeys(const ServiceAccountOptions& options) {
  std::vector<serving::JwtKey> out;
  for (const std::string& file : options.key_files) {
    Result<std::vector<serving::JwtKey>> keys = serving::JwtKey::LoadPublic(file);
    if (!keys) return OfFlag("--service-account-key-file", keys.error());
    for (serving::JwtKey& key : *keys) out.push_back(std::move(key));
  }
  return out;
}

Result<void> AddIssuer(const ApiServerOptions& options, const std::vector<serving::JwtKey>& keys,
                       BoundObjectLookup& lookup, Clock& clock, Random& random, Log& log,
                       Security& out) {
  const ServiceAccountOptions& accounts = options.service_account;
  if (accounts.signing_key_file.empty() || accounts.issuers.empty()) return {};
  Result<serving::JwtKey> key = serving::JwtKey::LoadPrivate(accounts.signing_key_file);
  if (!key) return OfFlag("--service-account-signing-key-file", key.error());
  TokenIssuerOptions issuer;
  issuer.issuer = accounts.issuers[0];
  issuer.api_audiences = accounts.api_audiences;
  issuer.max_expiration_seconds =
      std::chrono::duration_cast<std::chrono::seconds>(accounts.max_token_expiration).count();
  issuer.extend_expiration = accounts.extend_token_expiration;
  out.issuer = std::make_unique<TokenIssuer>(std::move(issuer), *key, lookup, clock, random);
  Result<OpenIdMetadata> openid =
      OpenIdMetadata::Make(accounts.issuers[0], accounts.jwks_uri, ExternalAddress(options), keys);
  if (openid) {
    out.openid = std::move(*openid);
  } else {
    log.Warning("OpenID metadata is not served", {{"err", openid.error().message()}});
  }
  return {};
}

Result<void> AddTokens(const ApiServerOptions& options, const std::vector<serving::JwtKey>& keys,
                       BoundObjectLookup& lookup, Clock& clock, Log& log,
                       std::function<void(LegacyTokenUse)> on_legacy_use, Security& out) {
  const ServiceAccountOptions& accounts = options.service_account;
  std::vector<std::unique_ptr<serving::TokenAuthenticator>> kinds;
  if (!options.token_auth_file.empty()) {
    auto file = TokenFile::Load(options.token_auth_file);
    if (!file) return OfFlag("--token-auth-file", file.error());
    for (const std::string& warning : (*file)->warnings()) log.Warning(warning);
    kinds.push_back(
        std::make_unique<AudienceAgnosticTokens>(std::move(*file), accounts.api_audiences));
  }
  if (!keys.empty()) {
    ServiceAccountTokenOptions tokens;
    tokens.issuers = accounts.issuers;
    tokens.keys = keys;
    tokens.api_audiences = accounts.api_audiences;
    tokens.lookup = accounts.lookup;
    tokens.on_legacy_use = std::move(on_legacy_use);
    kinds.push_back(std::make_unique<ServiceAccountTokens>(std::move(tokens), lookup, clock));
  }
  if (options.enable_bootstrap_token_auth) {
    kinds.push_back(std::make_unique<AudienceAgnosticTokens>(
        std::make_unique<BootstrapTokenAuthenticator>(lookup, clock), accounts.api_audiences));
  }
  if (kinds.empty()) return {};
  out.tokens = std::make_unique<serving::TokenCache>(
      std::make_unique<serving::TokenUnion>(std::move(kinds)), clock);
  return {};
}

void AddAuthenticator(const ApiServerOptions& options, Clock& clock, Security& out) {
  std::vector<std::unique_ptr<serving::Authenticator>> methods;
  const ClientCaFiles cas = ClientCaFilesOf(options);
  if (cas.proxies != 0) {
    const RequestHeaderOptions& header = options.request_header;
    methods.push_back(std::make_unique<FrontProxyAuthenticator>(
        FrontProxyOptions{.verified_by = cas.proxies,
                          .allowed_names = header.allowed_names,
                          .username_headers = header.username_headers,
                          .uid_headers = header.uid_headers,
                          .group_headers = header.group_headers,
                          .extra_header_prefixes = header.extra_headers_prefix},
        clock));
  }
  if (cas.users != 0) {
    methods.push_back(std::make_unique<serving::ClientCertificateAuthenticator>(clock, cas.users));
  }
  if (out.tokens != nullptr) {
    methods.push_back(std::make_unique<serving::BearerTokenAuthenticator>(*out.tokens));
    methods.push_back(std::make_unique<serving::WebSocketTokenAuthenticator>(*out.tokens));
  }
  out.authenticator = std::make_unique<serving::RequestAuthenticator>(
      std::move(methods), serving::AnonymousOptions{.enabled = options.anonymous_auth});
}

Result<void> AddAuthorizer(const ApiServerOptions& options, Security& out) {
  std::vector<std::string> modes;
  std::map<std::string, OtherAuthorizer> others;
  for (const AuthorizationMode mode : options.authorization_modes) {
    if (mode == AuthorizationMode::kNode) {
      out.node_graph = std::make_unique<NodeGraph>();
      out.nodes = std::make_unique<NodeAuthorizer>(
          *out.node_graph,
          NodeAuthorizerFeatures{
              .service_accounts =
                  options.FeatureEnabled("KubeletServiceAccountTokenForCredentialProviders"),
              .pod_certificates = options.FeatureEnabled("PodCertificateRequest")});
      others[std::string(AuthorizationModeName(mode))] = {out.nodes.get(), out.nodes.get()};
    }
    modes.emplace_back(AuthorizationModeName(mode));
    out.roles_decide |= mode == AuthorizationMode::kRbac;
  }
  out.rbac = std::make_unique<RbacPolicy>();
  SKIFF_ASSIGN_OR_RETURN(out.chain, AuthorizationChain::Make(modes, *out.rbac, others));
  return {};
}

}  // namespace

ClientCaFiles ClientCaFilesOf(const ApiServerOptions& options) {
  ClientCaFiles out;
  const auto add = [&](const std::string& file) -> uint32_t {
    if (file.empty()) return 0;
    if (out.files.empty() || out.files[0] != file) out.files.push_back(file);
    return 1u << (out.files.size() - 1);
  };
  out.users = add(options.client_ca_file);
  out.proxies = add(options.request_header.client_ca_file);
  return out;
}

Result<Security> MakeSecurity(const ApiServerOptions& options, BoundObjectLookup& lookup,
                              Clock& clock, Random& random, Log& log,
                              std::function<void(LegacyTokenUse)> on_legacy_use) {
  Security out;
  out.api_audiences = options.service_account.api_audiences;
  SKIFF_ASSIGN_OR_RETURN(const std::vector<serving::JwtKey> keys,
                         LoadKeys(options.service_account));
  SKIFF_RETURN_IF_ERROR(
      AddTokens(options, keys, lookup, clock, log, std::move(on_legacy_use), out));
  SKIFF_RETURN_IF_ERROR(AddIssuer(options, keys, lookup, clock, random, log, out));
  AddAuthenticator(options, clock, out);
  SKIFF_RETURN_IF_ERROR(AddAuthorizer(options, out));
  return out;
}

}  // namespace skiff::apiserver
