// The leases of an embedded store and when they end. Kept in memory, since renewals are many; what
// must outlive the process is in kLease.
//
// A lease that was never renewed ends at the moment that was written down when it was granted, also
// after a restart. The first renewal is written down as such; from then on a restart gives the
// lease its full time anew, since how often it was renewed is not known. So no lease ends early.
//
// Owned by the store. Any thread may use it; the committer alone adds and removes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/embedded/engine.h"
#include "store/embedded/record.h"
#include "store/store.h"

namespace skiff::store {

// A moment so much later, or the last one that can be counted: the longest leases outlive it.
inline Duration DeadlineAfter(Duration now, Duration wait) {
  return wait > Duration::max() - now ? Duration::max() : now + wait;
}

class LeaseTable {
 public:
  explicit LeaseTable(Clock* clock) : clock_(clock) {}

  // Takes what the engine holds. Leases that are known already keep their time. Those that cannot
  // be read are told of and left out: their keys then stay until they are deleted.
  Result<void> Load(Engine& engine, const std::function<void(const Status&)>& on_damage);

  // One that was just granted.
  void Add(LeaseId id, const LeaseRow& row);
  void Remove(LeaseId id);
  void SetRenewed(LeaseId id);

  bool Exists(LeaseId id);
  // kNotFound when there is no such lease or its time has passed.
  Result<LeaseInfo> Find(LeaseId id);
  // Those whose time has not passed, in the order of their ids.
  std::vector<LeaseInfo> List();
  // As it stands in kLease.
  Result<LeaseRow> Row(LeaseId id);
  // Starts its time anew. The row of it must say that it was renewed.
  Result<LeaseInfo> Renew(LeaseId id);

  // Leases whose time has passed, at most `count`; the earliest first.
  std::vector<LeaseId> Due(size_t count);
  bool IsDue(LeaseId id);
  // Clock::kForever if there are none.
  Duration NextDeadline();

 private:
  struct Lease {
    LeaseRow row;
    Duration deadline;
  };
  using Leases = std::map<LeaseId, Lease>;

  Result<Leases::iterator> Get(LeaseId id);
  void Insert(LeaseId id, const LeaseRow& row, Duration left);
  LeaseInfo Info(LeaseId id, const Lease& lease);

  Clock* const clock_;
  std::mutex mutex_;
  Leases leases_;
  std::set<std::pair<Duration, LeaseId>> by_deadline_;
};

}  // namespace skiff::store
