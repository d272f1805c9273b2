#include "apiserver/discovery/served_resources.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace skiff::apiserver {
namespace {

ServedVersion Serve(const object::GroupVersionInfo& info, const RuntimeConfig& config,
                    const FeatureGates& gates) {
  ServedVersion version{&info, {}};
  for (const object::ResourceDesc& resource : info.resources) {
    if (!config.Serves(resource)) continue;
    if (!resource.gate.empty() && !gates.IsNamedOn(resource.gate)) continue;
    ServedResource& served = version.resources.emplace_back(ServedResource{&resource, {}});
    for (const object::SubresourceDesc& subresource : resource.subresources) {
      if (!subresource.gate.empty() && !gates.IsNamedOn(subresource.gate)) continue;
      served.subresources.push_back(&subresource);
    }
  }
  return version;
}

ServedGroup& GroupNamed(std::vector<ServedGroup>& groups, std::string_view name) {
  for (ServedGroup& group : groups) {
    if (group.name == name) return group;
  }
  return groups.emplace_back(ServedGroup{name, {}});
}

int32_t PriorityOf(const ServedGroup& group) {
  int32_t priority = 0;
  for (const ServedVersion& version : group.versions) {
    priority = std::max(priority, version.info->group_priority);
  }
  return priority;
}

// Core comes first; a group without a priority is the aggregator's own and comes next.
bool GroupBefore(const ServedGroup& a, const ServedGroup& b) {
  const auto key = [](const ServedGroup& group) {
    const int32_t priority = PriorityOf(group);
    const int place = group.name.empty() ? 0 : priority == 0 ? 1 : 2;
    return std::tuple(place, -priority, group.name);
  };
  return key(a) < key(b);
}

bool VersionBefore(const ServedVersion& a, const ServedVersion& b) {
  return a.info->version_priority > b.info->version_priority;
}

template <typename T, typename NameOf>
const T* FindByName(const std::vector<T>& sorted, std::string_view name, NameOf name_of) {
  const auto at = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [&](const T& item, std::string_view wanted) { return name_of(item) < wanted; });
  return at == sorted.end() || name_of(*at) != name ? nullptr : &*at;
}

}  // namespace

ServedResources::ServedResources(const RuntimeConfig& config, const FeatureGates& gates) {
  for (const object::GroupVersionInfo& info : object::ServedGroupVersions()) {
    ServedVersion version = Serve(info, config, gates);
    if (version.resources.empty()) continue;
    GroupNamed(groups_, info.desc->group).versions.push_back(std::move(version));
  }
}

ServedResources ServedResources::With(std::vector<ServedGroup> more) const {
  std::vector<ServedGroup> groups = groups_;
  for (ServedGroup& added : more) {
    std::vector<ServedVersion>& versions = GroupNamed(groups, added.name).versions;
    for (ServedVersion& version : added.versions) versions.push_back(std::move(version));
    std::stable_sort(versions.begin(), versions.end(), VersionBefore);
  }
  std::stable_sort(groups.begin(), groups.end(), GroupBefore);
  return ServedResources(std::move(groups));
}

const object::SubresourceDesc* ServedResource::FindSubresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &object::SubresourceDesc::name);
  return found == subresources.end() ? nullptr : *found;
}

const ServedResource* ServedVersion::FindResource(std::string_view name) const {
  return FindByName(resources, name,
                    [](const ServedResource& resource) { return resource.desc->name; });
}

const ServedVersion* ServedGroup::FindVersion(std::string_view version) const {
  for (const ServedVersion& served : versions) {
    if (served.info->desc->version == version) return &served;
  }
  return nullptr;
}

const ServedGroup* ServedResources::FindGroup(std::string_view group) const {
  for (const ServedGroup& served : groups_) {
    if (served.name == group) return &served;
  }
  return nullptr;
}

const ServedVersion* ServedResources::FindVersion(std::string_view group,
                                                  std::string_view version) const {
  const ServedGroup* const served = FindGroup(group);
  return served == nullptr ? nullptr : served->FindVersion(version);
}

const ServedResource* ServedResources::FindResource(std::string_view group,
                                                    std::string_view version,
                                                    std::string_view resource) const {
  const ServedVersion* const served = FindVersion(group, version);
  return served == nullptr ? nullptr : served->FindResource(resource);
}

}  // namespace skiff::apiserver
