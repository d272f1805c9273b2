// What the server serves, as clients know it.
#pragma once

#include <string>
#include <vector>

#include "apiserver/discovery/served_resources.h"
#include "apiserver/rest/resource_storage.h"
#include "client/client.h"

namespace skiff::apiserver {

// Each resource in the version that is preferred of those that have it.
std::vector<client::DiscoveredResource> DiscoverResources(const ServedResources& served);

// The groups and versions that API services promise elsewhere, where this server does not reach.
std::vector<std::string> UnavailableGroups(ResourceStorage* api_services);

}  // namespace skiff::apiserver
