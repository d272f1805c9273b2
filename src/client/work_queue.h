// Keys that a control loop has yet to see to, and the loop itself.
//
// A key that is added many times before it is seen to is seen to once; one that is added while it
// is being seen to comes again afterwards; no key is ever in two hands. What fails comes again
// later, with exponential back-off, within bounds. Belongs to one executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/executor.h"
#include "base/status.h"
#include "base/task.h"
#include "client/retry_limiter.h"

namespace skiff::client {

class WorkQueueMetrics;

struct WorkQueueOptions {
  std::string name = {};  // in metrics and logs
  int workers = 1;        // keys that are seen to at a time
  RetryLimits retry = {};
  // Failures in a row after which a key is given up until it is added again; 0: never.
  uint32_t max_retries = 0;
  WorkQueueMetrics* metrics = nullptr;  // must outlive the queue
};

class WorkQueue {
 public:
  // Sees to one key. An error brings the key back later.
  using Reconcile = std::function<Task<Result<void>>(std::string key)>;

  WorkQueue(Executor& executor, WorkQueueOptions options, Reconcile reconcile);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void Add(std::string key);
  // Of several times for one key, the earliest counts.
  void AddAfter(std::string key, Duration delay);
  // As if the key had been seen to and had failed: later each time.
  void AddLimited(std::string key);
  // How often the key has failed in a row.
  uint32_t failures(const std::string& key) const;
  // Nothing is begun any more; what is under way ends.
  void Stop();

  // Those that were added and not begun; those whose time has not come are not among them.
  size_t waiting() const;
  size_t delayed() const;
  size_t under_way() const;
  // How long the oldest of those under way has been seen to; zero: none is.
  Duration busy_for() const;
  bool idle() const { return waiting() == 0 && under_way() == 0; }

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace skiff::client
