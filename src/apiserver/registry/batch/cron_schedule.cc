#include "apiserver/registry/batch/cron_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "base/strings.h"
#include "object/scalar/duration.h"
#include "object/scalar/time_zone_name.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::string_view kDescriptors[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                             "@daily",  "@midnight", "@hourly"};
constexpr std::string_view kEvery = "@every ";

struct FieldBounds {
  int64_t min;
  int64_t max;
  std::span<const std::string_view> names = {};
};
const std::array<FieldBounds, 5> kFields = {FieldBounds{0, 59}, FieldBounds{0, 23},
                                            FieldBounds{1, 31}, FieldBounds{1, 12, kMonths},
                                            FieldBounds{0, 6, kDays}};

Result<int64_t> ParseNumber(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  int64_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = end == digits.data() + digits.size();
  if (fault != std::errc() || !whole) {
    const bool too_big = fault == std::errc::result_out_of_range && whole;
    return BadRequest("failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " +
                      ShownValue(text).json() + ": " +
                      (too_big ? "value out of range" : "invalid syntax"));
  }
  if (number < 0) {
    return BadRequest("negative number (" + std::to_string(number) +
                      ") not allowed: " + std::string(text));
  }
  return number;
}

Result<int64_t> ParseNumberOrName(std::string_view text, const FieldBounds& bounds) {
  const auto found = std::ranges::find(bounds.names, AsciiLower(text));
  if (found != bounds.names.end()) return found - bounds.names.begin() + bounds.min;
  return ParseNumber(text);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string CheckRange(std::string_view text, const FieldBounds& bounds) {
  const std::string in = ": " + std::string(text);
  const std::vector<std::string_view> range_and_step = Split(text, '/');
  const std::vector<std::string_view> ends = Split(range_and_step[0], '-');
  int64_t start = bounds.min;
  int64_t end = bounds.max;
  if (ends[0] != "*" && ends[0] != "?") {
    const Result<int64_t> first = ParseNumberOrName(ends[0], bounds);
    if (!first) return first.error().message();
    if (ends.size() > 2) return "too many hyphens" + in;
    const Result<int64_t> last = ParseNumberOrName(ends.back(), bounds);
    if (!last) return last.error().message();
    start = *first;
    end = *last;
  }
  if (range_and_step.size() > 2) return "too many slashes" + in;
  int64_t step = 1;
  if (range_and_step.size() == 2) {
    const Result<int64_t> number = ParseNumber(range_and_step[1]);
    if (!number) return number.error().message();
    step = *number;
    if (ends.size() == 1) end = bounds.max;
  }
  const auto shown = [](int64_t number) { return "(" + std::to_string(number) + ")"; };
  if (start < bounds.min) {
    return "beginning of range " + shown(start) + " below minimum " + shown(bounds.min) + in;
  }
  if (end > bounds.max) {
    return "end of range " + shown(end) + " above maximum " + shown(bounds.max) + in;
  }
  if (start > end) {
    return "beginning of range " + shown(start) + " beyond end of range " + shown(end) + in;
  }
  if (step == 0) return "step of range should be a positive number" + in;
  return {};
}

std::string CheckField(std::string_view text, const FieldBounds& bounds) {
  for (const std::string_view range : Split(text, ',')) {
    if (range.empty()) continue;
    if (std::string problem = CheckRange(range, bounds); !problem.empty()) return problem;
  }
  return {};
}

std::string CheckDescriptor(std::string_view text) {
  if (std::ranges::find(kDescriptors, text) != std::end(kDescriptors)) return {};
  if (!text.starts_with(kEvery)) return "unrecognized descriptor: " + std::string(text);
  const auto duration = object::ParseDuration(text.substr(kEvery.size()));
  if (duration) return {};
  return "failed to parse duration " + std::string(text) + ": " + duration.error().message();
}

}  // namespace

std::string CheckCronSchedule(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t space = schedule.find(' ');
    const size_t equals = schedule.find('=');
    if (space == std::string_view::npos) {
      // The words of the parser that Kubernetes uses, which falls over this.
      return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    }
    const std::string_view zone = schedule.substr(equals + 1, space - equals - 1);
    if (!zone.empty() && zone != "Local" && !object::IsTimeZoneName(zone)) {
      return "provided bad location " + std::string(zone) + ": unknown time zone " +
             std::string(zone);
    }
    schedule = TrimSpace(schedule.substr(space));
  }
  if (schedule.starts_with('@')) return CheckDescriptor(schedule);
  std::vector<std::string_view> fields;
  for (const std::string_view part : Split(schedule, ' ')) {
    for (const std::string_view field : Split(part, '\t')) {
      if (!TrimSpace(field).empty()) fields.push_back(TrimSpace(field));
    }
  }
  if (fields.size() != kFields.size()) {
    std::string found;
    for (const std::string_view field : fields) (found += found.empty() ? "" : " ") += field;
    return "expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [" + found +
           "]";
  }
  for (size_t i = 0; i < kFields.size(); ++i) {
    if (std::string problem = CheckField(fields[i], kFields[i]); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace skiff::apiserver
