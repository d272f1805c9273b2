#include "apiserver/authz/ask_now.h"

#include <memory>
#include <string>
#include <utility>

namespace skiff {

AccessAnswer AskNow(Authorizer& authorizer, const AccessAttributes& attributes) {
  const auto answer = std::make_shared<AccessAnswer>();
  authorizer.Authorize(attributes, [answer](AccessAnswer given) { *answer = std::move(given); });
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
  if (AskNow(authorizer, attributes).decision == Decision::kAllow) return true;
  attributes.name = domain;
  return AskNow(authorizer, attributes).decision == Decision::kAllow;
}

}  // namespace skiff
