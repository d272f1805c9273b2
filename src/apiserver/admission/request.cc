#include "apiserver/admission/request.h"

#include <memory>
#include <utility>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"

namespace skiff {

std::string_view OperationName(AdmissionOperation operation) {
  switch (operation) {
    case AdmissionOperation::kCreate:
      return "CREATE";
    case AdmissionOperation::kUpdate:
      return "UPDATE";
    case AdmissionOperation::kDelete:
      return "DELETE";
    case AdmissionOperation::kConnect:
      return "CONNECT";
  }
  std::unreachable();
}

std::unexpected<Status> Deny(const AdmissionRequest& request, std::string_view why) {
  std::string_view name = request.name;
  if (name.empty() && request.object != nullptr) {
    const MetaOf meta(*request.object);
    name = meta.Text("generateName");
    if (name.empty()) name = meta.name();
  }
  return std::unexpected(Forbidden(request.resource, name.empty() ? "Unknown" : name, why));
}

std::string Quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

AccessAnswer Ask(Authorizer& authorizer, const AccessAttributes& attributes) {
  const auto answer = std::make_shared<AccessAnswer>();
  authorizer.Authorize(attributes, [answer](AccessAnswer given) { *answer = std::move(given); });
  return *answer;
}

bool IsAllowed(Authorizer& authorizer, const AccessAttributes& attributes) {
  return Ask(authorizer, attributes).decision == Decision::kAllow;
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
  if (IsAllowed(authorizer, attributes)) return true;
  attributes.name = domain;
  return IsAllowed(authorizer, attributes);
}

}  // namespace skiff
