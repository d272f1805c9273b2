// The storages of all resources that are served, each with its watch cache, and the thread that
// drives the caches' time.
//
// Owner: the API server. Start() returns at once; ready() tells when every cache is filled.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/resource_storage.h"
#include "base/thread.h"

namespace skiff::apiserver {

class StorageSet {
 public:
  // For each hub that is stored. The environment outlives the set.
  static Result<std::unique_ptr<StorageSet>> Make(std::span<const object::ResourceHub* const> hubs,
                                                  StorageEnvironment& environment);
  StorageSet(const StorageSet&) = delete;
  StorageSet& operator=(const StorageSet&) = delete;
  ~StorageSet();

  void Start();
  // Ends all watches.
  void Stop();

  // Null when the hub is not stored or not served.
  ResourceStorage* Find(const object::ResourceHub* hub) const;
  // What labels are interned by, for the storages of custom resources too.
  object::SymbolTable& symbols() { return symbols_; }
  std::span<const std::unique_ptr<ResourceStorage>> all() const { return storages_; }
  // Whether every cache has been filled.
  bool ready() const { return waiting_for_.load(std::memory_order_acquire) == 0; }
  // Why it is not, for people: of the resource whose cache could not be filled, or, if none has
  // failed to, the reason that is given.
  std::string fault(std::string_view otherwise) const;
  // Waits for that, or until the clock says `deadline`; false if it came first.
  bool WaitUntilReady(Duration deadline);

 private:
  explicit StorageSet(StorageEnvironment& environment) : environment_(environment) {}
  void TickUntilStopped();

  StorageEnvironment& environment_;
  object::SymbolTable symbols_;
  std::vector<std::unique_ptr<ResourceStorage>> storages_;
  std::atomic<size_t> waiting_for_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::unique_ptr<Thread> ticker_;
};

}  // namespace skiff::apiserver
