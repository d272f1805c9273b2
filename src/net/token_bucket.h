// A rate with a burst: so many at once, and so many a second in the long run.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace skiff::net {

class TokenBucket {
 public:
  TokenBucket(uint32_t burst, uint32_t per_second)
      : burst_(burst), per_second_(per_second), tokens_(burst) {}

  // False when there is none left. `now` never goes backwards.
  bool Take(Duration now) {
    if (tokens_ < burst_) {
      const double seconds = std::chrono::duration<double>(now - last_).count();
      tokens_ = std::min<double>(burst_, tokens_ + seconds * per_second_);
    }
    last_ = now;
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  uint32_t burst_;
  uint32_t per_second_;
  double tokens_;
  Duration last_{};
};

}  // namespace skiff::net
