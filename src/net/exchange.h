// One request and its answer: what stands behind a Responder.
//
// It joins any thread that answers or wakes with the loop that the connection lives on. The
// protocol detaches it when the answer is complete or the client has gone; whatever comes later
// does nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "net/event_loop.h"
#include "net/http.h"

namespace skiff {

class Exchange final : public Responder::Sink,
                       public EventLoop::Sleeper,
                       public std::enable_shared_from_this<Exchange> {
 public:
  // On the loop.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnResponse(int32_t stream, HttpResponse response) = 0;
    // The source has something to read.
    virtual void OnBodyReady(int32_t stream) = 0;
  };

  Exchange(std::shared_ptr<EventLoop> loop, Owner* owner, int32_t stream)
      : loop_(std::move(loop)), owner_(owner), stream_(stream) {}

  void Respond(HttpResponse response) override;
  bool gone() const override { return gone_.load(std::memory_order_relaxed); }
  void Post(std::move_only_function<void()> task) override { loop_->Post(std::move(task)); }
  void OnWake() override;

  // On the loop, as all that follows.
  void Detach();
  // The client has gone, as far as one can tell; the answer is still taken.
  void MarkGone() { gone_.store(true, std::memory_order_relaxed); }
  // For BodySource::OnStart().
  std::function<void()> MakeWake();
  void Wake();

 private:
  std::shared_ptr<EventLoop> loop_;
  Owner* owner_;  // null once detached
  const int32_t stream_;
  std::atomic<bool> gone_ = false;
  std::atomic<bool> wake_pending_ = false;
  HttpResponse response_;  // on its way to the loop
};

}  // namespace skiff
