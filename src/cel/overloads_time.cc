#include "cel/overloads_time.h"

#include <array>

#include "cel/functions.h"
#include "cel/values/time.h"

namespace skiff::cel {
namespace {

template <TimeField kField>
Val Get(Evaluation&, Args args) {
  return Val::Int(GetField(ZonedTime{args[0].AsTime(), args[0].time_offset()}, kField));
}
template <TimeField kField>
Val GetInZone(Evaluation& e, Args args) {
  const Result<int64_t> value = GetField(ZonedTime{args[0].AsTime(), args[0].time_offset()}, kField,
                                         args[1].AsText(), e.time_zones());
  return value ? Val::Int(*value) : ErrorOf(e, value);
}
template <TimeField kField>
Val GetOfDuration(Evaluation&, Args args) {
  return Val::Int(GetDurationField(args[0].AsInt(), kField));
}

constexpr std::string_view kPlain = "timestamp.() -> int";
constexpr std::string_view kZone = "timestamp.(string) -> int";
constexpr std::string_view kLength = "duration.() -> int";
using F = TimeField;

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"getFullYear", "timestamp_to_year", kPlain, Get<F::kFullYear>},
    {"getFullYear", "timestamp_to_year_with_tz", kZone, GetInZone<F::kFullYear>},
    {"getMonth", "timestamp_to_month", kPlain, Get<F::kMonth>},
    {"getMonth", "timestamp_to_month_with_tz", kZone, GetInZone<F::kMonth>},
    {"getDayOfYear", "timestamp_to_day_of_year", kPlain, Get<F::kDayOfYear>},
    {"getDayOfYear", "timestamp_to_day_of_year_with_tz", kZone, GetInZone<F::kDayOfYear>},
    {"getDayOfMonth", "timestamp_to_day_of_month", kPlain, Get<F::kDayOfMonth>},
    {"getDayOfMonth", "timestamp_to_day_of_month_with_tz", kZone, GetInZone<F::kDayOfMonth>},
    {"getDate", "timestamp_to_day_of_month_1_based", kPlain, Get<F::kDate>},
    {"getDate", "timestamp_to_day_of_month_1_based_with_tz", kZone, GetInZone<F::kDate>},
    {"getDayOfWeek", "timestamp_to_day_of_week", kPlain, Get<F::kDayOfWeek>},
    {"getDayOfWeek", "timestamp_to_day_of_week_with_tz", kZone, GetInZone<F::kDayOfWeek>},
    {"getHours", "timestamp_to_hours", kPlain, Get<F::kHours>},
    {"getHours", "timestamp_to_hours_with_tz", kZone, GetInZone<F::kHours>},
    {"getHours", "duration_to_hours", kLength, GetOfDuration<F::kHours>},
    {"getMinutes", "timestamp_to_minutes", kPlain, Get<F::kMinutes>},
    {"getMinutes", "timestamp_to_minutes_with_tz", kZone, GetInZone<F::kMinutes>},
    {"getMinutes", "duration_to_minutes", kLength, GetOfDuration<F::kMinutes>},
    {"getSeconds", "timestamp_to_seconds", kPlain, Get<F::kSeconds>},
    {"getSeconds", "timestamp_to_seconds_tz", kZone, GetInZone<F::kSeconds>},
    {"getSeconds", "duration_to_seconds", kLength, GetOfDuration<F::kSeconds>},
    {"getMilliseconds", "timestamp_to_milliseconds", kPlain, Get<F::kMilliseconds>},
    {"getMilliseconds", "timestamp_to_milliseconds_with_tz", kZone, GetInZone<F::kMilliseconds>},
    {"getMilliseconds", "duration_to_milliseconds", kLength, GetOfDuration<F::kMilliseconds>},
});

}  // namespace

std::span<const OverloadRow> TimeFunctions() { return kRows; }

}  // namespace skiff::cel
