// What tokens are bound to, found in the watch caches.
#pragma once

#include "apiserver/authn/bound_object.h"
#include "apiserver/rest/storage_set.h"

namespace skiff::apiserver {

class CachedObjects final : public BoundObjectLookup {
 public:
  // The storages outlive it.
  explicit CachedObjects(const StorageSet& storages) : storages_(storages) {}
  void Find(BoundKind kind, std::string name_space, std::string name,
            std::move_only_function<void(Result<BoundObject>)> done) override;

 private:
  const StorageSet& storages_;
};

}  // namespace skiff::apiserver
