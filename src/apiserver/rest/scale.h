// The scale subresource: the replicas of a workload, whatever its kind, as autoscaling/v1 Scale.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff::apiserver {

// get, update and patch. Answers the request, at once or later.
void HandleScale(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
