// What plugins ask about the request before them, and how they refuse it.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/authz/authorizer.h"
#include "apiserver/rest/admission.h"
#include "base/status.h"

namespace skiff {

inline std::string_view GroupOf(const AdmissionRequest& request) {
  return request.resource.version->desc->group;
}
// Whether the request is about a resource or one of its subresources; `group` is empty for core.
inline bool IsOf(const AdmissionRequest& request, std::string_view group,
                 std::string_view resource) {
  return request.resource.name == resource && GroupOf(request) == group;
}
// The same without subresources.
inline bool IsWholly(const AdmissionRequest& request, std::string_view group,
                     std::string_view resource) {
  return request.subresource.empty() && IsOf(request, group, resource);
}
inline bool Creates(const AdmissionRequest& request) {
  return request.operation == AdmissionOperation::kCreate;
}
inline bool Updates(const AdmissionRequest& request) {
  return request.operation == AdmissionOperation::kUpdate;
}
// A create or an update of a pod itself.
inline bool WritesPod(const AdmissionRequest& request) {
  return request.object != nullptr && (Creates(request) || Updates(request)) &&
         IsWholly(request, "", "pods");
}
inline bool CreatesPod(const AdmissionRequest& request) {
  return Creates(request) && WritesPod(request);
}

// "CREATE", as messages name operations.
std::string_view OperationName(AdmissionOperation operation);

// 403, with the name of the object or, when it is to be generated, what it is generated from.
std::unexpected<Status> Deny(const AdmissionRequest& request, std::string_view why);

// "text", as Go's %q prints what needs no escapes.
std::string Quote(std::string_view text);
// The texts with ", " between them.
template <typename Texts>
std::string JoinTexts(const Texts& texts, std::string_view between = ", ") {
  std::string out;
  for (const auto& text : texts) {
    if (!out.empty()) out += between;
    out += text;
  }
  return out;
}

// The authorizers of today answer before they return; one that does not counts as a no.
AccessAnswer Ask(Authorizer& authorizer, const AccessAttributes& attributes);
bool IsAllowed(Authorizer& authorizer, const AccessAttributes& attributes);
// Whether the user may use the signer, by its name or by its domain ("example.com/*").
bool MayUseSigner(Authorizer& authorizer, const UserInfo& user, std::string_view verb,
                  std::string_view signer);

}  // namespace skiff
