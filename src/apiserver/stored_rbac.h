// Roles and bindings as EnsureBootstrapPolicy() sees them: in the caches and in the store.
#pragma once

#include <memory>

#include "apiserver/authz/reconcile.h"
#include "apiserver/rest/storage_set.h"
#include "base/clock.h"
#include "base/random.h"

namespace skiff::apiserver {

class StoredRbac final : public RbacObjects {
 public:
  // All of it outlives it.
  StoredRbac(const StorageSet& storages, Clock& clock, Random& random)
      : storages_(storages), clock_(clock), random_(random) {}

  void List(std::move_only_function<void(Result<std::vector<object::Document>>)> done) override;
  void Write(RbacPlan plan, std::move_only_function<void(Result<void>)> done) override;

 private:
  struct Writing;
  ResourceStorage* StorageOf(const object::Document& object) const;
  void Create(object::Document object, std::shared_ptr<Writing> writing);
  void Replace(object::Document object, std::shared_ptr<Writing> writing);
  void EnsureNamespace(const std::string& name, std::shared_ptr<Writing> writing);

  const StorageSet& storages_;
  Clock& clock_;
  Random& random_;
};

}  // namespace skiff::apiserver
