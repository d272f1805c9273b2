// POST to a collection.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff {

// Answers the request, at once or later.
void HandleCreate(ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff
