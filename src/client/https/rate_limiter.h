// So many calls a second in the long run, and so many at once; the others wait in order.
//
// Belongs to its executor.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/executor.h"

namespace skiff::client {

class RateLimiter {
 public:
  using Ticket = uint64_t;

  // No limit unless both numbers are positive.
  RateLimiter(Executor& executor, double per_second, int burst);
  RateLimiter(const RateLimiter&) = delete;
  RateLimiter& operator=(const RateLimiter&) = delete;
  ~RateLimiter() { executor_.Cancel(timer_); }

  // Runs `go` when it is its turn, which may be within this call. Nothing when too many wait.
  std::optional<Ticket> Enter(Executor::Work go);
  // Gives up waiting; harmless when it is over.
  void Leave(Ticket ticket);

  size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    Ticket ticket;
    Executor::Work go;
  };

  void Refill();
  void SetTimer();
  void OnTimer();

  Executor& executor_;
  const double per_second_;
  const double burst_;
  double tokens_;
  Duration refilled_;
  std::deque<Waiting> waiting_;
  Executor::TimerId timer_;
  Ticket last_ticket_ = 0;
};

}  // namespace skiff::client
