// Which families of addresses a service has.
#pragma once

#include <vector>

#include "apiserver/registry/core/service_fields.h"
#include "base/status.h"

namespace skiff::apiserver {

// ipFamilyPolicy and ipFamilies from what is given and what the cluster has. The causes say what
// does not go together. `old` null: the service is new.
std::vector<StatusCause> FillFamilies(ServiceFields& service, const ServiceFields* old,
                                      const ServiceFamilies& families);

}  // namespace skiff::apiserver
