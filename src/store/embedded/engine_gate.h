// The door to the engine, which can be replaced while the store runs: after a failed write the
// engine is closed and a new one opened on the same directory.
//
// Owned by the store. One thread, the committer, replaces the engine; it alone may use engine()
// without entering. Everyone else enters and holds the engine open as long as the Reader lives.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "store/embedded/engine.h"

namespace skiff::store {

class EngineGate {
 public:
  explicit EngineGate(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  class Reader {
   public:
    Reader(Reader&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Reader& operator=(Reader&&) = delete;
    ~Reader() {
      if (gate_ != nullptr) gate_->Leave();
    }
    Engine* operator->() const { return gate_->engine_.get(); }
    Engine& operator*() const { return *gate_->engine_; }

   private:
    friend class EngineGate;
    explicit Reader(EngineGate* gate) : gate_(gate) {}
    EngineGate* gate_;
  };

  // Waits while the engine is being replaced, unless this thread is inside already. An error of
  // kServiceUnavailable if there is none.
  Result<Reader> Enter();

  // For the committer.
  Engine* engine() { return engine_.get(); }
  // Waits until everyone has left. Who enters meanwhile waits for Open() or CloseForGood().
  void Close();
  void Open(std::unique_ptr<Engine> engine);
  void CloseForGood(std::string why);

 private:
  void Leave();

  std::mutex mutex_;
  std::condition_variable changed_;
  int readers_ = 0;
  bool replacing_ = false;
  std::string why_closed_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace skiff::store
