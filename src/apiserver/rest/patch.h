// PATCH of an object, or of what a subresource shows of it: JSON patch, merge patch and strategic
// merge patch. The patch applies to the JSON form of the object in the version of the URL.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff::apiserver {

// Answers the request, at once or later.
void HandlePatch(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
