// What the server serves: groups, their versions, and of each the resources with their
// subresources. The router finds its resources here, and discovery and OpenAPI show the same.
//
// Built once at start from the schema, --runtime-config and feature gates; immutable, so any thread
// may read it. Definitions of custom resources will come as further groups with the same tables
// behind them: With() makes a new set, which replaces the old one as a whole.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/discovery/runtime_config.h"
#include "base/feature_gates.h"
#include "object/resource.h"

namespace skiff::apiserver {

struct ServedResource {
  const object::ResourceDesc* desc;
  std::vector<const object::SubresourceDesc*> subresources;  // in the order in which they are shown
  object::VerbSet verbs = desc->verbs;

  // Null when it is not served.
  const object::SubresourceDesc* FindSubresource(std::string_view name) const;
};

struct ServedVersion {
  const object::GroupVersionInfo* info;
  std::vector<ServedResource> resources;  // by name; never empty

  const ServedResource* FindResource(std::string_view name) const;
};

struct ServedGroup {
  std::string_view name;                // "" is the core group
  std::vector<ServedVersion> versions;  // by priority, the preferred one first; never empty

  const ServedVersion* FindVersion(std::string_view version) const;
};

class ServedResources {
 public:
  ServedResources(const RuntimeConfig& config, const FeatureGates& gates);

  // In the order of discovery: core, the aggregator's own, then by priority and name.
  std::span<const ServedGroup> groups() const { return groups_; }

  // These and the ones given, which must be other groups or other versions.
  ServedResources With(std::vector<ServedGroup> more) const;

  // All null when it is not served.
  const ServedGroup* FindGroup(std::string_view group) const;
  const ServedVersion* FindVersion(std::string_view group, std::string_view version) const;
  const ServedResource* FindResource(std::string_view group, std::string_view version,
                                     std::string_view resource) const;

 private:
  explicit ServedResources(std::vector<ServedGroup> groups) : groups_(std::move(groups)) {}

  std::vector<ServedGroup> groups_;
};

}  // namespace skiff::apiserver
