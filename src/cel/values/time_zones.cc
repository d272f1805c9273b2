#include "cel/values/time_zones.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/read_file.h"
#include "base/strings.h"
#include "object/scalar/time_zone_name.h"

namespace skiff::cel {
namespace {

constexpr int32_t kSecondsPerDay = 86'400;

auto Malformed() { return BadRequest("malformed time zone information"); }

// Reads the bytes of a file. Reading beyond the end gives zeros and is remembered.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::string_view rest() const { return bytes_; }

  std::string_view Take(size_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      size = 0;
    }
    const std::string_view out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }

  // Big-endian, with a sign.
  int64_t Number(size_t size) {
    const std::string_view bytes = Take(size);
    if (bytes.size() != size) return 0;
    uint64_t value = static_cast<unsigned char>(bytes[0]) >= 0x80 ? ~uint64_t{0} : 0;
    for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
    return static_cast<int64_t>(value);
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

struct Header {
  char version = '\0';
  size_t utc_count = 0;
  size_t standard_count = 0;
  size_t leap_count = 0;
  size_t time_count = 0;
  size_t type_count = 0;
  size_t name_bytes = 0;

  size_t BodyBytes(size_t time_bytes) const {
    return time_count * (time_bytes + 1) + type_count * 6 + name_bytes +
           leap_count * (time_bytes + 4) + standard_count + utc_count;
  }
};

std::optional<Header> ReadHeader(Reader& reader) {
  if (reader.Take(4) != "TZif") return std::nullopt;
  Header out;
  const std::string_view version = reader.Take(16);
  if (!version.empty()) out.version = version[0];
  for (size_t* const count : {&out.utc_count, &out.standard_count, &out.leap_count, &out.time_count,
                              &out.type_count, &out.name_bytes}) {
    const int64_t number = reader.Number(4);
    if (number < 0 || number > static_cast<int64_t>(kMaxZoneFileBytes)) return std::nullopt;
    *count = static_cast<size_t>(number);
  }
  if (!reader.ok() || out.type_count == 0 || out.time_count > kMaxTransitions) return std::nullopt;
  return out;
}

// The rule at the end of a file.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  std::optional<ZoneRule> Read() {
    ZoneRule out;
    if (!Name()) return std::nullopt;
    const auto standard = Time(kMaxHours);
    if (!standard) return std::nullopt;
    out.standard_offset = -*standard;
    if (rest_.empty()) return out;
    if (!Name()) return std::nullopt;
    out.has_summer = true;
    out.summer_offset = out.standard_offset + 3600;
    if (!rest_.empty() && rest_[0] != ',') {
      const auto summer = Time(kMaxHours);
      if (!summer) return std::nullopt;
      out.summer_offset = -*summer;
    }
    if (rest_.empty()) rest_ = ",M3.2.0,M11.1.0";
    const auto to_summer = Change();
    const auto to_standard = to_summer ? Change() : std::nullopt;
    if (!to_standard || !rest_.empty()) return std::nullopt;
    out.to_summer = *to_summer;
    out.to_standard = *to_standard;
    return out;
  }

 private:
  static constexpr int kMaxHours = 24;
  static constexpr int kMaxRuleHours = 24 * 7;

  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // "EST" or "<+03>".
  bool Name() {
    if (rest_.starts_with('<')) {
      const size_t end = rest_.find('>');
      if (end == rest_.npos) return false;
      rest_.remove_prefix(end + 1);
      return true;
    }
    const size_t end = std::min(rest_.find_first_of("0123456789,-+"), rest_.size());
    rest_.remove_prefix(end);
    return end >= 3;
  }

  std::optional<int> Number(int low, int high) {
    int value = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && IsDigit(rest_[digits]); ++digits) {
      value = value * 10 + (rest_[digits] - '0');
      if (value > high) return std::nullopt;
    }
    if (digits == 0 || value < low) return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }

  // [+-]hh[:mm[:ss]], in seconds.
  std::optional<int32_t> Time(int max_hours) {
    const bool negative = rest_.starts_with('-');
    if (negative || rest_.starts_with('+')) rest_.remove_prefix(1);
    const auto hours = Number(0, max_hours);
    if (!hours) return std::nullopt;
    int32_t seconds = *hours * 3600;
    for (const int unit : {60, 1}) {
      if (!Take(':')) break;
      const auto value = Number(0, 59);
      if (!value) return std::nullopt;
      seconds += *value * unit;
    }
    return negative ? -seconds : seconds;
  }

  // ",M3.2.0/2", ",J60", ",59".
  std::optional<ZoneRule::Change> Change() {
    using Kind = ZoneRule::Change::Kind;
    if (!Take(',')) return std::nullopt;
    ZoneRule::Change out;
    std::optional<int> day;
    if (Take('M')) {
      const auto month = Number(1, 12);
      const auto week = month && Take('.') ? Number(1, 5) : std::nullopt;
      day = week && Take('.') ? Number(0, 6) : std::nullopt;
      if (day) {
        out.month = static_cast<int8_t>(*month);
        out.week = static_cast<int8_t>(*week);
      }
    } else if (Take('J')) {
      out.kind = Kind::kJulianDay;
      day = Number(1, 365);
    } else {
      out.kind = Kind::kDayOfYear;
      day = Number(0, 365);
    }
    if (!day) return std::nullopt;
    out.day = static_cast<int16_t>(*day);
    out.seconds = 2 * 3600;
    if (Take('/')) {
      const auto time = Time(kMaxRuleHours);
      if (!time) return std::nullopt;
      out.seconds = *time;
    }
    return out;
  }

  std::string_view rest_;
};

// Seconds from the start of the year in UTC to a change, before which `offset` holds.
int64_t ChangeInYear(std::chrono::year year, const ZoneRule::Change& change, int32_t offset) {
  using Kind = ZoneRule::Change::Kind;
  const std::chrono::sys_days first = year / std::chrono::January / 1;
  int64_t day = change.day;
  if (change.kind == Kind::kJulianDay) {
    // February 29 is never counted.
    if (!year.is_leap() || change.day < 60) --day;
  } else if (change.kind == Kind::kWeekday) {
    const std::chrono::month month(static_cast<unsigned>(change.month));
    const std::chrono::weekday weekday(static_cast<unsigned>(change.day));
    const std::chrono::sys_days date =
        change.week == 5
            ? std::chrono::sys_days(year / month / weekday[std::chrono::last])
            : std::chrono::sys_days(year / month / weekday[static_cast<unsigned>(change.week)]);
    day = (date - first).count();
  }
  return day * kSecondsPerDay + change.seconds - offset;
}

int32_t OffsetByRule(const ZoneRule& rule, int64_t seconds) {
  if (!rule.has_summer) return rule.standard_offset;
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const auto date = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year year = std::chrono::year_month_day(date).year();
  const std::chrono::sys_days first = year / std::chrono::January / 1;
  const int64_t second = (at - first).count();
  const int64_t to_summer = ChangeInYear(year, rule.to_summer, rule.standard_offset);
  const int64_t to_standard = ChangeInYear(year, rule.to_standard, rule.summer_offset);
  // South of the equator, summer is what lies outside of the two.
  const bool between =
      second >= std::min(to_summer, to_standard) && second < std::max(to_summer, to_standard);
  return between == (to_summer <= to_standard) ? rule.summer_offset : rule.standard_offset;
}

struct LocalType {
  int32_t offset = 0;
  bool is_summer = false;
};

// What holds before the first transition: the first type if no transition leads to it, else one of
// standard time, before that of the first transition if that is summer time.
int32_t FirstOffset(const std::vector<LocalType>& types, std::string_view indices) {
  if (indices.find('\0') == indices.npos) return types[0].offset;
  const auto first = static_cast<unsigned char>(indices[0]);
  if (types[first].is_summer) {
    for (size_t i = first; i-- > 0;) {
      if (!types[i].is_summer) return types[i].offset;
    }
  }
  for (const LocalType& type : types) {
    if (!type.is_summer) return type.offset;
  }
  return types[0].offset;
}

}  // namespace

Result<TimeZone> TimeZone::Parse(std::string_view bytes) {
  if (bytes.size() > kMaxZoneFileBytes) return Malformed();
  Reader reader(bytes);
  std::optional<Header> header = ReadHeader(reader);
  if (!header) return Malformed();
  size_t time_bytes = 4;
  if (header->version >= '2') {
    // The same follows in 64 bits.
    reader.Take(header->BodyBytes(time_bytes));
    time_bytes = 8;
    header = ReadHeader(reader);
    if (!header) return Malformed();
  }

  Reader times(reader.Take(header->time_count * time_bytes));
  const std::string_view indices = reader.Take(header->time_count);
  std::vector<LocalType> types;
  for (size_t i = 0; i < header->type_count && reader.ok(); ++i) {
    const auto offset = static_cast<int32_t>(reader.Number(4));
    const bool is_summer = reader.Number(1) != 0;
    reader.Take(1);
    // No clock is further from Greenwich than the rules of POSIX can say.
    if (offset < -7 * kSecondsPerDay || offset > 7 * kSecondsPerDay) return Malformed();
    types.push_back({offset, is_summer});
  }
  reader.Take(header->name_bytes + header->leap_count * (time_bytes + 4) + header->standard_count +
              header->utc_count);
  if (!reader.ok()) return Malformed();

  TimeZone out;
  for (const char index : indices) {
    const auto type = static_cast<unsigned char>(index);
    if (type >= types.size()) return Malformed();
    const int64_t at = times.Number(time_bytes);
    if (!out.transitions_.empty() && at < out.transitions_.back().at) return Malformed();
    out.transitions_.push_back({at, types[type].offset});
  }
  out.first_offset_ = FirstOffset(types, indices);
  std::string_view footer = reader.rest();
  if (time_bytes == 8 && footer.size() > 2 && footer.starts_with('\n')) {
    footer = footer.substr(1, footer.find('\n', 1) - 1);
    if (const auto rule = RuleReader(footer).Read()) {
      out.has_rule_ = true;
      out.rule_ = *rule;
    }
  }
  return out;
}

int32_t TimeZone::OffsetAt(int64_t seconds) const {
  const auto after = std::ranges::upper_bound(transitions_, seconds, {}, &Transition::at);
  if (after == transitions_.end() && has_rule_) return OffsetByRule(rule_, seconds);
  return after == transitions_.begin() ? first_offset_ : std::prev(after)->offset;
}

TimeZones::TimeZones(std::string folder) : folder_(std::move(folder)) {}

Result<int32_t> TimeZones::OffsetAt(std::string_view name, int64_t seconds) {
  // A server's own zone is UTC.
  if (name.empty() || name == "UTC" || name == "Local") return 0;
  SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const TimeZone> zone, Find(name));
  return zone->OffsetAt(seconds);
}

Result<std::shared_ptr<const TimeZone>> TimeZones::Find(std::string_view name) {
  if (name.find("..") != name.npos || name[0] == '/' || name[0] == '\\') {
    return BadRequest("time: invalid location name");
  }
  const auto unknown = [&] { return BadRequest("unknown time zone " + std::string(name)); };
  if (!object::IsTimeZoneName(name)) return unknown();
  const std::lock_guard lock(mutex_);
  if (const auto found = zones_.find(name); found != zones_.end()) return found->second;
  const auto bytes = ReadFileUpTo(folder_ + "/" + std::string(name), kMaxZoneFileBytes);
  if (!bytes) return unknown();
  SKIFF_ASSIGN_OR_RETURN(TimeZone zone, TimeZone::Parse(*bytes));
  auto shared = std::make_shared<const TimeZone>(std::move(zone));
  if (zones_.size() >= kMaxTimeZones) zones_.clear();
  zones_.emplace(name, shared);
  return shared;
}

}  // namespace skiff::cel
