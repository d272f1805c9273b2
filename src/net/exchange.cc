#include "net/exchange.h"

#include <utility>

namespace skiff::net {

void Exchange::Respond(HttpResponse response) {
  if (loop_->InLoop()) {
    if (owner_ != nullptr) owner_->OnResponse(stream_, std::move(response));
    return;
  }
  response_ = std::move(response);
  loop_->Post([self = shared_from_this()] {
    // Taken out also when nobody waits for it, so that a source ends on the loop.
    HttpResponse arrived = std::move(self->response_);
    if (self->owner_ != nullptr) self->owner_->OnResponse(self->stream_, std::move(arrived));
  });
}

void Exchange::ReadBody(BodyCallback then) {
  if (!loop_->InLoop()) {
    return loop_->Post([self = shared_from_this(), then = std::move(then)]() mutable {
      self->ReadBody(std::move(then));
    });
  }
  if (owner_ != nullptr) owner_->OnBodyWanted(stream_, std::move(then));
}

void Exchange::PassBody(std::unique_ptr<RequestSink> sink) {
  if (!loop_->InLoop()) {
    return loop_->Post([self = shared_from_this(), sink = std::move(sink)]() mutable {
      self->PassBody(std::move(sink));
    });
  }
  if (owner_ != nullptr) return owner_->OnBodyPassed(stream_, std::move(sink));
  sink->OnGone();
}

void Exchange::OnWake() {
  wake_pending_.store(false, std::memory_order_release);
  if (owner_ != nullptr) owner_->OnBodyReady(stream_);
}

void Exchange::Detach() {
  owner_ = nullptr;
  MarkGone();
}

void Exchange::Wake() {
  if (!wake_pending_.exchange(true, std::memory_order_acq_rel)) loop_->Wake(shared_from_this());
}

std::function<void()> Exchange::MakeWake() {
  return [self = shared_from_this()] { self->Wake(); };
}

}  // namespace skiff::net
