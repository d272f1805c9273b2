#include "apiserver/rest/delete.h"

#include <utility>

#include "apiserver/rest/delete_object.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/respond_stored.h"
#include "serving/request/respond.h"
#include "views/meta/v1.h"

namespace skiff {
namespace {

// What an object that is gone at once is answered with.
void RespondSuccess(ApiRequest& request, const Endpoint& endpoint, std::string_view uid) {
  Document document = views::meta_v1::Status::New();
  views::meta_v1::MutableStatus status(document);
  status.set_api_version("v1");
  status.set_status("Success");
  status.mutable_metadata();
  auto details = status.mutable_details();
  details.set_name(request.info.name);
  details.set_group(endpoint.resource->version->desc->group);
  details.set_kind(endpoint.resource->name);
  details.set_uid(uid);
  RespondObject(request, 200, document.root());
}

// Of an object that nobody could read, its name is all that is known.
void RespondGoneUnseen(ApiRequest& request, const Endpoint& endpoint) {
  Document document = views::meta_v1::Status::New();
  views::meta_v1::MutableStatus status(document);
  status.set_api_version("v1");
  status.set_status("Success");
  status.set_code(200);
  status.mutable_metadata();
  auto details = status.mutable_details();
  details.set_name(request.info.name);
  details.set_kind(endpoint.resource->kind_name);
  RespondObject(request, 200, document.root());
}

// The option counts only where it is offered, and needs a right of its own.
Result<void> CheckUnreadable(ApiRequest& request, const Endpoint& endpoint,
                             DeleteOptions& options) {
  const auto& may_delete = endpoint.context->may_delete_unreadable;
  options.unreadable = options.unreadable && may_delete != nullptr;
  if (!options.unreadable) return {};
  SKIFF_RETURN_IF_ERROR(CheckUnreadableDeletion(options));
  return may_delete(request);
}

void AfterDelete(ApiRequest& request, const Endpoint& endpoint, const DeleteOptions& options,
                 const Changed& changed) {
  if (options.unreadable) return RespondGoneUnseen(request, endpoint);
  if (!changed.removed || endpoint.storage->desc().returns_deleted) {
    const bool accepted = !changed.removed && options.orphan_dependents == false;
    return RespondStored(request, endpoint, accepted ? 202 : 200, changed.bytes, changed.revision);
  }
  Result<Document> object = DecodeStored(changed.bytes.view(), {});
  if (!object) return RespondError(request, object.error());
  RespondSuccess(request, endpoint, MetaOf(*object).uid());
}

}  // namespace

void HandleDelete(ApiRequestPtr request, const Endpoint& endpoint) {
  const auto format = NegotiateOutput(*request, ResponseKind::kObject);
  if (!format) return RespondError(*request, format.error());
  Result<DeleteOptions> options = ReadDeleteOptions(*request);
  if (!options) return RespondError(*request, options.error());
  if (const auto checked = CheckUnreadable(*request, endpoint, *options); !checked) {
    return RespondError(*request, checked.error());
  }
  WarnOfOrphans(*endpoint.resource, *options, *request);
  std::shared_ptr<ApiRequest> shared = std::move(request);
  Deletion deletion{.endpoint = endpoint,
                    .name_space = endpoint.resource->namespaced ? shared->info.name_space : "",
                    .name = shared->info.name,
                    .options = *options,
                    .user = &shared->user,
                    .post = [shared](std::move_only_function<void()> task) {
                      shared->responder.Post(std::move(task));
                    }};
  DeleteObject(std::move(deletion), [shared, &endpoint, options = *options](Result<Changed> done) {
    if (!done) return RespondError(*shared, done.error());
    AfterDelete(*shared, endpoint, options, *done);
  });
}

}  // namespace skiff
