// POST of pods/eviction: deletes a pod if the disruption budgets that cover it allow that.
//
// The budget is charged in the same transaction that marks or removes the pod, so that of two
// evictions that race for the last allowed disruption one is refused, and no charge is left behind
// by an eviction that fails.
#pragma once

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/resource_storage.h"

namespace skiff::apiserver {

// `budgets` is the storage of poddisruptionbudgets; null: there are none. Outlives the request.
void HandlePodEviction(serving::ApiRequestPtr request, const Endpoint& endpoint,
                       ResourceStorage* budgets);

}  // namespace skiff::apiserver
