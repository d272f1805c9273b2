#include "apiserver/rest/patch.h"

#include <utility>

#include "apiserver/convert/normalize.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/patch_object.h"
#include "apiserver/rest/server_side_apply.h"
#include "apiserver/rest/update_object.h"
#include "apiserver/rest/write_rules.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/patch/go_text.h"
#include "object/patch/json_patch.h"
#include "object/patch/merge_patch.h"
#include "object/patch/strategic_merge_patch.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {

void HandlePatch(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  serving::ApiRequest& ref = *request;
  const auto format = serving::NegotiateOutput(ref, endpoint.object_kind());
  if (!format) return serving::RespondError(ref, format.error());
  const Result<bool> dry_run = CheckWriteOptions(ref);
  if (!dry_run) return serving::RespondError(ref, dry_run.error());
  if (IsApply(ref)) return HandleApply(std::move(request), endpoint, *dry_run);
  Result<ObjectPatch> patch = ReadPatch(ref, *endpoint.resource->kind);
  if (!patch) return serving::RespondError(ref, patch.error());
  Update update{.request = std::move(request), .endpoint = endpoint, .make_new = {}};
  update.dry_run = *dry_run;
  update.may_be_unconditional = endpoint.storage->desc().unconditional_update;
  update.uid_is_precondition = false;
  const ExpectedKind kind{endpoint.resource->kind, endpoint.resource->version->desc->api_version,
                          endpoint.resource->kind_name};
  // The warnings of a try that others got ahead of are told once.
  update.make_new = [&ref, &endpoint, kind, patch = std::move(*patch),
                     warned = ref.warnings](object::Document* current) -> Result<object::Document> {
    ref.warnings = warned;
    return ApplyPatch(ref, patch, current->root(), kind, endpoint.context->defaults);
  };
  RunUpdate(std::move(update));
}

}  // namespace skiff::apiserver
