// What a stored Service gets when it is read: the fields that services did not have when it was
// written.
#pragma once

#include <vector>

#include "apiserver/rest/stored_objects.h"
#include "base/ip_address.h"

namespace skiff::apiserver {

// `service_ranges` are those that new services get their addresses from; there is one at least.
ReadCompletion CompletionOfServices(const std::vector<IpRange>& service_ranges);

}  // namespace skiff::apiserver
