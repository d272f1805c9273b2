// How a pod gets to a node: what is posted to pods/binding.
#pragma once

#include <string_view>

#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of what is posted to a pod: it must be about the pod that the URL names.
Result<void> CheckPosted(const serving::ApiRequest& request, const Endpoint& endpoint,
                         std::string_view kind, object::Document& posted);

// POST of pods/binding: the scheduler says on which node the pod shall run.
void HandlePodBinding(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
