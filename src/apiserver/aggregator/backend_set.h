// The extension API servers that there are, as the watch cache of APIServices tells.
//
// Owner: the aggregator. Run() and Tick() are the owner's, on one thread; everything else may be
// called from any.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/aggregator/backend.h"
#include "apiserver/aggregator/backend_caller.h"
#include "apiserver/aggregator/remote_backend.h"
#include "apiserver/authz/cache_follower.h"
#include "store/cache/resource_cache.h"

namespace skiff::apiserver {

// Hears of every APIService, on the thread that calls Run().
class ApiServiceObserver {
 public:
  virtual ~ApiServiceObserver() = default;
  // Any of them, each time that it was written; null: it has gone. Before the calls that follow.
  virtual void OnObject(std::string_view /*name*/, const object::Document* /*api_service*/) {}
  // One of another server, each time that something about it has changed.
  virtual void OnRemote(const RemoteBackendPtr& /*backend*/) {}
  // One of this server.
  virtual void OnLocal(std::string_view /*name*/, const object::Document& /*api_service*/) {}
  virtual void OnGone(std::string_view /*name*/) {}
};

class BackendSet final : public Backends, private FollowedState {
 public:
  // `api_services` may be null: then there are none. The observers and the caller outlive it.
  // schedule() is called on any thread, under locks too: Run() has something to do.
  BackendSet(store::ResourceCache* api_services, BackendCaller& caller,
             std::vector<ApiServiceObserver*> observers, std::function<void()> schedule);

  void Start() { follower_.Start(); }
  void Run();
  // To be called every limits::kCacheRetryInterval or so.
  void Tick() { follower_.Tick(); }

  // Null: there is no such one. Costs nothing while there is none at all.
  RemoteBackendPtr FindRemote(std::string_view name) const;
  bool empty() const { return empty_.load(std::memory_order_acquire); }

  std::vector<std::shared_ptr<const Backend>> All() const override;
  std::shared_ptr<const Backend> Find(std::string_view name) const override {
    return FindRemote(name);
  }
  bool synced() const override { return follower_.synced(); }
  void OnChange(std::function<void()> changed) override { told_.push_back(std::move(changed)); }
  Executor& executor() override { return caller_.executor(); }

 private:
  using Known = std::map<std::string, RemoteBackendPtr, std::less<>>;

  bool Put(size_t feed, const store::CacheEntry& entry) override;
  void Remove(size_t feed, std::string_view name_space, std::string_view name) override;
  void Change(std::string_view name, RemoteBackendPtr backend);

  BackendCaller& caller_;
  const std::vector<ApiServiceObserver*> observers_;
  std::vector<std::function<void()>> told_;
  bool changed_ = false;  // of Run()
  std::atomic<bool> empty_{true};
  mutable std::mutex mutex_;  // guards what follows
  Known known_;
  CacheFollower follower_;
};

}  // namespace skiff::apiserver
