// What services and claims get when they are read from the store: fields that came later than the
// objects. New objects are given them when they are created, by rules that ask for more than the
// object, so that these are no defaults.
#pragma once

#include <vector>

#include "apiserver/rest/stored_objects.h"
#include "base/ip_address.h"
#include "object/resource.h"

namespace skiff::apiserver {

// Of this resource; empty for nearly all. `service_ranges`: of the addresses of services, whose
// first one says which family a headless service has. Never empty.
ReadCompletion CompletionOf(const object::ResourceHub& hub,
                            const std::vector<IpRange>& service_ranges);

}  // namespace skiff::apiserver
