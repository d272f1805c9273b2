// Keys that a control loop has yet to see to, and the loop itself.
//
// A key that is added many times before it is seen to is seen to once; one that is added while it
// is being seen to comes again afterwards; no key is ever in two hands. What fails comes again
// later, each time after twice as long, within bounds. Belongs to one executor.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/executor.h"
#include "base/status.h"
#include "base/task.h"

namespace skiff {

struct WorkQueueOptions {
  std::string name;  // in metrics and logs
  int workers = 1;   // keys that are seen to at a time
  Duration first_retry = std::chrono::milliseconds(5);
  Duration longest_retry = std::chrono::seconds(1000);
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
  void AddAfter(std::string key, Duration delay);
  // Nothing is begun any more; what is under way ends.
  void Stop();

  size_t waiting() const;
  size_t under_way() const;
  bool idle() const { return waiting() == 0 && under_way() == 0; }

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace skiff
