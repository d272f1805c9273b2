#include "cel/values/named_formats.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/strings.h"
#include "cel/values/url.h"
#include "object/scalar/names.h"

namespace skiff::cel {
namespace {

using Problems = std::vector<std::string>;

// A prefix may end in a hyphen, since more will follow. Kubernetes checks it with a letter in place
// of its last two characters, so that the one before the hyphen may be anything.
template <object::NameProblems (*kCheck)(std::string_view)>
Problems CheckPrefix(std::string_view text) {
  if (text.size() < 2 || text.back() != '-') return kCheck(text);
  return kCheck(std::string(text.substr(0, text.size() - 2)) + 'a');
}

Problems CheckUri(std::string_view text) {
  const auto checked = CheckRequestUri(text);
  if (checked) return {};
  return {checked.error().message()};
}

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Five groups of digits; each hyphen between them may be missing.
bool IsUuid(std::string_view text) {
  for (const size_t digits : {8, 4, 4, 4, 12}) {
    if (digits != 8 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < digits || !std::ranges::all_of(text.substr(0, digits), IsHexDigit)) {
      return false;
    }
    text.remove_prefix(digits);
  }
  return text.empty();
}

Problems CheckUuid(std::string_view text) {
  if (IsUuid(text)) return {};
  return {"does not match the UUID format"};
}

// Groups of four characters, of which the last may have padding; at least one group.
bool IsBase64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  return std::ranges::all_of(text, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  });
}

Problems CheckByte(std::string_view text) {
  if (IsBase64(text)) return {};
  return {"invalid base64"};
}

std::optional<int> TwoDigits(std::string_view text, size_t at) {
  if (at + 2 > text.size() || !IsDigit(text[at]) || !IsDigit(text[at + 1])) return std::nullopt;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

// 2006-01-02, a day that exists.
bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto century = TwoDigits(text, 0);
  const auto year = TwoDigits(text, 2);
  const auto month = TwoDigits(text, 5);
  const auto day = TwoDigits(text, 8);
  if (!century || !year || !month || !day) return false;
  return std::chrono::year_month_day(std::chrono::year(*century * 100 + *year),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

// 15:04:05, any one character and digits, and z or an offset, whose numbers nobody checks.
bool IsTime(std::string_view text) {
  const auto hour = TwoDigits(text, 0);
  const auto minute = TwoDigits(text, 3);
  const auto second = TwoDigits(text, 6);
  if (!hour || !minute || !second || text[2] != ':' || text[5] != ':') return false;
  if (*hour > 23 || *minute > 59 || *second > 59) return false;
  const std::string_view rest = text.substr(8);
  const auto is_zone = [](std::string_view zone) {
    return zone == "z" || (zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') &&
                           TwoDigits(zone, 1) && zone[3] == ':' && TwoDigits(zone, 4));
  };
  if (is_zone(rest)) return true;
  // The character may be any but a line feed, and may take several bytes.
  if (rest.empty() || rest[0] == '\n') return false;
  size_t digits = 1;
  while (digits < rest.size() && (static_cast<unsigned char>(rest[digits]) & 0xC0) == 0x80) {
    ++digits;
  }
  size_t end = digits;
  while (end < rest.size() && IsDigit(rest[end])) ++end;
  return end > digits && is_zone(rest.substr(end));
}

Problems CheckDate(std::string_view text) {
  if (IsDate(text)) return {};
  return {"invalid date"};
}

// What is behind a second t is not looked at.
Problems CheckDateTime(std::string_view text) {
  const std::string lower = AsciiLower(text);
  const std::string_view all = lower;
  const size_t mark = all.find('t');
  if (mark != all.npos && IsDate(all.substr(0, mark))) {
    const std::string_view time = all.substr(mark + 1);
    if (IsTime(time.substr(0, time.find('t')))) return {};
  }
  return {"invalid datetime"};
}

constexpr NamedFormat kFormats[] = {
    {"byte", 84, CheckByte},
    {"date", 71, CheckDate},
    {"datetime", 71, CheckDateTime},
    {"dns1035Label", 30, object::CheckDns1035Label},
    {"dns1035LabelPrefix", 30, CheckPrefix<object::CheckDns1035Label>},
    {"dns1123Label", 30, object::CheckDns1123Label},
    {"dns1123LabelPrefix", 30, CheckPrefix<object::CheckDns1123Label>},
    {"dns1123Subdomain", 60, object::CheckDns1123Subdomain},
    {"dns1123SubdomainPrefix", 60, CheckPrefix<object::CheckDns1123Subdomain>},
    {"labelValue", 40, object::CheckLabelValue},
    {"qualifiedName", 60, object::CheckQualifiedName},
    {"uri", 1103, CheckUri},
    {"uuid", 70, CheckUuid},
};
static_assert(std::ranges::is_sorted(kFormats, {}, &NamedFormat::name));

}  // namespace

std::span<const NamedFormat> NamedFormats() { return kFormats; }

const NamedFormat* FindNamedFormat(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFormats, name, {}, &NamedFormat::name);
  return found != std::end(kFormats) && found->name == name ? &*found : nullptr;
}

}  // namespace skiff::cel
