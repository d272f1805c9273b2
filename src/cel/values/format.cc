#include "cel/values/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/hex.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cel/values/go_quote.h"
#include "cel/values/numbers.h"
#include "cel/values/strings.h"

namespace skiff::cel {
namespace {

// Where the printer of the locale stops to read a number. What it says then is no error.
constexpr int64_t kMaxPrinterNumber = 1'000'000;
constexpr std::string_view kNoVerb = "%!(NOVERB)";

std::optional<FormatVerb> VerbOf(char c) {
  switch (c) {
    case 's':
      return FormatVerb::kString;
    case 'd':
      return FormatVerb::kDecimal;
    case 'f':
      return FormatVerb::kFixed;
    case 'e':
      return FormatVerb::kScientific;
    case 'b':
      return FormatVerb::kBinary;
    case 'x':
      return FormatVerb::kHex;
    case 'X':
      return FormatVerb::kUpperHex;
    case 'o':
      return FormatVerb::kOctal;
    default:
      return std::nullopt;
  }
}

auto ClauseFault(std::string problem) {
  return BadRequest("could not parse formatting clause: " + std::move(problem));
}

// Takes what follows a percent sign off the text, which is not empty.
Result<FormatClause> TakeClause(std::string_view& text) {
  constexpr std::string_view kPrecision = "error while parsing precision: ";
  FormatClause clause{FormatVerb::kString, kDefaultPrecision};
  if (text[0] == '.') {
    size_t end = 1;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (end == text.size()) {
      return ClauseFault(std::string(kPrecision) + "could not find end of precision specifier");
    }
    const Result<int64_t> precision = GoAtoi(text.substr(1, end - 1));
    if (!precision) {
      return ClauseFault(std::string(kPrecision) + "error while converting precision to integer: " +
                         precision.error().message());
    }
    clause.precision = *precision;
    text.remove_prefix(end);
  }
  const std::optional<FormatVerb> verb = VerbOf(text[0]);
  if (!verb) {
    std::string problem = "unrecognized formatting clause \"";
    AppendUtf8(static_cast<unsigned char>(text[0]), problem);
    return ClauseFault(problem + '"');
  }
  clause.verb = *verb;
  text.remove_prefix(1);
  return clause;
}

void AppendGrouped(std::string_view digits, std::string& out) {
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
}

// NaN and infinities; false for other numbers.
bool AppendSpecial(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-∞" : "∞";
  } else {
    return false;
  }
  return true;
}

// The digits of a positive number with at most that many behind the point, correctly rounded.
std::string FixedDigits(double value, int max_fraction) {
  // No double has more than 309 digits before the point, or 1074 behind it.
  constexpr int kMaxFraction = 1074;
  std::array<char, 310 + kMaxFraction + 2> buffer;
  const auto end = std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::fixed,
                                 std::min(max_fraction, kMaxFraction))
                       .ptr;
  return std::string(buffer.begin(), end);
}

constexpr std::string_view kSuperscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

void AppendUnsigned(uint64_t magnitude, bool negative, int base, bool upper, std::string& out) {
  if (negative) out += '-';
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), magnitude, base).ptr;
  const std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
  out += upper ? UpperAscii(text) : std::string(text);
}

}  // namespace

Result<size_t> FormatText(std::string_view format, size_t argument_count, FormatUse use,
                          const FormatArgument& argument, std::string& out) {
  const size_t begin = out.size();
  size_t index = 0;
  const auto beyond = [&] {
    return BadRequest("index " + std::to_string(index) + " out of range");
  };
  while (!format.empty()) {
    const size_t percent = std::min(format.find('%'), format.size());
    out.append(format.substr(0, percent));
    format.remove_prefix(percent);
    if (format.empty()) break;
    format.remove_prefix(1);
    if (format.starts_with('%')) {
      out += '%';
      format.remove_prefix(1);
      continue;
    }
    if (use == FormatUse::kRun && index >= argument_count) return beyond();
    if (format.empty()) return BadRequest("unexpected end of string");
    if (index >= argument_count) return beyond();
    SKIFF_ASSIGN_OR_RETURN(const FormatClause clause, TakeClause(format));
    if (const Result<void> done = argument(index, clause, out); !done) {
      return BadRequest("error during formatting: " + done.error().message());
    }
    if (out.size() - begin > kMaxResultBytes) {
      return BadRequest("result is longer than " + std::to_string(kMaxResultBytes) + " bytes");
    }
    ++index;
  }
  return index;
}

std::string FormatTypeFault(FormatVerb verb, std::string_view type_name) {
  const auto fault = [&](std::string_view what) {
    return std::string(what) + ", was given " + std::string(type_name);
  };
  switch (verb) {
    case FormatVerb::kDecimal:
      return fault("decimal clause can only be used on integers");
    case FormatVerb::kFixed:
      return fault("fixed-point clause can only be used on doubles");
    case FormatVerb::kScientific:
      return fault("scientific clause can only be used on doubles");
    case FormatVerb::kBinary:
      return fault("only integers and bools can be formatted as binary");
    case FormatVerb::kHex:
    case FormatVerb::kUpperHex:
      return fault("only integers, byte buffers, and strings can be formatted as hex");
    case FormatVerb::kOctal:
      return fault("octal clause can only be used on integers");
    case FormatVerb::kString:
      break;
  }
  return fault(
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
      "durations, and timestamps");
}

std::string FormatItemFault(std::string_view type_name) {
  return "no formatting function for " + std::string(type_name);
}

std::string FormatKeyFault(std::string_view type_name) {
  return "no formatting function for map key of type " + std::string(type_name);
}

std::optional<double> DoubleForFormat(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

void AppendFixed(double value, int64_t precision, std::string& out) {
  if (precision / 10 > kMaxPrinterNumber) {
    out += kNoVerb;
    return;
  }
  if (AppendSpecial(value, out)) return;
  // The printer keeps the least number of digits in 8 bits and the greatest in 16, of which a
  // negative one is none.
  const auto least = static_cast<size_t>(static_cast<uint8_t>(precision));
  const auto greatest = static_cast<int16_t>(precision);
  const double positive = std::abs(value);
  std::string digits = greatest < 0 ? PlainText(positive) : FixedDigits(positive, greatest);
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string fraction = point < digits.size() ? digits.substr(point + 1) : "";
  while (fraction.size() > least && fraction.back() == '0') fraction.pop_back();
  if (fraction.size() < least) fraction.append(least - fraction.size(), '0');
  if (value < 0) out += '-';
  AppendGrouped(std::string_view(digits).substr(0, point), out);
  if (!fraction.empty()) out.append(".").append(fraction);
}

void AppendScientific(double value, int64_t width, std::string& out) {
  if (width / 10 > kMaxPrinterNumber) {
    out += kNoVerb;
    return;
  }
  std::string text;
  if (!AppendSpecial(value, text)) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.begin(), buffer.end(), std::abs(value),
                                   std::chars_format::scientific, kDefaultPrecision)
                         .ptr;
    if (value < 0) text += '-';
    const char* const mark = std::find(buffer.data(), end, 'e');
    text.append(buffer.data(), static_cast<size_t>(mark - buffer.data())).append("×10");
    if (mark[1] == '-') text += "⁻";
    for (const char* at = mark + 2; at != end; ++at) text += kSuperscripts[*at - '0'];
  }
  const size_t size = CodePointCount(text);
  const size_t padded = static_cast<uint16_t>(width);
  if (size < padded) out.append(padded - size, ' ');
  out += text;
}

void AppendInBase(int64_t value, int base, bool upper, std::string& out) {
  const auto bits = static_cast<uint64_t>(value);
  AppendUnsigned(value < 0 ? 0 - bits : bits, value < 0, base, upper, out);
}

void AppendInBase(uint64_t value, int base, bool upper, std::string& out) {
  AppendUnsigned(value, false, base, upper, out);
}

void AppendHexBytes(std::string_view bytes, bool upper, std::string& out) {
  out += HexOf(bytes, upper ? HexCase::kUpper : HexCase::kLower);
}

void AppendStringItem(std::string_view text, std::string& out) { out += GoQuote(text); }

void AppendBytesItem(std::string_view bytes, std::string& out) {
  out += 'b';
  out += GoQuote(bytes);
}

void AppendDoubleItem(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value < 0 ? "\"-Inf\"" : "\"+Inf\"";
  } else {
    if (std::signbit(value)) out += '-';
    out += FixedDigits(std::abs(value), kDefaultPrecision);
  }
}

void AppendTimestampItem(std::string_view text, std::string& out) {
  out.append("timestamp(").append(GoQuote(text)).append(")");
}

void AppendDurationItem(std::string_view text, std::string& out) {
  out.append("duration(").append(GoQuote(text)).append(")");
}

}  // namespace skiff::cel
