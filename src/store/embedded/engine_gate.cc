#include "store/embedded/engine_gate.h"

#include <algorithm>
#include <vector>

namespace skiff::store {
namespace {

// The gates that this thread is inside of. A sink that is called during a scan may read the store
// again; making it wait for a replacement that waits for the scan would be a deadlock.
thread_local std::vector<const EngineGate*> entered;

}  // namespace

Result<EngineGate::Reader> EngineGate::Enter() {
  std::unique_lock lock(mutex_);
  if (std::ranges::find(entered, this) == entered.end()) {
    changed_.wait(lock, [&] { return !replacing_; });
  }
  if (engine_ == nullptr) return Fail(StatusReason::kServiceUnavailable, why_closed_);
  ++readers_;
  entered.push_back(this);
  return Reader(this);
}

void EngineGate::Leave() {
  entered.erase(std::ranges::find(entered, this));
  std::lock_guard lock(mutex_);
  if (--readers_ == 0 && replacing_) changed_.notify_all();
}

void EngineGate::Close() {
  std::unique_lock lock(mutex_);
  replacing_ = true;
  changed_.wait(lock, [&] { return readers_ == 0; });
  engine_ = nullptr;
}

void EngineGate::Open(std::unique_ptr<Engine> engine) {
  std::lock_guard lock(mutex_);
  engine_ = std::move(engine);
  replacing_ = false;
  changed_.notify_all();
}

void EngineGate::CloseForGood(std::string why) {
  std::lock_guard lock(mutex_);
  why_closed_ = std::move(why);
  replacing_ = false;
  changed_.notify_all();
}

}  // namespace skiff::store
