// Which ports of a range are taken, in the form that kube-apiserver stores: a v1 RangeAllocation
// whose data is a big number, most significant byte first and without leading zeros, in which the
// bit 2^n stands for the n-th port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/status.h"

namespace skiff::apiserver {

class PortBitmap {
 public:
  // Both ends included.
  PortBitmap(int32_t first, int32_t last)
      : first_(first), last_(last), taken_(static_cast<size_t>(last - first + 1)) {}
  // From what is stored. Ports outside of the range, if the stored one was another, are forgotten.
  static Result<PortBitmap> Decode(int32_t first, int32_t last, std::string_view stored);
  std::string Encode() const;

  bool Contains(int32_t port) const { return port >= first_ && port <= last_; }
  bool IsTaken(int32_t port) const { return Contains(port) && taken_[Index(port)]; }
  void Set(int32_t port, bool taken) {
    if (Contains(port)) taken_[Index(port)] = taken;
  }
  std::vector<int32_t> Taken() const;  // ascending
  // A random free one, above the band that is left to people who choose; nothing when all are
  // taken.
  std::optional<int32_t> ChooseFree(Random& random) const;
  int32_t band() const;
  // "30000-32767"
  std::string RangeText() const { return std::to_string(first_) + "-" + std::to_string(last_); }

  bool operator==(const PortBitmap&) const = default;

 private:
  size_t Index(int32_t port) const { return static_cast<size_t>(port - first_); }

  int32_t first_;
  int32_t last_;
  std::vector<bool> taken_;
};

}  // namespace skiff::apiserver
