// What extension API servers answer when they are asked what they serve: all of it at once
// (APIGroupDiscoveryList), or version by version (APIResourceList) where they are older.
//
// Either is checked against its type, brought into one form, and kept as JSON.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/shared_bytes.h"
#include "base/status.h"

namespace skiff::apiserver {

// Of each group and version an array of APIResourceDiscovery.
using DiscoveredResources = std::map<std::pair<std::string, std::string>, SharedBytes>;

// What asks for the first, in the versions that are understood.
extern const std::string_view kAggregatedDiscoveryTypes;
// Whether an answer with this content type is one.
bool IsAggregatedDiscovery(std::string_view content_type);
Result<DiscoveredResources> ReadGroupDiscovery(std::string_view json);

// Of the second: such an array.
Result<SharedBytes> ReadResourceList(std::string_view json);

}  // namespace skiff::apiserver
