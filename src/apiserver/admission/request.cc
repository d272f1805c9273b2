#include "apiserver/admission/request.h"

#include "apiserver/convert/convert.h"
#include "apiserver/convert/object_converter.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {

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

bool IsAllowed(serving::Authorizer& authorizer, const serving::AccessAttributes& attributes) {
  return AuthorizeNow(authorizer, attributes).decision == serving::Decision::kAllow;
}

Result<object::Document> ConvertFor(const AdmissionRequest& request, const object::Document& object,
                                    const object::MessageDesc* kind) {
  const bool is_open = kind != nullptr && kind->open != nullptr;
  if (request.conversions == nullptr || !is_open) return Convert(object, kind);
  return request.conversions->Convert(object, kind);
}

bool LacksConversions(const AdmissionRequest& request) {
  return request.conversions != nullptr && request.conversions->wants();
}

}  // namespace skiff::apiserver
