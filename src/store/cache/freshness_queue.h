// Reads that wait for the cache to reach a revision, each with a time at which it gives up.
//
// Not thread-safe: its owner locks, takes out what is due, and calls it without the lock.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace skiff::store {

// How the wait ended.
enum class Waited : uint8_t { kFresh, kInVain, kTooMany, kStopped };
using FreshnessCallback = std::move_only_function<void(Waited)>;

class FreshnessQueue {
 public:
  struct Due {
    FreshnessCallback call;
    Waited waited;
    void operator()() { call(waited); }
  };

  void Add(Revision revision, Duration deadline, FreshnessCallback call) {
    waiting_.emplace(revision, Waiting{deadline, std::move(call)});
  }
  // Takes out those that wait for this revision or an earlier one.
  void TakeFresh(Revision reached, std::vector<Due>& due) {
    const auto end = waiting_.upper_bound(reached);
    for (auto at = waiting_.begin(); at != end; ++at) {
      due.push_back({std::move(at->second.call), Waited::kFresh});
    }
    waiting_.erase(waiting_.begin(), end);
  }
  void TakeOverdue(Duration now, std::vector<Due>& due) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (at->second.deadline > now) {
        ++at;
        continue;
      }
      due.push_back({std::move(at->second.call), Waited::kInVain});
      at = waiting_.erase(at);
    }
  }
  void TakeAll(std::vector<Due>& due) {
    for (auto& [revision, waiting] : waiting_) {
      due.push_back({std::move(waiting.call), Waited::kStopped});
    }
    waiting_.clear();
  }
  size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    Duration deadline;
    FreshnessCallback call;
  };
  std::multimap<Revision, Waiting> waiting_;
};

}  // namespace skiff::store
