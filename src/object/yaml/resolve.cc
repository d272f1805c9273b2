#include "object/yaml/resolve.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace skiff::object {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

YamlScalar OfType(YamlType type) {
  YamlScalar scalar;
  scalar.type = type;
  return scalar;
}
YamlScalar OfInt(int64_t value) {
  YamlScalar scalar = OfType(YamlType::kInt);
  scalar.integer = value;
  return scalar;
}
YamlScalar OfUint(uint64_t value) {
  YamlScalar scalar = OfType(YamlType::kUint);
  scalar.unsigned_integer = value;
  return scalar;
}
YamlScalar OfFloat(double value) {
  YamlScalar scalar = OfType(YamlType::kFloat);
  scalar.number = value;
  return scalar;
}
YamlScalar OfBool(bool value) {
  YamlScalar scalar = OfType(YamlType::kBool);
  scalar.integer = value ? 1 : 0;
  return scalar;
}

// True if `text` is one of the three spellings that YAML 1.1 gives a word: word, Word, WORD.
bool IsWord(std::string_view text, std::string_view lower, std::string_view upper) {
  if (text.size() != lower.size()) return false;
  if (text == lower || text == upper) return true;
  return text[0] == upper[0] && text.substr(1) == lower.substr(1);
}

// Words that begin with a letter. False if the text is not one of them.
bool ResolveWord(std::string_view text, YamlScalar* out) {
  if (text.size() > 5) return false;
  if (IsWord(text, "true", "TRUE") || IsWord(text, "yes", "YES") || IsWord(text, "on", "ON") ||
      text == "y" || text == "Y") {
    *out = OfBool(true);
  } else if (IsWord(text, "false", "FALSE") || IsWord(text, "no", "NO") ||
             IsWord(text, "off", "OFF") || text == "n" || text == "N") {
    *out = OfBool(false);
  } else if (IsWord(text, "null", "NULL") || text == "~") {
    *out = OfType(YamlType::kNull);
  } else {
    return false;
  }
  return true;
}

bool IsInfinityName(std::string_view text) {
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

// Digits of one base, nothing else.
bool ParseDigits(std::string_view digits, int base, uint64_t* out) {
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, *out, base);
  return result.ec == std::errc() && result.ptr == end;
}

// An unsigned integer whose prefix tells its base. A leading zero means octal.
bool ParsePrefixed(std::string_view text, uint64_t* out) {
  if (text.empty() || text[0] != '0') return ParseDigits(text, 10, out);
  const char letter = text.size() >= 3 ? static_cast<char>(text[1] | 0x20) : '\0';
  if (letter == 'b') return ParseDigits(text.substr(2), 2, out);
  if (letter == 'o') return ParseDigits(text.substr(2), 8, out);
  if (letter == 'x') return ParseDigits(text.substr(2), 16, out);
  *out = 0;
  return text.size() == 1 || ParseDigits(text.substr(1), 8, out);
}

bool ToSigned(uint64_t magnitude, bool negative, YamlScalar* out) {
  constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
  if (magnitude > kLargest + (negative ? 1 : 0)) return false;
  *out = OfInt(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  return true;
}

bool ResolveInteger(std::string_view text, YamlScalar* out) {
  const bool has_sign = text[0] == '-' || text[0] == '+';
  uint64_t magnitude = 0;
  if (ParsePrefixed(text.substr(has_sign ? 1 : 0), &magnitude)) {
    if (ToSigned(magnitude, text[0] == '-', out)) return true;
    if (has_sign) return false;
    *out = OfUint(magnitude);
    return true;
  }
  return false;
}

// The sign may also stand behind a binary prefix: 0b-101 is an integer to goyaml.v2.
bool ResolveSignedBinary(std::string_view text, YamlScalar* out) {
  if (!text.starts_with("0b-") && !text.starts_with("0b+")) return false;
  uint64_t magnitude = 0;
  return ParseDigits(text.substr(3), 2, &magnitude) && ToSigned(magnitude, text[2] == '-', out);
}

size_t SkipDigits(std::string_view text, size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

// [-+]? ( digits . digits? | . digits ) ( [eE] [-+]? digits )?
bool IsDecimal(std::string_view text) {
  size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0;
  const size_t whole_end = SkipDigits(text, at);
  const bool has_whole = whole_end > at;
  at = whole_end;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction_end = SkipDigits(text, at + 1);
    if (!has_whole && fraction_end == at + 1) return false;
    at = fraction_end;
  } else if (!has_whole) {
    return false;
  }
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return at < text.size() && SkipDigits(text, at) == text.size();
}

// True if a decimal that no double can hold is too small rather than too large.
bool IsTiny(std::string_view decimal) {
  const size_t e = std::min(decimal.find_first_of("eE"), decimal.size());
  const std::string_view mantissa = decimal.substr(0, e);
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  const size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  int64_t exponent = 0;
  if (e != decimal.size()) {
    std::string_view digits = decimal.substr(e + 1);
    if (digits[0] == '+') digits.remove_prefix(1);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec != std::errc()) return digits[0] == '-';
  }
  const auto magnitude = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  return exponent < -magnitude;
}

// False for what is not a decimal, or too large for a double: such text stays a string.
bool ResolveDecimal(std::string_view text, YamlScalar* out) {
  if (!IsDecimal(text)) return false;
  const std::string_view number = text[0] == '+' ? text.substr(1) : text;
  double value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    if (!IsTiny(number)) return false;
    value = number[0] == '-' ? -0.0 : 0.0;
  }
  *out = OfFloat(value);
  return true;
}

// Reads times in the four forms that goyaml.v2 knows, with Go's leniency: one or two digits for
// all but the year, any number of digits of fraction.
class TimestampReader {
 public:
  explicit TimestampReader(std::string_view text) : rest_(text) {}

  bool Matches() {
    if (SkipDigits(rest_, 0) != 4 || rest_.size() == 4) return false;
    const int year =
        (rest_[0] - '0') * 1000 + (rest_[1] - '0') * 100 + (rest_[2] - '0') * 10 + (rest_[3] - '0');
    rest_.remove_prefix(4);
    int month = 0, day = 0;
    if (!Take('-') || !Number(1, 12, &month) || !Take('-') || !Number(1, 31, &day)) return false;
    if (day > DaysIn(month, year)) return false;
    if (rest_.empty()) return true;
    if (rest_[0] == ' ') {
      while (Take(' ')) {
      }
      return Clock() && rest_.empty();
    }
    return (Take('T') || Take('t')) && Clock() && Zone() && rest_.empty();
  }

 private:
  static int DaysIn(int month, int year) {
    if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }

  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool Number(int least, int most, int* out) {
    const size_t length = std::min<size_t>(SkipDigits(rest_, 0), 2);
    if (length == 0) return false;
    std::from_chars(rest_.data(), rest_.data() + length, *out);
    rest_.remove_prefix(length);
    return *out >= least && *out <= most;
  }

  bool Clock() {
    int ignored = 0;
    if (!Number(0, 23, &ignored) || !Take(':') || !Number(0, 59, &ignored) || !Take(':') ||
        !Number(0, 59, &ignored)) {
      return false;
    }
    if (rest_.size() >= 2 && (rest_[0] == '.' || rest_[0] == ',') && IsDigit(rest_[1])) {
      rest_.remove_prefix(SkipDigits(rest_, 1));
    }
    return true;
  }

  // Z, or an offset; Go lets offsets reach 24:60.
  bool Zone() {
    if (Take('Z')) return true;
    if (rest_.size() != 6 || (rest_[0] != '+' && rest_[0] != '-') || rest_[3] != ':') return false;
    if (!IsDigit(rest_[1]) || !IsDigit(rest_[2]) || !IsDigit(rest_[4]) || !IsDigit(rest_[5])) {
      return false;
    }
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    rest_ = {};
    return hours <= 24 && minutes <= 60;
  }

  std::string_view rest_;
};

YamlScalar ResolveNumber(std::string_view text) {
  YamlScalar scalar;
  if (TimestampReader(text).Matches()) return OfType(YamlType::kTimestamp);
  if (IsInfinityName(text.substr(1))) {
    if (text[0] == '+') return OfFloat(std::numeric_limits<double>::infinity());
    if (text[0] == '-') return OfFloat(-std::numeric_limits<double>::infinity());
  }
  std::string without_underscores;
  if (text.find('_') != std::string_view::npos) {
    without_underscores = text;
    std::erase(without_underscores, '_');
    text = without_underscores;
  }
  if (ResolveInteger(text, &scalar) || ResolveDecimal(text, &scalar) ||
      ResolveSignedBinary(text, &scalar)) {
    return scalar;
  }
  return {};
}

template <typename Float>
std::string FormatFloat(Float value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  const std::string_view scientific(text, static_cast<size_t>(end.ptr - text));
  const size_t e = scientific.find('e');
  int exponent = 0;
  const std::string_view power = scientific.substr(e + (scientific[e + 1] == '+' ? 2 : 1));
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  // Go leaves positional notation for powers outside of these, however many digits there are.
  if (exponent < -4 || exponent >= 6) return std::string(scientific);

  const bool negative = scientific[0] == '-';
  std::string digits(scientific.substr(negative ? 1 : 0, e - (negative ? 1 : 0)));
  std::erase(digits, '.');
  std::string out = negative ? "-" : "";
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<size_t>(-exponent - 1), '0');
    return out + digits;
  }
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return out + digits + std::string(whole - digits.size(), '0');
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace

std::string_view YamlTypeTag(YamlType type) {
  switch (type) {
    case YamlType::kNull:
      return "!!null";
    case YamlType::kBool:
      return "!!bool";
    case YamlType::kInt:
    case YamlType::kUint:
      return "!!int";
    case YamlType::kFloat:
      return "!!float";
    case YamlType::kTimestamp:
      return "!!timestamp";
    case YamlType::kString:
      break;
  }
  return "!!str";
}

YamlScalar ResolveYamlScalar(std::string_view text) {
  YamlScalar scalar;
  if (text.empty()) return OfType(YamlType::kNull);
  switch (text[0]) {
    case 'y':
    case 'Y':
    case 'n':
    case 'N':
    case 't':
    case 'T':
    case 'f':
    case 'F':
    case 'o':
    case 'O':
    case '~':
      ResolveWord(text, &scalar);
      return scalar;
    case '.':
      if (IsInfinityName(text)) return OfFloat(std::numeric_limits<double>::infinity());
      if (text == ".nan" || text == ".NaN" || text == ".NAN") {
        return OfFloat(std::numeric_limits<double>::quiet_NaN());
      }
      ResolveDecimal(text, &scalar);
      return scalar;
    case '+':
    case '-':
      return ResolveNumber(text);
    default:
      return IsDigit(text[0]) ? ResolveNumber(text) : scalar;
  }
}

bool IsYamlBase60(std::string_view text) {
  const auto digit_or_underscore = [&](size_t at) {
    return at < text.size() && (IsDigit(text[at]) || text[at] == '_');
  };
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  if (at >= text.size() || !IsDigit(text[at])) return false;
  while (digit_or_underscore(at)) ++at;
  bool any = false;
  while (at + 1 < text.size() && text[at] == ':' && IsDigit(text[at + 1])) {
    any = true;
    const bool two = text[at + 1] <= '5' && at + 2 < text.size() && IsDigit(text[at + 2]);
    at += two ? 3 : 2;
  }
  if (!any) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (digit_or_underscore(at)) ++at;
  }
  return at == text.size();
}

std::string FormatYamlFloat(double value) { return FormatFloat(value); }
std::string FormatYamlFloat(float value) { return FormatFloat(value); }

}  // namespace skiff::object
