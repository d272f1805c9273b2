#include "apiserver/registry/batch/cron_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "base/strings.h"
#include "object/scalar/duration.h"
#include "object/scalar/time_zone_name.h"

namespace skiff {
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

std::optional<int64_t> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<int64_t> ParseNumberOrName(std::string_view text, const FieldBounds& bounds) {
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
  std::optional<int64_t> start = bounds.min;
  std::optional<int64_t> end = bounds.max;
  if (ends[0] != "*" && ends[0] != "?") {
    if (ends.size() > 2) return "too many hyphens" + in;
    start = ParseNumberOrName(ends[0], bounds);
    end = ParseNumberOrName(ends.back(), bounds);
    if (!start || !end) return "neither a number nor a name" + in;
  }
  if (range_and_step.size() > 2) return "too many slashes" + in;
  int64_t step = 1;
  if (range_and_step.size() == 2) {
    const std::optional<int64_t> number = ParseNumber(range_and_step[1]);
    if (!number) return "the step is not a number" + in;
    step = *number;
    if (ends.size() == 1) end = bounds.max;
  }
  if (*start < bounds.min) return "the beginning is below " + std::to_string(bounds.min) + in;
  if (*end > bounds.max) return "the end is above " + std::to_string(bounds.max) + in;
  if (*start > *end) return "the beginning is beyond the end" + in;
  if (step == 0) return "the step must be positive" + in;
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
  if (ParseDuration(text.substr(kEvery.size()))) return {};
  return "not a duration: " + std::string(text);
}

}  // namespace

std::string CheckCronSchedule(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t space = schedule.find(' ');
    if (space == std::string_view::npos) return "a time zone without a schedule";
    const size_t equals = schedule.find('=');
    const std::string_view zone = schedule.substr(equals + 1, space - equals - 1);
    if (!zone.empty() && zone != "Local" && !IsTimeZoneName(zone)) {
      return "provided bad location " + std::string(zone);
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
    return "expected exactly 5 fields, found " + std::to_string(fields.size());
  }
  for (size_t i = 0; i < kFields.size(); ++i) {
    if (std::string problem = CheckField(fields[i], kFields[i]); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace skiff
