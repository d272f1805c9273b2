// Durations as metav1.Duration writes them: "1h30m", "1.5s", in the text form of Go.
//
// A duration is a signed 64-bit count of nanoseconds, about 292 years either way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::object {

// As Go's time.ParseDuration: a sign, then numbers with units (ns, us, µs, ms, s, m, h), or "0".
// Digits finer than a nanosecond are dropped. What does not fit in 64 bits is an error.
Result<int64_t> ParseDuration(std::string_view text);

// The longest text is "-2562047h47m16.854775808s".
inline constexpr size_t kMaxDurationBytes = 32;

// As Go's Duration.String: "0s", "1.5ms", "2h0m0.5s". Writes at `out`, which has room for
// kMaxDurationBytes, and returns the number of bytes written.
size_t FormatDuration(int64_t nanos, char* out);
void AppendDuration(int64_t nanos, std::string& out);

}  // namespace skiff::object
