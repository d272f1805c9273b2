// The FlowSchemas and priority levels of the cluster as they are now, as a matcher.
//
// Owner: the server, which calls Refresh() every second or so. Until the schemas that every cluster
// has are there, requests look for them themselves, so that none after the start goes without.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apiserver/flowcontrol/flow_matcher.h"
#include "store/cache/resource_cache.h"

namespace skiff::apiserver {

class FlowConfig {
 public:
  using Decode = std::function<Result<object::Document>(std::string_view stored)>;
  // The caches outlive it.
  FlowConfig(store::ResourceCache& schemas, store::ResourceCache& levels, Decode decode);

  // Any thread, under no locks. Reads the caches, and makes a new matcher if they have changed.
  void Refresh();
  // Any thread, to be used there and at once: the next call may end it.
  const FlowMatcher& Matcher();

 private:
  struct Listed {
    std::vector<object::Document> objects;
    std::string version;  // changes with them
    std::atomic<bool> complete{false};
  };
  void Use(std::shared_ptr<const FlowMatcher> matcher);
  // Null when the cache cannot answer now.
  std::shared_ptr<const Listed> List(store::ResourceCache& cache) const;

  store::ResourceCache& schemas_;
  store::ResourceCache& levels_;
  const Decode decode_;
  std::mutex refreshing_;
  std::string version_;  // of what the matcher was made of
  std::mutex mutex_;
  std::shared_ptr<const FlowMatcher> matcher_;  // guarded by mutex_
  // Of the matcher; no other in the process has the same. Each thread keeps the matcher that it
  // used last, and so looks at this alone.
  std::atomic<uint64_t> number_{0};
};

}  // namespace skiff::apiserver
