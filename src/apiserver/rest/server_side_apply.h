// PATCH with a configuration to apply (application/apply-patch+yaml). It creates the object if
// there is none.
#pragma once

#include "apiserver/rest/endpoint.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

bool IsApply(const serving::ApiRequest& request);

// Answers the request, at once or later.
void HandleApply(serving::ApiRequestPtr request, const Endpoint& endpoint, bool dry_run);

}  // namespace skiff::apiserver
