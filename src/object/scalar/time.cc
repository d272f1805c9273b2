#include "object/scalar/time.h"

#include <cstring>

#include "base/strings.h"

namespace skiff::object {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

struct Date {
  int64_t year;
  unsigned month;  // 1 to 12
  unsigned day;    // 1 to 31
};

// Years are counted from March so that the leap day is the last of its year; 400 of them, an era,
// always have the same number of days.
constexpr int64_t kDaysPerEra = 146'097;
constexpr int64_t kEraStartBefore1970 = 719'468;  // from March 1 of the year 0

constexpr int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int64_t FloorMod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }

constexpr int64_t DaysFromDate(Date date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = FloorDiv(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t month_from_march = date.month > 2 ? date.month - 3 : date.month + 9;
  const int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kEraStartBefore1970;
}

constexpr Date DateFromDays(int64_t days) {
  days += kEraStartBefore1970;
  const int64_t era = FloorDiv(days, kDaysPerEra);
  const auto day_of_era = static_cast<unsigned>(days - era * kDaysPerEra);
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned month_from_march = (5 * day_of_year + 2) / 153;
  const unsigned day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const unsigned month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {era * 400 + year_of_era + (month <= 2 ? 1 : 0), month, day};
}

static_assert(DaysFromDate({1970, 1, 1}) == 0);
static_assert(DaysFromDate({1, 1, 1}) * kSecondsPerDay == kZeroTimestamp.seconds);

constexpr bool IsLeapYear(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr unsigned DaysInMonth(int64_t year, unsigned month) {
  constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

// Reads the text piece by piece. The first failure stands; what later reads return is not used.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text), rest_(text) {}

  bool ok() const { return problem_ == nullptr; }
  void Fail(const char* problem) {
    if (ok()) problem_ = problem;
  }

  unsigned Digits(size_t count, const char* problem) {
    unsigned value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (i >= rest_.size() || !IsDigit(rest_[i])) {
        Fail(problem);
        return 0;
      }
      value = value * 10 + static_cast<unsigned>(rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  unsigned Ranged(size_t count, unsigned low, unsigned high, const char* problem) {
    const unsigned value = Digits(count, problem);
    if (ok() && (value < low || value > high)) Fail(problem);
    return value;
  }

  void Literal(char c, const char* problem) {
    if (!rest_.empty() && rest_[0] == c) {
      rest_.remove_prefix(1);
    } else {
      Fail(problem);
    }
  }

  // Go takes a single digit for the hour.
  unsigned Hour() {
    const bool short_form = rest_.size() >= 2 && IsDigit(rest_[0]) && !IsDigit(rest_[1]);
    return Ranged(short_form ? 1 : 2, 0, 23, "bad hour");
  }

  uint32_t OptionalFraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !IsDigit(rest_[1])) return 0;
    rest_.remove_prefix(1);
    uint32_t nanos = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && IsDigit(rest_[digits]); ++digits) {
      if (digits < 9) nanos = nanos * 10 + static_cast<uint32_t>(rest_[digits] - '0');
    }
    for (size_t i = digits; i < 9; ++i) nanos *= 10;
    rest_.remove_prefix(digits);
    return nanos;
  }

  uint32_t SixDigitFraction() {
    if (!rest_.empty() && rest_[0] == ',') {
      rest_.remove_prefix(1);
    } else {
      Literal('.', "no fraction of six digits");
    }
    return Digits(6, "no fraction of six digits") * 1000;
  }

  // Seconds east of Greenwich. Go allows the full 24 hours and 60 minutes.
  int64_t Offset() {
    constexpr const char* kProblem = "bad zone offset";
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return 0;
    }
    const bool west = !rest_.empty() && rest_[0] == '-';
    Literal(west ? '-' : '+', kProblem);
    const int64_t hours = Ranged(2, 0, 24, kProblem);
    Literal(':', kProblem);
    const int64_t minutes = Ranged(2, 0, 60, kProblem);
    const int64_t offset = hours * 3600 + minutes * 60;
    return west ? -offset : offset;
  }

  Result<Timestamp> Finish(Timestamp result) {
    if (!rest_.empty()) Fail("extra text after the zone");
    if (ok()) return result;
    return BadRequest("parsing time " + Quoted(text_) + ": " + problem_);
  }

 private:
  std::string_view text_;
  std::string_view rest_;
  const char* problem_ = nullptr;
};

template <typename ReadFraction>
Result<Timestamp> Parse(std::string_view text, ReadFraction read_fraction) {
  TimeReader reader(text);
  Date date{};
  date.year = reader.Digits(4, "bad year");
  reader.Literal('-', "no - after the year");
  date.month = reader.Ranged(2, 1, 12, "bad month");
  reader.Literal('-', "no - after the month");
  date.day = reader.Digits(2, "bad day");
  if (reader.ok() && (date.day < 1 || date.day > DaysInMonth(date.year, date.month))) {
    reader.Fail("day out of range");
  }
  reader.Literal('T', "no T after the date");
  const int64_t hour = reader.Hour();
  reader.Literal(':', "no : after the hour");
  const int64_t minute = reader.Ranged(2, 0, 59, "bad minute");
  reader.Literal(':', "no : after the minute");
  const int64_t second = reader.Ranged(2, 0, 59, "bad second");
  const uint32_t nanos = read_fraction(reader);
  const int64_t offset = reader.Offset();
  const int64_t seconds =
      DaysFromDate(date) * kSecondsPerDay + hour * 3600 + minute * 60 + second - offset;
  return reader.Finish({seconds, nanos});
}

constexpr auto kTwoDigits = [] {
  struct Table {
    char text[200];
  } table{};
  for (int i = 0; i < 100; ++i) {
    table.text[2 * i] = static_cast<char>('0' + i / 10);
    table.text[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return table;
}();

inline char* PutTwo(char* at, unsigned value) {
  std::memcpy(at, kTwoDigits.text + 2 * value, 2);
  return at + 2;
}

char* PutYear(char* at, int64_t year) {
  if (year >= 0 && year <= 9999) [[likely]] {
    at = PutTwo(at, static_cast<unsigned>(year) / 100);
    return PutTwo(at, static_cast<unsigned>(year) % 100);
  }
  if (year < 0) {
    *at++ = '-';
    year = -year;
  }
  std::string digits = std::to_string(year);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  std::memcpy(at, digits.data(), digits.size());
  return at + digits.size();
}

// Everything up to the seconds.
char* PutDateTime(char* at, int64_t seconds) {
  const int64_t days = FloorDiv(seconds, kSecondsPerDay);
  const auto second_of_day = static_cast<unsigned>(FloorMod(seconds, kSecondsPerDay));
  const Date date = DateFromDays(days);
  at = PutYear(at, date.year);
  *at++ = '-';
  at = PutTwo(at, date.month);
  *at++ = '-';
  at = PutTwo(at, date.day);
  *at++ = 'T';
  at = PutTwo(at, second_of_day / 3600);
  *at++ = ':';
  at = PutTwo(at, second_of_day / 60 % 60);
  *at++ = ':';
  return PutTwo(at, second_of_day % 60);
}

}  // namespace

Timestamp MakeTimestamp(int64_t seconds, int64_t nanos) {
  const int64_t carry = FloorDiv(nanos, kNanosPerSecond);
  int64_t sum;
  if (__builtin_add_overflow(seconds, carry, &sum)) sum = seconds;
  return {sum, static_cast<uint32_t>(FloorMod(nanos, kNanosPerSecond))};
}

Result<Timestamp> ParseTime(std::string_view text) {
  return Parse(text, [](TimeReader& reader) { return reader.OptionalFraction(); });
}

Result<Timestamp> ParseMicroTime(std::string_view text) {
  return Parse(text, [](TimeReader& reader) { return reader.SixDigitFraction(); });
}

size_t FormatTime(Timestamp t, char* out) {
  char* at = PutDateTime(out, t.seconds);
  *at++ = 'Z';
  return static_cast<size_t>(at - out);
}

size_t FormatMicroTime(Timestamp t, char* out) {
  char* at = PutDateTime(out, t.seconds);
  *at++ = '.';
  const unsigned micros = t.nanos / 1000;
  at = PutTwo(at, micros / 10'000);
  at = PutTwo(at, micros / 100 % 100);
  at = PutTwo(at, micros % 100);
  *at++ = 'Z';
  return static_cast<size_t>(at - out);
}

void AppendTime(Timestamp t, std::string& out) {
  char buffer[kMaxTimeBytes];
  out.append(buffer, FormatTime(t, buffer));
}

void AppendMicroTime(Timestamp t, std::string& out) {
  char buffer[kMaxTimeBytes];
  out.append(buffer, FormatMicroTime(t, buffer));
}

}  // namespace skiff::object
