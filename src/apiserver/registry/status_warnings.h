// Addresses in the status of objects that should be written differently: of pods, and of the load
// balancers of services and ingresses.
#pragma once

#include <string>
#include <vector>

#include "object/value.h"

namespace skiff::apiserver {

void WarnAboutPodStatus(const object::Document& pod, std::vector<std::string>& warnings);
// Of a Service or an Ingress.
void WarnAboutLoadBalancerStatus(const object::Document& object,
                                 std::vector<std::string>& warnings);

}  // namespace skiff::apiserver
