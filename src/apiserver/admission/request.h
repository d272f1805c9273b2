// What plugins ask about the request before them, and how they refuse it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/authz/authorize_now.h"
#include "apiserver/rest/admission.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "base/status.h"

namespace skiff::apiserver {

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

// The name of the object that is written; on a create, whose URL has none, that of the body. The
// options of a connection are no object and have none.
inline std::string_view NameOf(const AdmissionRequest& request) {
  const bool said = !request.name.empty() || request.object == nullptr;
  if (said || request.operation == AdmissionOperation::kConnect) return request.name;
  return MetaOf(*request.object).name();
}

// "CREATE", as messages name operations.
std::string_view OperationName(AdmissionOperation operation);

// 403, with the name of the object or, when it is to be generated, what it is generated from.
std::unexpected<Status> Deny(const AdmissionRequest& request, std::string_view why);

// A request that is judged again, because somebody else was faster, warns only once.
inline void AddWarning(AdmissionRequest& request, std::string warning) {
  if (std::ranges::find(request.warnings, warning) != request.warnings.end()) return;
  request.warnings.push_back(std::move(warning));
}

// The object in another version of its kind. Where somebody else converts, it fails as long as that
// has not been done; then the request lacks conversions.
Result<object::Document> ConvertFor(const AdmissionRequest& request, const object::Document& object,
                                    const object::MessageDesc* kind);
bool LacksConversions(const AdmissionRequest& request);

// 403 of a plugin that cannot judge yet, because the server has only just started.
inline constexpr std::string_view kNotReadyYet = "not yet ready to handle request";
inline std::unexpected<Status> NotReadyYet(const AdmissionRequest& request) {
  return std::unexpected(Forbidden(request.resource, NameOf(request), kNotReadyYet));
}

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

bool IsAllowed(serving::Authorizer& authorizer, const serving::AccessAttributes& attributes);

}  // namespace skiff::apiserver
