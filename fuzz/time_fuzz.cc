// The other scalars: times, durations, base64 and names. What parses is written in a form that
// parses to the same, and the quick tests of names agree with those that explain.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/scalar/names.h"
#include "object/scalar/time.h"

namespace {

using namespace skiff;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckTimes(std::string_view text) {
  if (const auto time = ParseTime(text)) {
    std::string written;
    AppendTime(*time, written);
    const auto again = ParseTime(written);
    // An offset may lead out of the years of four digits.
    Require(again ? again->seconds == time->seconds : written.size() > kTimeBytes);
  }
  if (const auto time = ParseMicroTime(text)) {
    std::string written;
    AppendMicroTime(*time, written);
    const auto again = ParseMicroTime(written);
    Require(again ? *again == *time : written.size() > kMicroTimeBytes);
    const auto as_time = ParseTime(text);
    Require(as_time && *as_time == *time);
  }
  if (text.size() >= 16) {
    int64_t seconds;
    int64_t nanos;
    std::memcpy(&seconds, text.data(), 8);
    std::memcpy(&nanos, text.data() + 8, 8);
    const Timestamp time = MakeTimestamp(seconds, nanos);
    Require(time.nanos < 1'000'000'000);
    char buffer[kMaxTimeBytes];
    Require(FormatMicroTime(time, buffer) <= kMaxTimeBytes);
    Require(FormatTime(time, buffer) <= kMaxTimeBytes);
  }
}

void CheckDurations(std::string_view text) {
  int64_t nanos = 0;
  if (text.size() >= 8) std::memcpy(&nanos, text.data(), 8);
  const auto parsed = ParseDuration(text);
  for (const int64_t duration : {nanos, parsed.value_or(0)}) {
    std::string written;
    AppendDuration(duration, written);
    Require(written.size() <= kMaxDurationBytes);
    // Go computes fractions in floating point, which loses nothing for what it writes itself.
    Require(ParseDuration(written) == duration);
  }
}

void CheckBase64(std::string_view text) {
  std::string encoded;
  AppendBase64(text, encoded);
  const auto decoded = DecodeBase64(encoded);
  Require(decoded && *decoded == text);
  if (const auto bytes = DecodeBase64(text)) {
    std::string again;
    AppendBase64(*bytes, again);
    Require(*DecodeBase64(again) == *bytes);
  }
}

void CheckNames(std::string_view text) {
  Require(IsDns1123Label(text) == CheckDns1123Label(text).empty());
  Require(IsDns1035Label(text) == CheckDns1035Label(text).empty());
  Require(IsDns1123Subdomain(text) == CheckDns1123Subdomain(text).empty());
  Require(IsDns1123SubdomainCaseless(text) == CheckDns1123SubdomainCaseless(text).empty());
  Require(IsDns1123SubdomainWithUnderscore(text) ==
          CheckDns1123SubdomainWithUnderscore(text).empty());
  Require(IsWildcardDns1123Subdomain(text) == CheckWildcardDns1123Subdomain(text).empty());
  Require(IsQualifiedName(text) == CheckQualifiedName(text).empty());
  Require(IsLabelValue(text) == CheckLabelValue(text).empty());
  Require(IsAnnotationKey(text) == CheckAnnotationKey(text).empty());
  Require(IsPathSegmentName(text) == CheckPathSegmentName(text).empty());
  Require(IsEnvVarName(text) == CheckEnvVarName(text).empty());
  Require(IsRelaxedEnvVarName(text) == CheckRelaxedEnvVarName(text).empty());
  Require(IsConfigMapKey(text) == CheckConfigMapKey(text).empty());
  Require(!IsDns1035Label(text) || IsDns1123Label(text));
  Require(!IsDns1123Label(text) || IsDns1123Subdomain(text));
  Require(!IsDns1123Label(text) || IsQualifiedName(text));
  Require(!IsQualifiedName(text) || IsAnnotationKey(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckTimes(text);
  CheckDurations(text);
  CheckBase64(text);
  CheckNames(text);
  return 0;
}
