// GET of an object.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff {

// Answers the request, at once or later.
void HandleGet(ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff
