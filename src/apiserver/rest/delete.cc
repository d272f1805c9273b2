#include "apiserver/rest/delete.h"

#include <utility>

#include "apiserver/rest/delete_object.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/respond_stored.h"
#include "serving/request/respond.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

// What an object that is gone at once is answered with.
void RespondSuccess(serving::ApiRequest& request, const Endpoint& endpoint, std::string_view uid) {
  object::Document document = views::meta_v1::Status::New();
  views::meta_v1::MutableStatus status(document);
  status.set_api_version("v1");
  status.set_status("Success");
  status.mutable_metadata();
  auto details = status.mutable_details();
  details.set_name(request.info.name);
  details.set_group(endpoint.resource->version->desc->group);
  details.set_kind(endpoint.resource->name);
  details.set_uid(uid);
  serving::RespondObject(request, 200, document.root());
}

// Of an object that nobody could read, its name is all that is known.
void RespondGoneUnseen(serving::ApiRequest& request, const Endpoint& endpoint) {
  object::Document document = views::meta_v1::Status::New();
  views::meta_v1::MutableStatus status(document);
  status.set_api_version("v1");
  status.set_status("Success");
  status.set_code(200);
  status.mutable_metadata();
  auto details = status.mutable_details();
  details.set_name(request.info.name);
  details.set_kind(endpoint.resource->kind_name);
  serving::RespondObject(request, 200, document.root());
}

// The option counts only where it is offered, and needs a right of its own.
Result<void> CheckUnreadable(serving::ApiRequest& request, const Endpoint& endpoint,
                             DeleteOptions& options) {
  const auto& may_delete = endpoint.context->may_delete_unreadable;
  options.unreadable = options.unreadable && may_delete != nullptr;
  if (!options.unreadable) return {};
  SKIFF_RETURN_IF_ERROR(CheckUnreadableDeletion(options));
  return may_delete(request);
}

void AfterDelete(serving::ApiRequest& request, const Endpoint& endpoint,
                 const DeleteOptions& options, const Changed& changed) {
  if (options.unreadable) return RespondGoneUnseen(request, endpoint);
  if (!changed.removed || endpoint.storage->desc().returns_deleted) {
    const bool accepted = !changed.removed && options.orphan_dependents == false;
    return RespondStored(request, endpoint, accepted ? 202 : 200, changed.bytes, changed.revision);
  }
  Result<object::Document> object = DecodeStored(changed.bytes.view(), {});
  if (!object) return serving::RespondError(request, object.error());
  RespondSuccess(request, endpoint, MetaOf(*object).uid());
}

}  // namespace

void HandleDelete(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  const auto format = serving::NegotiateOutput(*request, serving::ResponseKind::kObject);
  if (!format) return serving::RespondError(*request, format.error());
  Result<DeleteOptions> options = ReadDeleteOptions(*request);
  if (!options) return serving::RespondError(*request, options.error());
  if (const auto checked = CheckUnreadable(*request, endpoint, *options); !checked) {
    return serving::RespondError(*request, checked.error());
  }
  WarnOfOrphans(*endpoint.resource, *options, *request);
  std::shared_ptr<serving::ApiRequest> shared = std::move(request);
  Deletion deletion{.endpoint = endpoint,
                    .name_space = endpoint.resource->namespaced ? shared->info.name_space : "",
                    .name = shared->info.name,
                    .options = *options,
                    .request = shared};
  DeleteObject(std::move(deletion), [shared, &endpoint, options = *options](Result<Changed> done) {
    if (!done) return serving::RespondError(*shared, done.error());
    AfterDelete(*shared, endpoint, options, *done);
  });
}

}  // namespace skiff::apiserver
