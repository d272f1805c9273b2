// Has the engine give the room of what was deleted back to the disk, on a thread of its own, since
// that may take long.
//
// Owned by the maintenance of the store.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/thread.h"
#include "store/embedded/engine_gate.h"
#include "store/embedded/store_state.h"

namespace skiff::store {

class Reclaimer {
 public:
  Reclaimer(EngineGate* gate, StoreState* state) : gate_(gate), state_(state) {}
  ~Reclaimer() { Stop(); }

  // Does nothing while it is at work. Called by one thread, which is gone before Stop().
  void Start();
  bool at_work();
  // Breaks off what is under way.
  void Stop();

 private:
  void Work();

  EngineGate* const gate_;
  StoreState* const state_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false;
  std::optional<Thread> thread_;  // from the first start on
};

}  // namespace skiff::store
