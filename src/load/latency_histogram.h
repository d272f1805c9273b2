// How long things took: counts in buckets that are about 1.6 % wide, from a microsecond to an hour.
//
// Recording is one addition; two histograms can be added. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace skiff::load {

class LatencyHistogram {
 public:
  void Record(Duration value);
  void Add(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  Duration max() const { return max_; }
  // The least value that at least this part of all values do not exceed, as exact as the buckets
  // are; zero when there are none. `part` is in (0, 1].
  Duration Quantile(double part) const;

 private:
  static constexpr int kSubBits = 6;  // 64 buckets for each power of two
  static constexpr size_t kBuckets = (33 - kSubBits) * (size_t{1} << kSubBits);

  static size_t BucketOf(uint64_t microseconds);
  // The largest value of a bucket.
  static uint64_t UpperOf(size_t bucket);

  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  Duration max_{};
};

}  // namespace skiff::load
