// Instants as the API writes them: metav1.Time and metav1.MicroTime.
//
// JSON has `2006-01-02T15:04:05Z`, always UTC, without fraction for a Time and with exactly six
// digits of it for a MicroTime. What is read may be more: any offset, and for a Time a fraction of
// any length (digits beyond nanoseconds are dropped). The rules are those of Go's time.Parse with
// the layouts RFC3339 and "2006-01-02T15:04:05.000000Z07:00".
//
// The zero Time, which JSON writes as null and protobuf as an empty message, is Go's: midnight of
// January 1 of the year 1, kZeroTimestamp. A default Timestamp is 1970, which is an ordinary time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::object {

// An instant: seconds since 1970 and the nanoseconds within that second, as protobuf has it.
struct Timestamp {
  int64_t seconds = 0;
  uint32_t nanos = 0;  // below 1'000'000'000
  friend bool operator==(const Timestamp&, const Timestamp&) = default;
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

inline constexpr Timestamp kZeroTimestamp{-62'135'596'800, 0};
constexpr bool IsZero(Timestamp t) { return t == kZeroTimestamp; }

// From protobuf's fields, where nanos may be negative or more than a second.
Timestamp MakeTimestamp(int64_t seconds, int64_t nanos);

Result<Timestamp> ParseTime(std::string_view text);
// Requires a fraction of exactly six digits.
Result<Timestamp> ParseMicroTime(std::string_view text);

// Years 0 to 9999 take kTimeBytes and kMicroTimeBytes; a year beyond, which only binary input can
// hold, takes more digits or a sign, but never more than kMaxTimeBytes in all.
inline constexpr size_t kTimeBytes = sizeof("2006-01-02T15:04:05Z") - 1;
inline constexpr size_t kMicroTimeBytes = sizeof("2006-01-02T15:04:05.000000Z") - 1;
inline constexpr size_t kMaxTimeBytes = 40;

// Write at `out`, which has room for kMaxTimeBytes, and return the number of bytes written.
// Fractions finer than the format are dropped. The zero Time gets no special treatment here.
size_t FormatTime(Timestamp t, char* out);
size_t FormatMicroTime(Timestamp t, char* out);

void AppendTime(Timestamp t, std::string& out);
void AppendMicroTime(Timestamp t, std::string& out);

}  // namespace skiff::object
