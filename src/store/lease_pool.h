// Leases that many objects share.
//
// Objects that expire (events, above all) come by the thousand with the same time to live, and a
// lease is dear: it is agreed on, renewed and looked through by the store. So objects which come
// soon after each other get the same lease, made to last a little longer than they asked for: by 5
// % of their time to live, at most a minute. An object may therefore live that much longer, never
// shorter. A lease takes a thousand objects, so that its end deletes no more at once.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace skiff::store {

struct LeasePoolOptions {
  std::chrono::seconds max_reuse{60};  // --lease-reuse-duration-seconds
  int max_objects = 1000;
};

// Thread-safe. The store and the clock must outlive it; it may be destroyed while answers are due.
class LeasePool {
 public:
  LeasePool(Store& store, Clock& clock, LeasePoolOptions options = {});
  ~LeasePool();

  // A lease for one object that shall live for `ttl` from now on. Requests that need a new lease of
  // the same time to live while one is being granted wait for it and share it.
  void LeaseFor(std::chrono::seconds ttl, StoreCallback<LeaseId> done);
  // Answers whoever waits, and comes later, with kServiceUnavailable. Nobody is called once it
  // returns, though the store may still grant a lease. Not to be called from within an answer.
  void Close();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace skiff::store
