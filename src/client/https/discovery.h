// What documents of discovery say: the one that has all groups at once (APIGroupDiscoveryList), and
// the older ones, of which there is one for each group and version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/client.h"

namespace skiff::client {

struct DiscoveredVersion {
  std::string group;
  std::string version;
  bool available = true;
  std::vector<DiscoveredResource> resources = {};

  std::string name() const { return group.empty() ? version : group + "/" + version; }
};

// Of all of these, versions of a group come in the order in which the server prefers them.
Result<std::vector<DiscoveredVersion>> ReadAggregatedDiscovery(std::string_view json);
// Of /api (APIVersions) and of /apis (APIGroupList): without resources.
Result<std::vector<DiscoveredVersion>> ReadVersions(std::string_view json);
// Of /api/v1 and /apis/GROUP/VERSION (APIResourceList).
Result<std::vector<DiscoveredResource>> ReadResources(std::string_view json,
                                                      const DiscoveredVersion& of);

// Each resource in the first version that has it.
ServedApi ChoosePreferred(const std::vector<DiscoveredVersion>& versions);

}  // namespace skiff::client
