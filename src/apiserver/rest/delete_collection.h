// DELETE of a collection: what matches is listed once and then deleted one after the other, or some
// at a time (--delete-collection-workers). The answer is the list as it was.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff::apiserver {

// Answers the request, at once or later.
void HandleDeleteCollection(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
