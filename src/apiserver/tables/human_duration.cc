#include "apiserver/tables/human_duration.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

namespace skiff::apiserver {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kHoursPerYear = 24 * 365;

char* WriteText(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* WritePart(int64_t number, char unit, char* out) {
  out = std::to_chars(out, out + kMaxHumanDurationBytes / 2, number).ptr;
  *out = unit;
  return out + 1;
}

char* WriteParts(int64_t number, char unit, int64_t rest, char rest_unit, char* out) {
  out = WritePart(number, unit, out);
  return rest == 0 ? out : WritePart(rest, rest_unit, out);
}

}  // namespace

char* WriteHumanDuration(int64_t nanoseconds, char* out) {
  const int64_t seconds = nanoseconds / kNanosPerSecond;
  if (seconds < -1) return WriteText("<invalid>", out);
  if (seconds < 0) return WriteText("0s", out);
  if (seconds < 2 * 60) return WritePart(seconds, 's', out);
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return WriteParts(minutes, 'm', seconds % 60, 's', out);
  if (minutes < 3 * 60) return WritePart(minutes, 'm', out);
  const int64_t hours = minutes / 60;
  if (hours < 8) return WriteParts(hours, 'h', minutes % 60, 'm', out);
  if (hours < 48) return WritePart(hours, 'h', out);
  const int64_t days = hours / 24;
  if (days < 8) return WriteParts(days, 'd', hours % 24, 'h', out);
  if (hours < 2 * kHoursPerYear) return WritePart(days, 'd', out);
  if (hours < 8 * kHoursPerYear) return WriteParts(days / 365, 'y', days % 365, 'd', out);
  return WritePart(days / 365, 'y', out);
}

int64_t NanosecondsBetween(object::Timestamp from, object::Timestamp to) {
  __extension__ using Wide = __int128;
  const Wide nanos = (Wide{to.seconds} - from.seconds) * kNanosPerSecond + to.nanos - from.nanos;
  const Wide most = std::numeric_limits<int64_t>::max();
  const Wide least = std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(std::clamp(nanos, least, most));
}

}  // namespace skiff::apiserver
