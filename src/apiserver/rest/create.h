// POST to a collection.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff::apiserver {

// Answers the request, at once or later.
void HandleCreate(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
