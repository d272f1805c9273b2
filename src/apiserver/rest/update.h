// PUT of an object, or of what a subresource shows of it.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff::apiserver {

// Answers the request, at once or later.
void HandleUpdate(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
