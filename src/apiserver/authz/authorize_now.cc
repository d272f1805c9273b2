#include "apiserver/authz/authorize_now.h"

#include <memory>
#include <string>
#include <utility>

namespace skiff {

AuthorizationResult AuthorizeNow(Authorizer& authorizer, const AccessAttributes& attributes) {
  const auto answer = std::make_shared<AuthorizationResult>();
  authorizer.Authorize(attributes,
                       [answer](AuthorizationResult given) { *answer = std::move(given); });
  return *answer;
}

bool MayUseSigner(Authorizer& authorizer, const UserInfo& user, std::string_view verb,
                  std::string_view signer) {
  const std::string domain = std::string(signer.substr(0, signer.find('/'))) + "/*";
  AccessAttributes attributes{.user = &user,
                              .verb = verb,
                              .is_resource = true,
                              .group = "certificates.k8s.io",
                              .version = "*",
                              .resource = "signers",
                              .subresource = {},
                              .name_space = {},
                              .name = signer,
                              .path = {}};
  if (AuthorizeNow(authorizer, attributes).decision == Decision::kAllow) return true;
  attributes.name = domain;
  return AuthorizeNow(authorizer, attributes).decision == Decision::kAllow;
}

}  // namespace skiff
