#include "object/scalar/duration.h"

#include <charconv>
#include <cstring>
#include <iterator>

#include "base/strings.h"

namespace skiff::object {
namespace {

// Magnitudes go up to 2^63, which only a negative duration reaches.
constexpr uint64_t kLimit = uint64_t{1} << 63;

constexpr uint64_t kMicrosecond = 1'000;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMinute = 60 * kSecond;
constexpr uint64_t kHour = 60 * kMinute;

uint64_t UnitNanos(std::string_view unit) {
  if (unit == "s") return kSecond;
  if (unit == "m") return kMinute;
  if (unit == "h") return kHour;
  if (unit == "ms") return kMillisecond;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return kMicrosecond;
  if (unit == "ns") return 1;
  return 0;
}

std::unexpected<Status> Invalid(std::string_view text) {
  return BadRequest("time: invalid duration " + Quoted(text));
}

// The digits before the point. False when they exceed the limit.
bool TakeInteger(std::string_view& rest, uint64_t& value) {
  value = 0;
  size_t at = 0;
  for (; at < rest.size() && IsDigit(rest[at]); ++at) {
    if (value > kLimit / 10) return false;
    value = value * 10 + static_cast<unsigned>(rest[at] - '0');
    if (value > kLimit) return false;
  }
  rest.remove_prefix(at);
  return true;
}

// The digits after the point, as many as fit in 63 bits; `scale` is the power of ten they are over.
void TakeFraction(std::string_view& rest, uint64_t& value, double& scale) {
  value = 0;
  scale = 1;
  bool full = false;
  size_t at = 0;
  for (; at < rest.size() && IsDigit(rest[at]); ++at) {
    if (full) continue;
    const uint64_t next = value * 10 + static_cast<unsigned>(rest[at] - '0');
    full = value > (kLimit - 1) / 10 || next > kLimit;
    if (full) continue;
    value = next;
    scale *= 10;
  }
  rest.remove_prefix(at);
}

std::string_view TakeUnit(std::string_view& rest) {
  size_t at = 0;
  while (at < rest.size() && rest[at] != '.' && !IsDigit(rest[at])) ++at;
  const std::string_view unit = rest.substr(0, at);
  rest.remove_prefix(at);
  return unit;
}

// Writes backwards from `end` and returns the new start.
char* PutNumberBefore(char* end, uint64_t value) {
  do {
    *--end = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return end;
}

// The last `digits` digits of the value as a fraction without trailing zeros, and no point if
// nothing is left of it. The value loses them.
char* PutFractionBefore(char* end, uint64_t& value, int digits) {
  bool started = false;
  for (int i = 0; i < digits; ++i) {
    const auto digit = static_cast<char>(value % 10);
    started = started || digit != 0;
    if (started) *--end = static_cast<char>('0' + digit);
    value /= 10;
  }
  if (started) *--end = '.';
  return end;
}

char* PutBelowSecond(char* end, uint64_t magnitude) {
  *--end = 's';
  if (magnitude < kMicrosecond) {
    *--end = 'n';
    return PutNumberBefore(end, magnitude);
  }
  const bool micro = magnitude < kMillisecond;
  if (micro) {
    end -= 2;
    std::memcpy(end, "\u00b5", 2);
  } else {
    *--end = 'm';
  }
  end = PutFractionBefore(end, magnitude, micro ? 3 : 6);
  return PutNumberBefore(end, magnitude);
}

char* PutFromSecond(char* end, uint64_t magnitude) {
  *--end = 's';
  end = PutFractionBefore(end, magnitude, 9);
  end = PutNumberBefore(end, magnitude % 60);
  magnitude /= 60;
  if (magnitude == 0) return end;
  *--end = 'm';
  end = PutNumberBefore(end, magnitude % 60);
  magnitude /= 60;
  if (magnitude == 0) return end;
  *--end = 'h';
  return PutNumberBefore(end, magnitude);
}

}  // namespace

Result<int64_t> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest == "0") return 0;
  if (rest.empty()) return Invalid(text);
  uint64_t total = 0;
  while (!rest.empty()) {
    const size_t before = rest.size();
    uint64_t value;
    if (!TakeInteger(rest, value)) return Invalid(text);
    size_t digits = before - rest.size();
    uint64_t fraction = 0;
    double scale = 1;
    if (!rest.empty() && rest[0] == '.') {
      rest.remove_prefix(1);
      const size_t before_fraction = rest.size();
      TakeFraction(rest, fraction, scale);
      digits += before_fraction - rest.size();
    }
    if (digits == 0) return Invalid(text);
    const std::string_view unit = TakeUnit(rest);
    if (unit.empty()) return BadRequest("time: missing unit in duration " + Quoted(text));
    const uint64_t unit_nanos = UnitNanos(unit);
    if (unit_nanos == 0) {
      return BadRequest("time: unknown unit " + Quoted(unit) + " in duration " + Quoted(text));
    }
    if (value > kLimit / unit_nanos) return Invalid(text);
    value *= unit_nanos;
    if (fraction > 0) {
      // Floating point as in Go, so that the last nanosecond is the same.
      value += static_cast<uint64_t>(static_cast<double>(fraction) *
                                     (static_cast<double>(unit_nanos) / scale));
      if (value > kLimit) return Invalid(text);
    }
    total += value;
    if (total > kLimit) return Invalid(text);
  }
  if (negative) return static_cast<int64_t>(0 - total);
  if (total == kLimit) return Invalid(text);
  return static_cast<int64_t>(total);
}

size_t FormatDuration(int64_t nanos, char* out) {
  const uint64_t magnitude = nanos < 0 ? 0 - static_cast<uint64_t>(nanos) : nanos;
  if (magnitude == 0) {
    std::memcpy(out, "0s", 2);
    return 2;
  }
  char buffer[kMaxDurationBytes];
  char* const end = std::end(buffer);
  char* begin =
      magnitude < kSecond ? PutBelowSecond(end, magnitude) : PutFromSecond(end, magnitude);
  if (nanos < 0) *--begin = '-';
  const auto size = static_cast<size_t>(end - begin);
  std::memcpy(out, begin, size);
  return size;
}

void AppendDuration(int64_t nanos, std::string& out) {
  char buffer[kMaxDurationBytes];
  out.append(buffer, FormatDuration(nanos, buffer));
}

}  // namespace skiff::object
