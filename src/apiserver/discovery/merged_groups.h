// Groups and versions of this server and of others, in the order in which discovery shows them.
//
// There are two such orders in Kubernetes, and they differ. The list at /apis has what is
// registered, by the priorities of the APIServices; what has the same stands in the order of their
// names, which begin with the version. Aggregated discovery has what is served: what this server
// serves by priorities of its own, and only the rest by those of the APIServices; what has the same
// in the order of the groups' names. In both the aggregator's own group comes first, and of equal
// versions that which kubectl would choose.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/discovery/registrations.h"
#include "apiserver/discovery/served_resources.h"

namespace skiff::apiserver {

// One of the two is null.
struct MergedVersion {
  std::string_view version;
  int32_t priority = 0;
  const ServedVersion* local = nullptr;
  const RegisteredVersion* remote = nullptr;
};

struct MergedGroup {
  std::string_view name;
  int32_t priority = 0;
  std::vector<MergedVersion> versions = {};
};

// As aggregated discovery shows them, the core group among them. What is made refers to both.
std::vector<MergedGroup> MergeGroups(const ServedResources& served,
                                     std::span<const RegisteredVersion> registered);
// As /apis shows them.
std::vector<MergedGroup> ListGroups(const ServedResources& served,
                                    std::span<const RegisteredVersion> registered);
// One of these; without versions: there is no such group.
MergedGroup ListGroup(const ServedResources& served, std::span<const RegisteredVersion> registered,
                      std::string_view name);

}  // namespace skiff::apiserver
