#include "cel/values/time.h"

#include <chrono>

#include "cel/values/numbers.h"
#include "cel/values/time_zones.h"
#include "object/scalar/duration.h"

namespace skiff::cel {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

auto TimestampOverflow() { return BadRequest("timestamp overflow"); }

auto ConversionError(std::string_view type) {
  return BadRequest("type conversion error from 'string' to 'google.protobuf." + std::string(type) +
                    "'");
}

bool IsInRange(int64_t seconds) {
  return seconds >= kMinTimestampSeconds && seconds <= kMaxTimestampSeconds;
}

// The offset at the end of a time that could be read: "Z" or "+01:30".
int32_t WrittenOffset(std::string_view text) {
  if (text.ends_with('Z')) return 0;
  const std::string_view offset = text.substr(text.size() - 6);
  const auto digits = [&](size_t at) { return (offset[at] - '0') * 10 + (offset[at + 1] - '0'); };
  const int32_t seconds = digits(1) * 3600 + digits(4) * 60;
  return offset[0] == '-' ? -seconds : seconds;
}

int64_t FieldAt(const ZonedTime& time, TimeField field, int64_t offset) {
  using std::chrono::days;
  const int64_t seconds = time.at.seconds + offset;
  const int64_t day = seconds / kSecondsPerDay - (seconds % kSecondsPerDay < 0 ? 1 : 0);
  const int64_t second = seconds - day * kSecondsPerDay;
  const std::chrono::sys_days date{days(day)};
  const std::chrono::year_month_day civil{date};
  switch (field) {
    case TimeField::kFullYear:
      return static_cast<int>(civil.year());
    case TimeField::kMonth:
      return static_cast<unsigned>(civil.month()) - 1;
    case TimeField::kDayOfYear:
      return (date - std::chrono::sys_days{civil.year() / std::chrono::January / 1}).count();
    case TimeField::kDayOfMonth:
      return static_cast<unsigned>(civil.day()) - 1;
    case TimeField::kDate:
      return static_cast<unsigned>(civil.day());
    case TimeField::kDayOfWeek:
      return std::chrono::weekday{date}.c_encoding();
    case TimeField::kHours:
      return second / 3600;
    case TimeField::kMinutes:
      return second / 60 % 60;
    case TimeField::kSeconds:
      return second % 60;
    case TimeField::kMilliseconds:
      return time.at.nanos / 1'000'000;
  }
  return 0;
}

// Go's Duration.Seconds() and so on: a whole number and a fraction, added as doubles.
double InUnits(int64_t nanos, int64_t unit) {
  return static_cast<double>(nanos / unit) +
         static_cast<double>(nanos % unit) / static_cast<double>(unit);
}

// "+01:00": hours and minutes of any size. A product that does not fit wraps around, as in Go.
Result<int64_t> NumericOffset(std::string_view zone, size_t colon) {
  SKIFF_ASSIGN_OR_RETURN(const int64_t hours, GoAtoi(zone.substr(0, colon)));
  SKIFF_ASSIGN_OR_RETURN(const int64_t minutes, GoAtoi(zone.substr(colon + 1)));
  const auto add =
      zone[0] == '-' ? 0 - static_cast<uint64_t>(minutes) : static_cast<uint64_t>(minutes);
  const uint64_t total = static_cast<uint64_t>(hours) * 60 + add;
  const auto nanos = static_cast<int64_t>(total * 60 * kNanosPerSecond);
  return static_cast<int64_t>(InUnits(nanos, kNanosPerSecond));
}

}  // namespace

Result<ZonedTime> TimestampFromText(std::string_view text) {
  const Result<object::Timestamp> at = object::ParseTime(text);
  if (!at) return ConversionError("Timestamp");
  if (!IsInRange(at->seconds)) return TimestampOverflow();
  return ZonedTime{*at, WrittenOffset(text)};
}

Result<ZonedTime> TimestampFromSeconds(int64_t seconds) {
  if (!IsInRange(seconds)) return TimestampOverflow();
  return ZonedTime{{seconds, 0}, 0};
}

std::string Text(const ZonedTime& time) {
  std::string out;
  object::AppendTime({time.at.seconds + time.offset_seconds, 0}, out);
  out.pop_back();  // the Z
  if (time.at.nanos != 0) {
    std::string fraction = std::to_string(kNanosPerSecond + time.at.nanos);
    fraction[0] = '.';
    while (fraction.back() == '0') fraction.pop_back();
    out += fraction;
  }
  if (time.offset_seconds == 0) return out + 'Z';
  const int minutes = time.offset_seconds / 60;
  const auto two = [](int value) {
    return std::string{static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)};
  };
  const int positive = minutes < 0 ? -minutes : minutes;
  out += minutes < 0 ? '-' : '+';
  return out + two(positive / 60) + ":" + two(positive % 60);
}

Result<int64_t> DurationFromText(std::string_view text) {
  const Result<int64_t> nanos = object::ParseDuration(text);
  if (!nanos) return ConversionError("Duration");
  return *nanos;
}

std::string DurationText(int64_t nanos) { return PlainText(InUnits(nanos, kNanosPerSecond)) + "s"; }

Result<int64_t> AddDurations(int64_t a, int64_t b) { return Add(a, b); }
Result<int64_t> SubtractDurations(int64_t a, int64_t b) { return Subtract(a, b); }

Result<ZonedTime> AddDuration(const ZonedTime& time, int64_t nanos) {
  // Neither sum can overflow: both are far smaller than 64 bits.
  int64_t seconds = time.at.seconds + nanos / kNanosPerSecond;
  int64_t rest = time.at.nanos + nanos % kNanosPerSecond;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --seconds;
  } else if (rest >= kNanosPerSecond) {
    rest -= kNanosPerSecond;
    ++seconds;
  }
  if (!IsInRange(seconds)) return TimestampOverflow();
  return ZonedTime{{seconds, static_cast<uint32_t>(rest)}, time.offset_seconds};
}

Result<ZonedTime> SubtractDuration(const ZonedTime& time, int64_t nanos) {
  SKIFF_ASSIGN_OR_RETURN(const int64_t negated, Negate(nanos));
  return AddDuration(time, negated);
}

Result<int64_t> SubtractTimestamps(const ZonedTime& a, const ZonedTime& b) {
  SKIFF_ASSIGN_OR_RETURN(const int64_t seconds, Subtract(a.at.seconds, b.at.seconds));
  SKIFF_ASSIGN_OR_RETURN(const int64_t nanos, Multiply(seconds, kNanosPerSecond));
  return Add(nanos, int64_t{a.at.nanos} - int64_t{b.at.nanos});
}

std::optional<TimeField> TimeFieldOf(std::string_view getter) {
  struct Named {
    std::string_view name;
    TimeField field;
  };
  static constexpr Named kGetters[] = {
      {"getFullYear", TimeField::kFullYear},   {"getMonth", TimeField::kMonth},
      {"getDayOfYear", TimeField::kDayOfYear}, {"getDayOfMonth", TimeField::kDayOfMonth},
      {"getDate", TimeField::kDate},           {"getDayOfWeek", TimeField::kDayOfWeek},
      {"getHours", TimeField::kHours},         {"getMinutes", TimeField::kMinutes},
      {"getSeconds", TimeField::kSeconds},     {"getMilliseconds", TimeField::kMilliseconds},
  };
  for (const Named& each : kGetters) {
    if (each.name == getter) return each.field;
  }
  return std::nullopt;
}

int64_t GetField(const ZonedTime& time, TimeField field) { return FieldAt(time, field, 0); }

Result<int64_t> GetField(const ZonedTime& time, TimeField field, std::string_view zone,
                         TimeZones& zones) {
  if (const size_t colon = zone.find(':'); colon != zone.npos) {
    SKIFF_ASSIGN_OR_RETURN(const int64_t offset, NumericOffset(zone, colon));
    return FieldAt(time, field, offset);
  }
  SKIFF_ASSIGN_OR_RETURN(const int64_t offset, zones.OffsetAt(zone, time.at.seconds));
  return FieldAt(time, field, offset);
}

int64_t GetDurationField(int64_t nanos, TimeField field) {
  switch (field) {
    case TimeField::kHours:
      return static_cast<int64_t>(InUnits(nanos, 3600 * kNanosPerSecond));
    case TimeField::kMinutes:
      return static_cast<int64_t>(InUnits(nanos, 60 * kNanosPerSecond));
    case TimeField::kSeconds:
      return static_cast<int64_t>(InUnits(nanos, kNanosPerSecond));
    default:
      return nanos / 1'000'000;
  }
}

}  // namespace skiff::cel
