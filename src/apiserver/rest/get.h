// GET of an object.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff::apiserver {

// Answers the request, at once or later.
void HandleGet(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
