#include "client/https/rate_limiter.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace skiff::client {

RateLimiter::RateLimiter(Executor& executor, double per_second, int burst)
    : executor_(executor),
      per_second_(burst > 0 && per_second > 0 ? per_second : 0),
      burst_(burst),
      tokens_(burst),
      refilled_(executor.clock().Monotonic()) {}

void RateLimiter::Refill() {
  const Duration now = executor_.clock().Monotonic();
  const double seconds = std::chrono::duration<double>(now - refilled_).count();
  tokens_ = std::min(burst_, tokens_ + seconds * per_second_);
  refilled_ = now;
}

std::optional<RateLimiter::Ticket> RateLimiter::Enter(Executor::Work go) {
  const Ticket ticket = ++last_ticket_;
  if (per_second_ == 0) {
    go();
    return ticket;
  }
  Refill();
  if (waiting_.empty() && tokens_ >= 1) {
    tokens_ -= 1;
    go();
    return ticket;
  }
  if (waiting_.size() >= limits::kMaxThrottledCalls) return std::nullopt;
  waiting_.push_back({ticket, std::move(go)});
  SetTimer();
  return ticket;
}

void RateLimiter::Leave(Ticket ticket) {
  const auto found = std::ranges::lower_bound(waiting_, ticket, {}, &Waiting::ticket);
  if (found != waiting_.end() && found->ticket == ticket) waiting_.erase(found);
}

void RateLimiter::SetTimer() {
  if (timer_.value != 0 || waiting_.empty()) return;
  const double seconds = std::max(0.0, 1 - tokens_) / per_second_;
  // Rounded up, so that a whole token is there when the time has come.
  const auto wait = Duration(static_cast<int64_t>(seconds * 1e9) + 1000);
  timer_ = executor_.After(wait, [this] { OnTimer(); });
}

void RateLimiter::OnTimer() {
  timer_ = {};
  Refill();
  while (!waiting_.empty() && tokens_ >= 1) {
    tokens_ -= 1;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    next.go();
  }
  SetTimer();
}

}  // namespace skiff::client
