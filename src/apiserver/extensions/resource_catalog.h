// Finds resources, built-in and custom ones alike, by the names that clients give them, as they are
// served at the moment: for those who are told at run time what to look at, such as policies whose
// parameters may be of any kind.
//
// Owner: the API server. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "apiserver/discovery/served_resources.h"
#include "apiserver/extensions/custom_resources.h"
#include "apiserver/rest/resource_storage.h"
#include "apiserver/rest/storage_set.h"

namespace skiff::apiserver {

// A resource in one version. What it refers to lives as long as this is held.
struct FoundResource {
  const object::ResourceDesc* resource = nullptr;
  // Of a custom resource; null: it is built in.
  std::shared_ptr<ServedDefinition> definition = {};

  explicit operator bool() const { return resource != nullptr; }
};

class ResourceCatalog {
 public:
  // All of it outlives the catalog.
  ResourceCatalog(const ServedResources& builtin, const StorageSet& storages,
                  const CustomResources& custom)
      : builtin_(builtin), storages_(storages), custom_(custom) {}

  // Empty: it is not served.
  FoundResource FindResource(std::string_view group, std::string_view version,
                             std::string_view resource) const;
  // By what an object says of itself.
  FoundResource FindKind(std::string_view group, std::string_view version,
                         std::string_view kind) const;

  // Goes on with the storage when its cache is filled: at once, unless nobody has asked for objects
  // of a custom resource before. Null: objects of it are not stored, or it has just gone.
  void WithStorage(const FoundResource& found,
                   std::move_only_function<void(ResourceStorage*)> go_on) const;
  // The storage, if its cache is filled. The objects of a custom resource that nobody has asked for
  // are not there; then null.
  ResourceStorage* StorageOf(const FoundResource& found) const;

 private:
  const ServedResources& builtin_;
  const StorageSet& storages_;
  const CustomResources& custom_;
};

}  // namespace skiff::apiserver
