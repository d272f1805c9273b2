// The maintenance thread of an embedded store: ends leases whose time has passed, compacts old
// states, when asked to and by itself, has their room given back, asks the engine how it is, and
// reads all that is stored from time to time, so that damage is known before somebody needs what it
// hit. With little room on the disk (disk_space.h) old states are not kept for their time.
//
// Owned by the store, which stops it before the committer that does its work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "store/embedded/committer.h"
#include "store/embedded/engine_gate.h"
#include "store/embedded/lease_table.h"
#include "store/embedded/reader.h"
#include "store/embedded/reclaimer.h"
#include "store/embedded/store_state.h"
#include "store/store.h"

namespace skiff::store {

struct StoreMaintenanceParts {
  EngineGate* gate;
  StoreState* state;
  StoreReader* reader;
  LeaseTable* leases;
  Committer* committer;
  Clock* clock;
};

struct StoreMaintenancePolicy {
  Duration interval;  // of compaction; zero: only when asked to
  Duration retention;
  bool relieves_disk;       // compacts before its time if there is little room
  Duration scrub_interval;  // zero: never
};

class StoreMaintenance {
 public:
  StoreMaintenance(StoreMaintenanceParts parts, StoreMaintenancePolicy policy);
  ~StoreMaintenance() { Stop(); }

  void Compact(Revision revision, StoreCallback<Revision> done);
  // There may be something to do sooner than was known.
  void Wake();
  // Answers compactions that are under way with kServiceUnavailable.
  void Stop();

 private:
  struct Waiter {
    int64_t target;
    StoreCallback<Revision> done;
  };
  struct Sample {
    Duration time;
    int64_t revision;
  };

  void Work();
  // The next moment at which there is something to do, as far as is known.
  Duration NextWakeUp();
  Result<void> EndLeases();
  // True if there is more to do.
  bool CompactSome();
  Result<void> CompactOneStep(int64_t target);
  void AnswerCompactions(const Result<void>& done);
  void CheckEngine();
  // Reads the next keys if it is time to.
  void ScrubSome();
  void RelieveDisk();
  bool IsWorthReclaiming(Engine& engine, DiskSpace room);
  // Remembers when the store was where, and finds what is old enough to be compacted.
  void Observe();

  const StoreMaintenanceParts parts_;
  const StoreMaintenancePolicy policy_;
  Reclaimer reclaimer_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool woken_ = false;
  std::vector<Waiter> waiters_;

  // Of the thread.
  int64_t target_ = 0;  // what automatic compaction wants
  std::deque<Sample> samples_;
  Duration next_sample_{0};
  Duration next_compaction_{0};
  Duration next_check_{0};
  Duration next_scrub_{0};
  std::string scrub_from_;
  Duration retry_at_{0};
  Duration next_relief_{0};
  bool is_pressed_ = false;  // there was little room when last looked at
  // Since the store was opened. What was deleted before is not known.
  std::optional<Duration> reclaimed_at_;

  std::optional<Thread> thread_;
};

}  // namespace skiff::store
