// Writes the objects that the server itself needs, past HTTP: those that are missing are created,
// as a client's would be, and those that are there are mended if they lack something.
//
// Owner: Bootstrap. Any thread may use it; what it waits for comes from the store.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/registry.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/storage_set.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

// Changes an object that exists into what it should be.
using Repair = std::function<void(object::Document& object)>;

struct WantedObject {
  const object::ResourceDesc* resource = nullptr;
  // In the version of the resource, with its name and namespace, and its status if it begins with
  // one.
  object::Document object = {};
  Repair repair = {};  // gets the object in its stored version; null: it stays as somebody made it
};

// A wanted object from JSON, which is of this program and so must be right.
WantedObject Wanted(std::string_view group, std::string_view version, std::string_view resource,
                    std::string_view json, Repair repair = {});

class SystemWriter {
 public:
  // All outlive the writer.
  SystemWriter(StorageSet& storages, const Registry& registry, RestContext& rest)
      : storages_(storages), registry_(registry), rest_(rest) {}

  // Sees to all of them at once and waits until that is done. The error is the first that came; the
  // others have been seen to all the same. Resources that are not served are left out.
  Result<void> Ensure(std::vector<WantedObject> objects);
  // Mends an object if it is there, and waits until that is done.
  Result<void> RepairExisting(const object::ResourceDesc& resource, std::string_view name,
                              Repair repair);
  // Removes an object if it is as it was read.
  Result<void> Remove(const object::ResourceDesc& resource, std::string_view name_space,
                      std::string_view name, store::Revision revision);

  RestContext& rest() { return rest_; }
  ResourceStorage* StorageOf(const object::ResourceDesc& resource) const {
    return storages_.Find(resource.hub);
  }

 private:
  Result<Change> Create(const Endpoint& endpoint, const object::Document& wanted);

  StorageSet& storages_;
  const Registry& registry_;
  RestContext& rest_;
};

}  // namespace skiff::apiserver
