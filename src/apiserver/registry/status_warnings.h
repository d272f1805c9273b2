// Addresses in the status of objects that should be written differently: of pods, and of the load
// balancers of services and ingresses.
#pragma once

#include <string>
#include <vector>

#include "object/value.h"

namespace skiff {

void WarnAboutPodStatus(const Document& pod, std::vector<std::string>& warnings);
// Of a Service or an Ingress.
void WarnAboutLoadBalancerStatus(const Document& object, std::vector<std::string>& warnings);

}  // namespace skiff
