// The watch cache of one resource: answers get, list and watch from memory, with the meaning that
// Kubernetes gives to resourceVersion (freshness.h).
//
// What it holds is loaded from the store and follows it by a watch. A read that asks for the newest
// state gets it: over an embedded store, whose watches have seen a commit before its answer, from
// the cache at once; over etcd the cache is asked to catch up with etcd's revision first, and if it
// does not in time, or etcd's progress cannot be believed, the read goes to etcd. Past states come
// from the pages that are being read, or from the store's history.
//
// While the cache is being filled, gets and lists in pages are read from the store; other lists and
// watches are turned away with 429, as Kubernetes does.
//
// Owner: the API server, one per resource, from Start() to the destructor. The store, the clock,
// the randomness and the symbols outlive it; watchers may outlive it, and end.
//
// Threads: everything may be called from any thread, from within callbacks too, except Tick(),
// Stop() and the destructor, which are the owner's and not for callbacks. Callbacks come once,
// before the call returns or later on a thread of the store or of Tick(), and must be quick.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "store/cache/event_ring.h"
#include "store/cache/freshness.h"
#include "store/cache/list_reply.h"
#include "store/cache/object_facts.h"
#include "store/cache/selection.h"
#include "store/cache/watcher.h"
#include "store/store.h"

namespace skiff::store {

struct CacheOptions {
  std::string prefix;  // of the resource's keys: "/registry/pods/"
  bool namespaced = true;
  ReadStored read = {};  // null: objects are served as they are stored
  std::shared_ptr<const FactsReader> facts;
  object::SymbolTable* symbols = nullptr;
  // Watches of the store have seen the events of a commit before its answer, and before the
  // commit's revision is told as the current one: so it is with the embedded engine.
  bool events_come_first = false;
  EventRingBounds ring = {};
};

// Parameters as they stand in the request; empty where there is none.
struct CacheGetRequest {
  std::string name_space = {};
  std::string name;
  std::string resource_version = {};
};

struct CacheGetReply {
  EntryRef entry;     // null: there is no such object
  Revision revision;  // that the answer stands for
};

struct CacheListRequest {
  SelectionRequest selection = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::string continue_token = {};
  int64_t limit = 0;
  std::optional<bool> send_initial_events = {};  // which is for watches
  // Leaves out what the store cannot read, instead of an error: for those to whom an object that is
  // missing grants nothing.
  bool without_damaged = false;
};

struct CacheWatchRequest {
  SelectionRequest selection = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::string continue_token = {};
  std::optional<bool> send_initial_events = {};
  bool allow_bookmarks = false;
  bool without_damaged = false;  // as in CacheListRequest
  Duration deadline{0};          // when the server will end the watch; zero: never
  std::move_only_function<void()> wake;
};

class ResourceCache {
 public:
  ResourceCache(Store& store, Clock& clock, Random& random, CacheOptions options);
  ResourceCache(const ResourceCache&) = delete;
  ResourceCache& operator=(const ResourceCache&) = delete;
  ~ResourceCache();

  // `loaded` gets the revision when the cache has been filled. If the store cannot be read, it is
  // tried again until it can.
  void Start(StoreCallback<Revision> loaded);
  // Ends the watchers and answers whoever waits with kServiceUnavailable.
  void Stop();
  // To be called every limits::kProgressInterval: waits end, bookmarks go out, what has been lost
  // is loaded anew.
  void Tick();

  bool ready() const;
  // Everything up to here is in the cache; zero while it is being filled.
  Revision revision() const;
  size_t watcher_count() const;
  // Why it could not be filled when that was last tried; empty if it could, or was not tried yet.
  std::string fault() const;

  void Get(CacheGetRequest request, StoreCallback<CacheGetReply> done);
  void List(CacheListRequest request, StoreCallback<ListReply> done);
  // The first Take() needs no wake-up.
  void Watch(CacheWatchRequest request, StoreCallback<std::unique_ptr<Watcher>> done);

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace skiff::store
