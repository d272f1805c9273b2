// Time zones by name, from the compiled files of the system's IANA database (TZif, RFC 9636).
//
// Only names that the database is known to have are looked for, so no name leads out of its folder.
// Files are read on first use and kept: at most kMaxTimeZones of them, each with at most
// kMaxTransitions. Beyond its last transition a zone follows the rule at the end of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::cel {

inline constexpr size_t kMaxZoneFileBytes = 64 * 1024;
inline constexpr size_t kMaxTransitions = 4096;
inline constexpr size_t kMaxTimeZones = 1024;

// A rule for every year, as POSIX writes it: "EST5EDT,M3.2.0,M11.1.0".
struct ZoneRule {
  struct Change {
    enum class Kind : uint8_t { kJulianDay, kDayOfYear, kWeekday } kind = Kind::kWeekday;
    int16_t day = 0;  // of the year; or of the week
    int8_t week = 0;  // 1 to 5, of which 5 is the last
    int8_t month = 0;
    int32_t seconds = 0;  // after midnight; may be negative or beyond a day
  };
  int32_t standard_offset = 0;
  bool has_summer = false;
  int32_t summer_offset = 0;
  Change to_summer;
  Change to_standard;
};

// One zone. Immutable.
class TimeZone {
 public:
  // From the bytes of a file. Anything may be in it.
  static Result<TimeZone> Parse(std::string_view bytes);

  // Seconds east of Greenwich at an instant.
  int32_t OffsetAt(int64_t seconds_since_1970) const;

 private:
  struct Transition {
    int64_t at;
    int32_t offset;
  };

  int32_t first_offset_ = 0;
  std::vector<Transition> transitions_;  // ascending
  bool has_rule_ = false;
  ZoneRule rule_;
};

// The zones that were asked for. Threads may share one.
class TimeZones {
 public:
  explicit TimeZones(std::string folder = "/usr/share/zoneinfo");

  // Seconds east of Greenwich in a zone at an instant, or "unknown time zone …".
  Result<int32_t> OffsetAt(std::string_view name, int64_t seconds_since_1970);

 private:
  Result<std::shared_ptr<const TimeZone>> Find(std::string_view name);

  const std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>> zones_;
};

}  // namespace skiff::cel
