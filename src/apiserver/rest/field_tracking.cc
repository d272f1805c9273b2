#include "apiserver/rest/field_tracking.h"

#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/managed_fields/manager_name.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"

namespace skiff::apiserver {

RequestWriter::RequestWriter(const serving::ApiRequest& request, const Endpoint& endpoint,
                             RememberedConversions* conversions)
    : name_(ManagerName(request.query.Get("fieldManager"), request.http.headers.Get("user-agent"))),
      writer_{name_,
              endpoint.resource->version->desc->api_version,
              endpoint.subresource_name(),
              endpoint.resource->hub->storage,
              NowOf(endpoint.context->clock),
              conversions} {}

FieldWriter RequestWriter::For(std::string_view api_version) const {
  FieldWriter out = writer_;
  out.api_version = api_version;
  out.storage = nullptr;
  return out;
}

void TrackWrite(const serving::ApiRequest& request, const Endpoint& endpoint,
                const object::Document& live, object::Document& object,
                RememberedConversions* conversions) {
  const RequestWriter writer(request, endpoint, conversions);
  if (object.type() != endpoint.resource->kind) {
    return TrackUpdate(writer.For(object.type()->group_version->api_version), live, object);
  }
  // What a stored version would make of the object counts, as in the live one that came from there.
  if (endpoint.storage != nullptr && endpoint.storage->desc().stored != object.type() &&
      endpoint.converter() == nullptr) {
    Result<object::Document> inner = Convert(object, endpoint.storage->desc().stored);
    if (inner) inner = Convert(*inner, object.type());
    if (inner) object = std::move(*inner);
  }
  TrackUpdate(writer.get(), live, object);
}

namespace {

FieldWriter OwnWriter(const ResourceStorage& storage, std::string_view subresource,
                      object::Timestamp now) {
  return {.manager = "kube-apiserver",
          .api_version = storage.desc().stored->group_version->api_version,
          .subresource = subresource,
          .storage = &storage.desc(),
          .now = now};
}

}  // namespace

void TrackOwnStatus(const ResourceStorage& storage, const object::Document& live,
                    object::Document& object, object::Timestamp now) {
  FieldWriter writer = OwnWriter(storage, "status", now);
  const object::MessageDesc* const served = storage.hub().resource->kind;
  if (served == storage.desc().stored) return TrackUpdate(writer, live, object);
  // Managers own fields of the version that is served.
  const Result<object::Document> before = Convert(live, served);
  Result<object::Document> after = Convert(object, served);
  if (!before || !after) return;
  writer.api_version = served->group_version->api_version;
  TrackUpdate(writer, *before, *after);
  MetaOf(object).Take("managedFields", MetaOf(*after));
}

void TrackOwnUpdate(const ResourceStorage& storage, const object::Document& live,
                    object::Document& object, object::Timestamp now) {
  TrackUpdate(OwnWriter(storage, "", now), live, object);
}

void TrackOwnCreation(const ResourceStorage& storage, object::Document& object,
                      object::Timestamp now) {
  TrackOwnUpdate(storage, object::Document::OfType(storage.desc().stored), object, now);
}

}  // namespace skiff::apiserver
