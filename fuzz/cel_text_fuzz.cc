// Texts that CEL's functions take apart. The first byte says as what; what was read is written
// again and must be read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "cel/values/escape.h"
#include "cel/values/format.h"
#include "cel/values/ip.h"
#include "cel/values/named_formats.h"
#include "cel/values/numbers.h"
#include "cel/values/regex.h"
#include "cel/values/semver.h"
#include "cel/values/strings.h"
#include "cel/values/time.h"
#include "cel/values/time_zones.h"
#include "cel/values/url.h"

namespace {

using namespace skiff::cel;

void Require(bool condition) {
  if (!condition) std::abort();
}

// The text up to the first line feed, which is taken off with it.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == text.npos ? std::string_view() : text.substr(end + 1);
  return line;
}

void ReadNumbers(std::string_view text) {
  if (const auto value = DoubleFromText(text); value && *value == *value) {
    Require(DoubleFromText(Text(*value)) == *value);
    Require(DoubleFromText(PlainText(*value)) == *value);
    std::string out;
    AppendFixed(*value, static_cast<int64_t>(text.size()), out);
    AppendScientific(*value, static_cast<int64_t>(text.size()), out);
  }
  if (const auto value = IntFromText(text)) Require(IntFromText(Text(*value)) == *value);
  if (const auto value = UintFromText(text)) Require(UintFromText(Text(*value)) == *value);
}

void ReadTimes(std::string_view text) {
  static TimeZones* const zones = new TimeZones("/nonexistent");
  std::string_view zone = text;
  const auto time = TimestampFromText(TakeLine(zone));
  if (!time) return;
  const auto again = TimestampFromText(Text(*time));
  Require(again && again->at == time->at);
  (void)GetField(*time, TimeField::kDayOfYear, zone, *zones);
}

void ReadUrls(std::string_view text) {
  const auto url = Url::Parse(text);
  Require(!url || IsUrl(text));
  if (url) (void)url->Query();
}

void ReadAddresses(std::string_view text) {
  if (const auto address = IpFromText(text)) {
    Require(IsCanonicalIp(address->ToString()) == true);
    Require(IpFromText(address->ToString()) == *address);
  }
  if (const auto cidr = CidrFromText(text)) {
    Require(CidrFromText(Text(*cidr)) == *cidr);
    Require(ContainsCidr(*cidr, Masked(*cidr)));
  }
}

void ReadVersions(std::string_view text) {
  (void)SemverFromText(text, true);
  if (const auto version = SemverFromText(text)) Require(Text(*version) == text);
}

void Match(std::string_view text) {
  const std::string_view pattern = TakeLine(text);
  const auto regex = Regex::Compile(pattern);
  if (!regex) return;
  const bool matches = regex->Matches(text);
  const auto all = regex->FindAll(text, 10);
  Require(matches || all.empty());
  if (!all.empty()) Require(regex->Find(text) == all[0]);
}

void TakeApart(std::string_view text) {
  const std::string_view separator = TakeLine(text);
  const auto pieces = Split(text, separator);
  Require(Join(pieces, separator) == text);
  const auto replaced = Replace(text, separator, separator);
  Require(separator.empty() || replaced == text);
  const auto at = LastIndexOf(text, separator);
  Require((at >= 0) == Contains(text, separator));
  Require(Reverse(Reverse(text)).size() == text.size());
  (void)Quote(text);
}

void Check(std::string_view text) {
  for (const NamedFormat& format : NamedFormats()) (void)format.validate(text);
  if (const auto escaped = EscapeName(text)) Require(UnescapeName(*escaped) == text);
  (void)UnescapeName(text);
  std::string out;
  (void)FormatText(
      text, 3, FormatUse::kRun,
      [](size_t, const FormatClause&, std::string& to) -> skiff::Result<void> {
        to += 'x';
        return {};
      },
      out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr void (*kReaders[])(std::string_view) = {
      ReadNumbers, ReadTimes, ReadUrls, ReadAddresses, ReadVersions, Match, TakeApart, Check};
  kReaders[data[0] % std::size(kReaders)](text);
  return 0;
}
