#include "apiserver/rest/server_side_apply.h"

#include <utility>

#include "apiserver/rest/applied_configuration.h"
#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/update_object.h"
#include "base/strings.h"

namespace skiff::apiserver {

bool IsApply(const serving::ApiRequest& request) {
  std::string_view type = request.http.headers.Get("content-type");
  return TrimSpace(type.substr(0, type.find(';'))) == "application/apply-patch+yaml";
}

void HandleApply(serving::ApiRequestPtr request, const Endpoint& endpoint, bool dry_run) {
  serving::ApiRequest& ref = *request;
  Update update{.request = std::move(request), .endpoint = endpoint, .make_new = {}};
  update.dry_run = dry_run;
  update.may_be_unconditional = endpoint.storage->desc().unconditional_update;
  update.uid_is_precondition = false;
  update.may_create = endpoint.subresource == nullptr;
  update.applies = true;
  update.tracks_fields = true;
  update.known_as = NoopApplyCache::DigestOf(ref.http.path, ref.query, ref.http.body);
  update.conversions = ConversionsFor(ref, endpoint);
  update.make_new = MakeApplied(ref, endpoint, update.conversions);
  RunUpdate(std::move(update));
}

}  // namespace skiff::apiserver
