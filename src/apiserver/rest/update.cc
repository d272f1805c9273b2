// PUT of an object, or of what a subresource shows of it.
#include <utility>

#include "apiserver/request/respond.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/update_object.h"
#include "apiserver/rest/write_rules.h"

namespace skiff {

void HandleUpdate(ApiRequestPtr request, const Endpoint& endpoint) {
  ApiRequest& ref = *request;
  const auto format = NegotiateOutput(ref, Answered::kObject);
  if (!format) return RespondError(ref, format.error());
  const Result<bool> dry_run = IsDryRun(ref);
  if (!dry_run) return RespondError(ref, dry_run.error());
  const Result<void> manager = CheckFieldManager(ref, "UpdateOptions");
  if (!manager) return RespondError(ref, manager.error());
  Result<Document> object =
      ReadBody(ref, {endpoint.resource->kind, endpoint.resource->version->desc->api_version,
                     endpoint.resource->kind_name});
  if (!object) return RespondError(ref, object.error());
  Update update{.request = std::move(request), .endpoint = endpoint, .make_new = {}};
  update.dry_run = *dry_run;
  update.may_be_unconditional = endpoint.storage->desc().unconditional_update;
  update.may_create = endpoint.storage->desc().create_on_update && endpoint.subresource == nullptr;
  update.make_new = [body = std::make_shared<Document>(std::move(*object))](
                        Document*) -> Result<Document> { return body->Copy(); };
  RunUpdate(std::move(update));
}

}  // namespace skiff
