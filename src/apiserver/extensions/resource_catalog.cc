#include "apiserver/extensions/resource_catalog.h"

#include <utility>

namespace skiff::apiserver {
namespace {

FoundResource InVersion(std::shared_ptr<ServedDefinition> definition, std::string_view version) {
  const RoutedResource* route = definition != nullptr ? definition->Route(version) : nullptr;
  if (route == nullptr) return {};
  return {.resource = route->endpoint.resource, .definition = std::move(definition)};
}

}  // namespace

FoundResource ResourceCatalog::FindResource(std::string_view group, std::string_view version,
                                            std::string_view resource) const {
  if (const ServedResource* found = builtin_.FindResource(group, version, resource);
      found != nullptr) {
    return {.resource = found->desc};
  }
  return InVersion(custom_.Find(group, resource), version);
}

FoundResource ResourceCatalog::FindKind(std::string_view group, std::string_view version,
                                        std::string_view kind) const {
  if (const ServedVersion* served = builtin_.FindVersion(group, version); served != nullptr) {
    for (const ServedResource& each : served->resources) {
      if (each.desc->kind_name == kind) return {.resource = each.desc};
    }
  }
  return InVersion(custom_.FindKind(group, kind), version);
}

ResourceStorage* ResourceCatalog::StorageOf(const FoundResource& found) const {
  if (found.definition != nullptr) return found.definition->storage();
  return found.resource != nullptr ? storages_.Find(found.resource->hub) : nullptr;
}

void ResourceCatalog::WithStorage(const FoundResource& found,
                                  std::move_only_function<void(ResourceStorage*)> go_on) const {
  if (found.definition == nullptr) return go_on(StorageOf(found));
  found.definition->WhenReady([definition = found.definition, go_on = std::move(go_on)]() mutable {
    go_on(definition->storage());
  });
}

}  // namespace skiff::apiserver
