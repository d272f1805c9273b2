// PUT of an object, or of what a subresource shows of it.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff {

// Answers the request, at once or later.
void HandleUpdate(ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff
