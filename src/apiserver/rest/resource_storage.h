// One resource at rest: its place in the store, its watch cache, and what the server does to
// objects on their way in. All versions of a resource share one of these.
//
// Owner: StorageSet, for the life of the server, or the definition of a custom resource, for as
// long as that stays as it is. Any thread may use it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/convert/object_converter.h"
#include "apiserver/rest/key_locks.h"
#include "apiserver/rest/stored_objects.h"
#include "apiserver/rest/strategy.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "object/resource.h"
#include "object/selector/symbols.h"
#include "store/cache/resource_cache.h"
#include "store/lease_pool.h"
#include "store/store.h"

namespace skiff::apiserver {

class DefaultPlans;

// What all resources need. Outlives them.
struct StorageEnvironment {
  store::Store& store;
  Clock& clock;
  Random& random;
  store::LeasePool& leases;
  const DefaultPlans& defaults;
  std::string prefix = "/registry";  // --etcd-prefix
  // Of an embedded store (CacheOptions).
  bool events_come_first = true;
  std::chrono::seconds event_ttl{3600};  // --event-ttl
  std::shared_ptr<KeyLocks> key_locks = std::make_shared<KeyLocks>();
  // Shared by all changes that are under way, for its owner, who has to wait until there are none.
  std::weak_ptr<const void> changes = {};
  // --storage-media-type: JSON also for kinds that have a protobuf form.
  bool prefer_json = false;
  Log* log = nullptr;  // for faults of our own
  // What resources fill in when their objects are read; null: nothing.
  std::function<ReadCompletion(const object::ResourceHub&)> read_completion = {};
};

class ResourceStorage {
 public:
  // `hub_owner`: what the hub and its tables lie in, of those that are made at run time. The store
  // may be reading for the cache when the storage ends, and what it then still looks at refers to
  // them. `converter`: who converts objects between versions, where that has to be waited for; it
  // outlives the storage. Then objects are kept in the version that they are at rest in.
  static Result<std::unique_ptr<ResourceStorage>> Make(
      const object::ResourceHub& hub, StorageEnvironment& environment, object::SymbolTable& symbols,
      std::shared_ptr<const void> hub_owner = nullptr, ObjectConverter* converter = nullptr);

  const object::ResourceHub& hub() const { return *hub_; }
  const object::StorageDesc& desc() const { return *hub_->storage; }
  bool namespaced() const { return hub_->resource->namespaced; }
  const Strategy& strategy() const { return strategy_; }
  const store::FactsReader& facts() const { return *facts_; }
  const StoredObjects& objects() const { return *objects_; }
  // Null: objects get into other versions by Convert(), and all that are read are in the stored
  // one.
  ObjectConverter* converter() const { return converter_; }
  object::SymbolTable& symbols() const { return symbols_; }
  store::ResourceCache& cache() { return cache_; }
  store::Store& store() { return environment_.store; }
  StorageEnvironment& environment() { return environment_; }

  // /registry/PREFIX/[NAMESPACE/]NAME.
  std::string Key(std::string_view name_space, std::string_view name) const;
  const std::string& prefix() const { return prefix_; }
  // Of an entry that may be one that cannot be read: then the error names its key, and says why.
  Result<void> CheckReadable(const store::CacheEntry& entry) const;
  // `key` is without the prefix.
  Status Unreadable(std::string_view key, store::Revision revision, std::string_view why) const;
  // Likewise of a list: the error tells of all that cannot be read, up to a limit.
  Result<void> CheckReadable(const store::ListReply& list) const;
  // The resource is not served any more, or by another storage: its watches end without an error.
  void Retire() {
    retired_.store(true, std::memory_order_release);
    cache_.Stop();
  }
  bool retired() const { return retired_.load(std::memory_order_acquire); }
  // What objects live for; zero: until they are deleted.
  std::chrono::seconds ttl() const;

 private:
  ResourceStorage(const object::ResourceHub& hub, StorageEnvironment& environment,
                  object::SymbolTable& symbols, std::shared_ptr<const store::FactsReader> facts,
                  std::shared_ptr<const StoredObjects> objects, Strategy strategy,
                  ObjectConverter* converter);

  std::string ExplainUnreadable(std::string_view key, store::Revision revision,
                                std::string_view why) const;

  const object::ResourceHub* hub_;
  StorageEnvironment& environment_;
  std::string prefix_;
  std::shared_ptr<const store::FactsReader> facts_;
  std::shared_ptr<const StoredObjects> objects_;
  Strategy strategy_;
  ObjectConverter* const converter_;
  object::SymbolTable& symbols_;
  std::atomic<bool> retired_{false};
  store::ResourceCache cache_;
};

}  // namespace skiff::apiserver
