#include "apiserver/authz/authorize_now.h"

#include <memory>
#include <string>
#include <utility>

namespace skiff::apiserver {

serving::AuthorizationResult AuthorizeNow(serving::Authorizer& authorizer,
                                          const serving::AccessAttributes& attributes) {
  const auto answer = std::make_shared<serving::AuthorizationResult>();
  authorizer.Authorize(
      attributes, [answer](serving::AuthorizationResult given) { *answer = std::move(given); });
  return *answer;
}

bool MayUseSigner(serving::Authorizer& authorizer, const serving::UserInfo& user,
                  std::string_view verb, std::string_view signer) {
  const std::string domain = std::string(signer.substr(0, signer.find('/'))) + "/*";
  serving::AccessAttributes attributes{.user = &user,
                                       .verb = verb,
                                       .is_resource = true,
                                       .group = "certificates.k8s.io",
                                       .version = "*",
                                       .resource = "signers",
                                       .subresource = {},
                                       .name_space = {},
                                       .name = signer,
                                       .path = {}};
  if (AuthorizeNow(authorizer, attributes).decision == serving::Decision::kAllow) return true;
  attributes.name = domain;
  return AuthorizeNow(authorizer, attributes).decision == serving::Decision::kAllow;
}

}  // namespace skiff::apiserver
