// Timestamps and durations of CEL.
//
// A timestamp is an instant of the years 1 to 9999, and remembers the offset that it was written
// with, which string() shows again and nothing else looks at. A duration is a count of nanoseconds
// in 64 bits. Errors have the text of cel-go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "object/scalar/time.h"

namespace skiff::cel {

class TimeZones;

struct ZonedTime {
  object::Timestamp at;
  int32_t offset_seconds = 0;  // east of Greenwich
};

// The instants 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since 1970.
inline constexpr int64_t kMinTimestampSeconds = -62'135'596'800;
inline constexpr int64_t kMaxTimestampSeconds = 253'402'300'799;

// timestamp(text), timestamp(seconds), string(timestamp).
Result<ZonedTime> TimestampFromText(std::string_view text);
Result<ZonedTime> TimestampFromSeconds(int64_t seconds);
std::string Text(const ZonedTime& time);

// duration(text), string(duration): "5400s", "0.001s".
Result<int64_t> DurationFromText(std::string_view text);
std::string DurationText(int64_t nanos);

Result<int64_t> AddDurations(int64_t a, int64_t b);
Result<int64_t> SubtractDurations(int64_t a, int64_t b);
Result<ZonedTime> AddDuration(const ZonedTime& time, int64_t nanos);
Result<ZonedTime> SubtractDuration(const ZonedTime& time, int64_t nanos);
// The nanoseconds from `b` to `a`.
Result<int64_t> SubtractTimestamps(const ZonedTime& a, const ZonedTime& b);

// The getters, by their names in CEL. Months, days of the year and of the month count from 0, but
// getDate() from 1; Sunday is 0.
enum class TimeField : uint8_t {
  kFullYear,
  kMonth,
  kDayOfYear,
  kDayOfMonth,
  kDate,
  kDayOfWeek,
  kHours,
  kMinutes,
  kSeconds,
  kMilliseconds,
};
// "getFullYear", …; nothing for other names.
std::optional<TimeField> TimeFieldOf(std::string_view getter);

// In UTC.
int64_t GetField(const ZonedTime& time, TimeField field);
// In a zone: a name of the IANA database, "" or "UTC", or an offset in hours and minutes ("+01:00",
// "-08:30", "2:00"), whose size nobody checks.
Result<int64_t> GetField(const ZonedTime& time, TimeField field, std::string_view zone,
                         TimeZones& zones);

// getHours() and so on of a duration: all of it, in that unit, without its fraction. Only the four
// units of time are asked for.
int64_t GetDurationField(int64_t nanos, TimeField field);

}  // namespace skiff::cel
