// Files of time zones: whatever is read gives an offset that a clock can have at every instant.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "cel/values/time_zones.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto zone =
      skiff::cel::TimeZone::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!zone) return 0;
  constexpr int64_t kFirst = -62'135'596'800;
  constexpr int64_t kLast = 253'402'300'799;
  constexpr int32_t kMost = 8 * 86'400;
  for (int64_t at = kFirst; at <= kLast; at += (kLast - kFirst) / 97) {
    const int32_t offset = zone->OffsetAt(at);
    if (offset < -kMost || offset > kMost) std::abort();
  }
  return 0;
}
