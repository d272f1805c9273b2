#include "apiserver/rest/update.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/update_object.h"
#include "apiserver/rest/write_rules.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

Result<object::Document> ReadObject(serving::ApiRequest& request, const ExpectedKind& kind,
                                    const DefaultPlans& defaults) {
  SKIFF_ASSIGN_OR_RETURN(object::Document object, ReadBody(request, kind, defaults));
  DropDuplicateOwners(object, false, request.warnings);
  return object;
}

}  // namespace

void HandleUpdate(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  serving::ApiRequest& ref = *request;
  const auto format = serving::NegotiateOutput(ref, endpoint.object_kind());
  if (!format) return serving::RespondError(ref, format.error());
  const Result<bool> dry_run = CheckWriteOptions(ref);
  if (!dry_run) return serving::RespondError(ref, dry_run.error());
  const ExpectedKind kind{endpoint.resource->kind, endpoint.resource->version->desc->api_version,
                          endpoint.resource->kind_name};
  std::vector<std::string> warned = ref.warnings;
  Result<object::Document> object = ReadObject(ref, kind, endpoint.context->defaults);
  if (!object) return serving::RespondError(ref, object.error());
  Update update{.request = std::move(request), .endpoint = endpoint, .make_new = {}};
  update.dry_run = *dry_run;
  update.may_be_unconditional = endpoint.storage->desc().unconditional_update;
  update.may_create = endpoint.storage->desc().create_on_update && endpoint.subresource == nullptr;
  // Nearly always the first try is the last, which takes what has been read; others read it again,
  // and warn once.
  update.make_new = [&ref, &endpoint, kind, warned = std::move(warned),
                     body = std::optional<object::Document>(std::move(*object))](
                        object::Document*) mutable -> Result<object::Document> {
    if (body) return *std::exchange(body, std::nullopt);
    ref.warnings = warned;
    return ReadObject(ref, kind, endpoint.context->defaults);
  };
  RunUpdate(std::move(update));
}

}  // namespace skiff::apiserver
