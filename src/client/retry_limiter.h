// The exponential back-off of keys that failed: twice as long after each failure, within
// bounds, and never so that all keys together come again more often than a rate with a burst.
//
// Belongs to one executor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace skiff::client {

struct RetryLimits {
  Duration first = std::chrono::milliseconds(5);
  Duration longest = std::chrono::seconds(1000);
  double per_second = 10;  // of all keys
  double burst = 100;
};

class RetryLimiter {
 public:
  explicit RetryLimiter(RetryLimits limits) : limits_(limits), tokens_(limits.burst) {}

  // Counts a failure, and a retry of all keys together. `now` never goes backwards.
  Duration Next(const std::string& key, Duration now) {
    const uint32_t failures = failures_[key]++;
    double wait = std::chrono::duration<double, std::nano>(limits_.first).count();
    const double longest = std::chrono::duration<double, std::nano>(limits_.longest).count();
    wait = std::min(wait * std::exp2(std::min<uint32_t>(failures, 63)), longest);
    return std::max(Duration(static_cast<int64_t>(wait)), Reserve(now));
  }
  void Forget(const std::string& key) { failures_.erase(key); }
  // In a row.
  uint32_t Failures(const std::string& key) const {
    const auto found = failures_.find(key);
    return found == failures_.end() ? 0 : found->second;
  }

 private:
  // Takes a token, which may be one of the future, and tells how far away that is.
  Duration Reserve(Duration now) {
    const double seconds = std::chrono::duration<double>(now - last_).count();
    tokens_ = std::min(limits_.burst, tokens_ + seconds * limits_.per_second) - 1;
    last_ = now;
    if (tokens_ >= 0) return Duration::zero();
    return Duration(static_cast<int64_t>(-tokens_ / limits_.per_second * 1e9));
  }

  const RetryLimits limits_;
  double tokens_;
  Duration last_{};
  std::unordered_map<std::string, uint32_t> failures_;
};

}  // namespace skiff::client
