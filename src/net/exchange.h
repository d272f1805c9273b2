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
#include "net/memory_budget.h"

namespace skiff::net {

class Exchange final : public Responder::Sink,
                       public EventLoop::Sleeper,
                       public std::enable_shared_from_this<Exchange> {
 public:
  // On the loop.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnResponse(int32_t stream, HttpResponse response) = 0;
    // The source has something to read, or the sink takes something again.
    virtual void OnBodyReady(int32_t stream) = 0;
    // The handler wants the body of its request.
    virtual void OnBodyWanted(int32_t stream, BodyCallback then) = 0;
    // The same, piece by piece.
    virtual void OnBodyPassed(int32_t stream, std::unique_ptr<RequestSink> sink) = 0;
  };

  Exchange(std::shared_ptr<EventLoop> loop, Owner* owner, int32_t stream)
      : loop_(std::move(loop)), owner_(owner), stream_(stream) {}

  void Respond(HttpResponse response) override;
  bool gone() const override { return gone_.load(std::memory_order_relaxed); }
  void Post(std::move_only_function<void()> task) override { loop_->Post(std::move(task)); }
  void ReadBody(BodyCallback then) override;
  void PassBody(std::unique_ptr<RequestSink> sink) override;
  void OnWake() override;

  // On the loop, as all that follows.
  void Detach();
  // The client has gone, as far as one can tell; the answer is still taken.
  void MarkGone() { gone_.store(true, std::memory_order_relaxed); }
  // For BodySource::OnStart().
  std::function<void()> MakeWake();
  void Wake();
  // What the request holds until it is answered: its head and its body. When the client goes, the
  // handler still has them.
  MemoryCharge head_memory;
  MemoryCharge body_memory;

 private:
  std::shared_ptr<EventLoop> loop_;
  Owner* owner_;  // null once detached
  const int32_t stream_;
  std::atomic<bool> gone_ = false;
  std::atomic<bool> wake_pending_ = false;
  HttpResponse response_;  // on its way to the loop
};

}  // namespace skiff::net
