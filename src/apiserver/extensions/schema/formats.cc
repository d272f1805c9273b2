#include "apiserver/extensions/schema/formats.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <re2/re2.h>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/extensions/schema/internet_formats.h"
#include "apiserver/validation/addresses.h"
#include "base/strings.h"
#include "object/scalar/duration.h"
#include "object/scalar/names.h"
#include "object/scalar/time.h"

namespace skiff::apiserver {
namespace {

// Without the hyphens that they may be written with. Sorted.
constexpr std::pair<std::string_view, ValueFormat> kTextFormats[] = {
    {"bsonobjectid", ValueFormat::kBsonObjectId},
    {"byte", ValueFormat::kByte},
    {"cidr", ValueFormat::kCidr},
    {"creditcard", ValueFormat::kCreditCard},
    {"date", ValueFormat::kDate},
    {"datetime", ValueFormat::kDateTime},
    {"duration", ValueFormat::kDuration},
    {"email", ValueFormat::kEmail},
    {"hexcolor", ValueFormat::kHexColor},
    {"hostname", ValueFormat::kHostname},
    {"ipv4", ValueFormat::kIpv4},
    {"ipv6", ValueFormat::kIpv6},
    {"isbn", ValueFormat::kIsbn},
    {"isbn10", ValueFormat::kIsbn10},
    {"isbn13", ValueFormat::kIsbn13},
    {"k8slongname", ValueFormat::kK8sLongName},
    {"k8sshortname", ValueFormat::kK8sShortName},
    {"mac", ValueFormat::kMac},
    {"password", ValueFormat::kPassword},
    {"rgbcolor", ValueFormat::kRgbColor},
    {"ssn", ValueFormat::kSsn},
    {"uri", ValueFormat::kUri},
    {"uuid", ValueFormat::kUuid},
    {"uuid3", ValueFormat::kUuid3},
    {"uuid4", ValueFormat::kUuid4},
    {"uuid5", ValueFormat::kUuid5},
};
static_assert(std::ranges::is_sorted(kTextFormats, {},
                                     &std::pair<std::string_view, ValueFormat>::first));

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool IsDate(std::string_view text) {
  return text.size() == 10 && object::ParseTime(std::string(text) + "T00:00:00Z").has_value();
}

// hh:mm:ss, a fraction behind any character, and z or an offset.
bool IsTimeOfDay(std::string_view text) {
  static const re2::RE2 kTime(
      "^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$");
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  const re2::StringPiece piece(text.data(), text.size());
  return re2::RE2::FullMatch(piece, kTime, &hours, &minutes, &seconds) && hours <= 23 &&
         minutes <= 59 && seconds <= 59;
}

bool IsDateTime(std::string_view text) {
  const std::string lower = AsciiLower(text);
  const size_t t = lower.find('t');
  if (t == std::string::npos || !IsDate(lower.substr(0, t))) return false;
  const std::string_view rest = std::string_view(lower).substr(t + 1);
  return IsTimeOfDay(rest.substr(0, rest.find('t')));
}

// The names of a unit of time; the last one may be the beginning of a longer word.
bool IsTimeUnit(std::string_view word) {
  constexpr std::string_view kWhole[] = {"ns", "us", "µs", "ms", "s", "m",
                                         "h",  "hr", "d",  "w",  "wk"};
  constexpr std::string_view kBeginnings[] = {"nano", "micro", "milli", "sec",
                                              "min",  "hour",  "day",   "week"};
  const std::string unit = AsciiLower(word);
  if (std::ranges::find(kWhole, unit) != std::end(kWhole)) return true;
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view each) { return unit.starts_with(each); });
}

// As Go has it, or with numbers and units anywhere in the text: "3 days", "2 weeks and 1 hour".
bool IsAnyDuration(std::string_view text) {
  if (object::ParseDuration(text)) return true;
  static const re2::RE2 kPart("([0-9]+)[\\t\\n\\f\\r ]*([A-Za-zµ]+)");
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece number;
  re2::StringPiece unit;
  bool found = false;
  while (re2::RE2::FindAndConsume(&rest, kPart, &number, &unit)) {
    int64_t count = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), count).ec != std::errc()) {
      return false;
    }
    found |= IsTimeUnit({unit.data(), unit.size()});
  }
  return found;
}

bool MatchesAll(std::string_view text, const re2::RE2& expression) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression);
}

// Luhn's check of what digits there are.
bool IsCreditCard(std::string_view text) {
  static const re2::RE2 kCards(
      "4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
      "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}");
  std::string digits(text);
  std::erase_if(digits, [](char c) { return !IsDigit(c); });
  if (!MatchesAll(digits, kCards)) return false;
  int sum = 0;
  bool doubled = false;
  for (size_t i = digits.size(); i-- > 0; doubled = !doubled) {
    const int digit = (digits[i] - '0') * (doubled ? 2 : 1);
    sum += digit >= 10 ? digit % 10 + 1 : digit;
  }
  return sum % 10 == 0;
}

std::string WithoutSpacesAndHyphens(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) {
    return c == '-' || c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
  });
  return out;
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = WithoutSpacesAndHyphens(text);
  if (digits.size() != 10) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = digits[static_cast<size_t>(i)];
    if (!IsDigit(c) && !(c == 'X' && i == 9)) return false;
    sum += (i + 1) * (c == 'X' ? 10 : c - '0');
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string digits = WithoutSpacesAndHyphens(text);
  if (digits.size() != 13 || !std::ranges::all_of(digits, IsDigit)) return false;
  int sum = 0;
  for (size_t i = 0; i < 12; ++i) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return digits[12] - '0' == (10 - sum % 10) % 10;
}

bool IsSsn(std::string_view text) {
  static const re2::RE2 kSsn("[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}");
  return text.size() == 11 && MatchesAll(text, kSsn);
}

bool IsHexColor(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && std::ranges::all_of(text, IsHexDigit);
}

bool IsRgbColor(std::string_view text) {
  static const re2::RE2 kRgb(
      "rgb\\(\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*"
      "(?:,\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*){2}\\)");
  return MatchesAll(text, kRgb);
}

// Padded, and not empty.
bool IsBase64Text(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return std::ranges::all_of(text, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  });
}

// Groups of 8, 4, 4, 4 and 12 digits, with or without hyphens. `version` is the first digit of the
// third one, and some versions limit that of the fourth.
bool IsUuid(std::string_view text, char version, bool has_variant) {
  constexpr size_t kGroups[] = {8, 4, 4, 4, 12};
  for (size_t group = 0; group < 5; ++group) {
    if (group > 0 && text.starts_with('-')) text.remove_prefix(1);
    const size_t size = kGroups[group];
    if (text.size() < size || !std::ranges::all_of(text.substr(0, size), IsHexDigit)) return false;
    if (group == 2 && version != 0 && text[0] != version) return false;
    if (group == 3 && has_variant && std::string_view("89abAB").find(text[0]) == text.npos) {
      return false;
    }
    text.remove_prefix(size);
  }
  return text.empty();
}

bool IsObjectId(std::string_view text) {
  return text.size() == 24 && std::ranges::all_of(text, IsHexDigit);
}

}  // namespace

ValueFormat FindFormat(std::string_view name, SchemaType type) {
  if (type == SchemaType::kInteger) {
    if (name == "int32") return ValueFormat::kInt32;
    return name == "int64" ? ValueFormat::kInt64 : ValueFormat::kNone;
  }
  if (type == SchemaType::kNumber) {
    if (name == "float") return ValueFormat::kFloat;
    return name == "double" ? ValueFormat::kDouble : ValueFormat::kNone;
  }
  const bool is_text =
      type == SchemaType::kAny || type == SchemaType::kString || type == SchemaType::kIntOrString;
  if (!is_text) return ValueFormat::kNone;
  std::string bare(name.substr(0, 32));
  std::erase(bare, '-');
  const auto at = std::ranges::lower_bound(kTextFormats, std::string_view(bare), {},
                                           &std::pair<std::string_view, ValueFormat>::first);
  return at != std::end(kTextFormats) && at->first == bare ? at->second : ValueFormat::kNone;
}

bool HasFormat(std::string_view text, ValueFormat format) {
  switch (format) {
    case ValueFormat::kBsonObjectId:
      return IsObjectId(text);
    case ValueFormat::kByte:
      return IsBase64Text(text);
    case ValueFormat::kCidr:
      return ReadCidr(text).has_value();
    case ValueFormat::kCreditCard:
      return IsCreditCard(text);
    case ValueFormat::kDate:
      return IsDate(text);
    case ValueFormat::kDateTime:
      return IsDateTime(text);
    case ValueFormat::kDuration:
      return IsAnyDuration(text);
    case ValueFormat::kEmail:
      return IsMailAddress(text);
    case ValueFormat::kHexColor:
      return IsHexColor(text);
    case ValueFormat::kHostname:
      return IsInternetHostname(text);
    case ValueFormat::kIpv4:
      return text.find('.') != text.npos && ReadIp(text).has_value();
    case ValueFormat::kIpv6:
      return text.find(':') != text.npos && IpAddress::Parse(text).has_value();
    case ValueFormat::kIsbn:
      return IsIsbn10(text) || IsIsbn13(text);
    case ValueFormat::kIsbn10:
      return IsIsbn10(text);
    case ValueFormat::kIsbn13:
      return IsIsbn13(text);
    case ValueFormat::kK8sLongName:
      return object::IsDns1123Subdomain(text);
    case ValueFormat::kK8sShortName:
      return object::IsDns1123Label(text);
    case ValueFormat::kMac:
      return IsHardwareAddress(text);
    case ValueFormat::kRgbColor:
      return IsRgbColor(text);
    case ValueFormat::kSsn:
      return IsSsn(text);
    case ValueFormat::kUri:
      return IsRequestUri(text);
    case ValueFormat::kUuid:
      return IsUuid(text, 0, false);
    case ValueFormat::kUuid3:
      return IsUuid(text, '3', false);
    case ValueFormat::kUuid4:
      return IsUuid(text, '4', true);
    case ValueFormat::kUuid5:
      return IsUuid(text, '5', true);
    default:
      return true;
  }
}

}  // namespace skiff::apiserver
