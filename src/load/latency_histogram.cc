#include "load/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace skiff::load {

// Values below 2^kSubBits have a bucket each; above, the highest bits choose.
size_t LatencyHistogram::BucketOf(uint64_t microseconds) {
  const uint64_t value = std::min<uint64_t>(microseconds, UINT32_MAX);
  const int width = static_cast<int>(std::bit_width(value));
  if (width <= kSubBits) return value;
  const int shift = width - kSubBits - 1;
  const uint64_t sub = (value >> shift) - (uint64_t{1} << kSubBits);
  return (static_cast<size_t>(shift + 1) << kSubBits) + sub;
}

uint64_t LatencyHistogram::UpperOf(size_t bucket) {
  const size_t group = bucket >> kSubBits;
  const uint64_t sub = bucket & ((size_t{1} << kSubBits) - 1);
  if (group == 0) return sub;
  const auto shift = static_cast<int>(group - 1);
  return (((uint64_t{1} << kSubBits) + sub + 1) << shift) - 1;
}

void LatencyHistogram::Record(Duration value) {
  const auto microseconds = std::chrono::ceil<std::chrono::microseconds>(value).count();
  ++buckets_[BucketOf(static_cast<uint64_t>(std::max<int64_t>(microseconds, 0)))];
  ++count_;
  max_ = std::max(max_, value);
}

void LatencyHistogram::Add(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

Duration LatencyHistogram::Quantile(double part) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets && wanted != 0; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::min<Duration>(std::chrono::microseconds(UpperOf(i)), max_);
  }
  return {};
}

}  // namespace skiff::load
