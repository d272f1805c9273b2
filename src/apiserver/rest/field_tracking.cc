#include "apiserver/rest/field_tracking.h"

#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/managed_fields/manager_name.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"

namespace skiff {

RequestWriter::RequestWriter(const ApiRequest& request, const Endpoint& endpoint)
    : name_(ManagerName(request.query.Get("fieldManager"), request.http.headers.Get("user-agent"))),
      writer_{name_, endpoint.resource->version->desc->api_version, endpoint.subresource_name(),
              endpoint.resource->hub->storage, NowOf(endpoint.context->clock)} {}

FieldWriter RequestWriter::For(std::string_view api_version) const {
  FieldWriter out = writer_;
  out.api_version = api_version;
  out.storage = nullptr;
  return out;
}

void TrackWrite(const ApiRequest& request, const Endpoint& endpoint, const Document& live,
                Document& object) {
  const RequestWriter writer(request, endpoint);
  if (object.type() != endpoint.resource->kind) {
    return TrackUpdate(writer.For(object.type()->group_version->api_version), live, object);
  }
  // What a stored version would make of the object counts, as in the live one that came from there.
  if (endpoint.storage != nullptr && endpoint.storage->desc().stored != object.type()) {
    Result<Document> inner = Convert(object, endpoint.storage->desc().stored);
    if (inner) inner = Convert(*inner, object.type());
    if (inner) object = std::move(*inner);
  }
  TrackUpdate(writer.get(), live, object);
}

namespace {

Result<void> InvalidOptions(std::string_view options, std::vector<StatusCause> causes) {
  if (causes.empty()) return {};
  return std::unexpected(Invalid(options, "meta.k8s.io", "", std::move(causes)));
}

}  // namespace

void TrackOwnStatus(const ResourceStorage& storage, const Document& live, Document& object,
                    Timestamp now) {
  const FieldWriter writer{.manager = "kube-apiserver",
                           .api_version = storage.desc().stored->group_version->api_version,
                           .subresource = "status",
                           .storage = &storage.desc(),
                           .now = now};
  TrackUpdate(writer, live, object);
}

Result<void> CheckFieldManager(const ApiRequest& request, std::string_view options) {
  return InvalidOptions(options, FieldManagerFaults(request.query.Get("fieldManager")));
}

Result<void> CheckPatchOptions(const ApiRequest& request) {
  const std::string_view manager = request.query.Get("fieldManager");
  std::vector<StatusCause> causes;
  if (IsApply(request)) {
    if (manager.empty()) {
      causes.push_back(RequiredField("fieldManager", "is required for apply patch"));
    }
  } else if (!request.query.All("force").empty()) {
    causes.push_back(ForbiddenField("force", "may not be specified for non-apply patch"));
  }
  for (StatusCause& cause : FieldManagerFaults(manager)) causes.push_back(std::move(cause));
  return InvalidOptions("PatchOptions", std::move(causes));
}

bool IsForced(const ApiRequest& request) {
  const std::vector<std::string_view> given = request.query.All("force");
  return !given.empty() && given[0] != "false" && given[0] != "0";
}

}  // namespace skiff
