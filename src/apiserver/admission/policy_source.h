// The policies and bindings of one kind, in step with the watch caches.
//
// The caches say when something has changed; the next request that asks brings the snapshot up to
// it, so that nothing runs for policies where nobody asks. Only what has changed is compiled again,
// and only policies that are bound are compiled at all. Requests that come meanwhile take the
// snapshot as it was.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "apiserver/admission/policy.h"
#include "apiserver/authz/cache_follower.h"
#include "apiserver/rest/resource_storage.h"
#include "base/clock.h"

namespace skiff::apiserver {

class PolicySource final : private FollowedState {
 public:
  // The storages and the clock outlive it.
  PolicySource(ResourceStorage* policies, ResourceStorage* bindings, Clock& clock);
  ~PolicySource() override;

  // Null: the caches are not filled yet. Any thread.
  std::shared_ptr<const PolicySnapshot> Current();

 private:
  enum Feed : size_t { kPolicies, kBindings };
  struct Known {
    store::EntryRef entry;
    std::shared_ptr<const Policy> policy = nullptr;  // null: not compiled yet
  };

  bool Put(size_t feed, const store::CacheEntry& entry) override;
  void Remove(size_t feed, std::string_view name_space, std::string_view name) override;
  void Refresh();
  std::shared_ptr<const PolicySnapshot> Last();
  std::shared_ptr<const PolicySnapshot> MakeSnapshot();

  Clock& clock_;
  std::atomic<bool> has_news_ = true;
  std::atomic<int64_t> next_tick_ns_ = 0;
  std::mutex refreshing_;  // guards what follows, down to the snapshot
  bool has_changed_ = true;
  std::map<std::string, Known, std::less<>> policies_;
  std::map<std::string, std::shared_ptr<const PolicyBinding>, std::less<>> bindings_;
  std::mutex mutex_;
  std::shared_ptr<const PolicySnapshot> snapshot_;  // guarded by mutex_
  CacheFollower follower_;                          // last: its end must find all of the above
};

}  // namespace skiff::apiserver
