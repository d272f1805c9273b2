// Instants and durations as the API writes them.
#pragma once

#include <cstdint>

namespace skiff {

// An instant: seconds since 1970 and the nanoseconds within that second, as protobuf has it.
struct Timestamp {
  int64_t seconds = 0;
  uint32_t nanos = 0;
  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

}  // namespace skiff
