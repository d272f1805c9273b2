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
  if (const auto time = object::ParseTime(text)) {
    std::string written;
    object::AppendTime(*time, written);
    const auto again = object::ParseTime(written);
    // An offset may lead out of the years of four digits.
    Require(again ? again->seconds == time->seconds : written.size() > object::kTimeBytes);
  }
  if (const auto time = object::ParseMicroTime(text)) {
    std::string written;
    object::AppendMicroTime(*time, written);
    const auto again = object::ParseMicroTime(written);
    Require(again ? *again == *time : written.size() > object::kMicroTimeBytes);
    const auto as_time = object::ParseTime(text);
    Require(as_time && *as_time == *time);
  }
  if (text.size() >= 16) {
    int64_t seconds;
    int64_t nanos;
    std::memcpy(&seconds, text.data(), 8);
    std::memcpy(&nanos, text.data() + 8, 8);
    const object::Timestamp time = object::MakeTimestamp(seconds, nanos);
    Require(time.nanos < 1'000'000'000);
    char buffer[object::kMaxTimeBytes];
    Require(object::FormatMicroTime(time, buffer) <= object::kMaxTimeBytes);
    Require(object::FormatTime(time, buffer) <= object::kMaxTimeBytes);
  }
}

void CheckDurations(std::string_view text) {
  int64_t nanos = 0;
  if (text.size() >= 8) std::memcpy(&nanos, text.data(), 8);
  const auto parsed = object::ParseDuration(text);
  for (const int64_t duration : {nanos, parsed.value_or(0)}) {
    std::string written;
    object::AppendDuration(duration, written);
    Require(written.size() <= object::kMaxDurationBytes);
    // Go computes fractions in floating point, which loses nothing for what it writes itself.
    Require(object::ParseDuration(written) == duration);
  }
}

void CheckBase64(std::string_view text) {
  std::string encoded;
  object::AppendBase64(text, encoded);
  const auto decoded = object::DecodeBase64(encoded);
  Require(decoded && *decoded == text);
  if (const auto bytes = object::DecodeBase64(text)) {
    std::string again;
    object::AppendBase64(*bytes, again);
    Require(*object::DecodeBase64(again) == *bytes);
  }
}

void CheckNames(std::string_view text) {
  Require(object::IsDns1123Label(text) == object::CheckDns1123Label(text).empty());
  Require(object::IsDns1035Label(text) == object::CheckDns1035Label(text).empty());
  Require(object::IsDns1123Subdomain(text) == object::CheckDns1123Subdomain(text).empty());
  Require(object::IsDns1123SubdomainCaseless(text) ==
          object::CheckDns1123SubdomainCaseless(text).empty());
  Require(object::IsDns1123SubdomainWithUnderscore(text) ==
          object::CheckDns1123SubdomainWithUnderscore(text).empty());
  Require(object::IsWildcardDns1123Subdomain(text) ==
          object::CheckWildcardDns1123Subdomain(text).empty());
  Require(object::IsQualifiedName(text) == object::CheckQualifiedName(text).empty());
  Require(object::IsLabelValue(text) == object::CheckLabelValue(text).empty());
  Require(object::IsAnnotationKey(text) == object::CheckAnnotationKey(text).empty());
  Require(object::IsPathSegmentName(text) == object::CheckPathSegmentName(text).empty());
  Require(object::IsEnvVarName(text) == object::CheckEnvVarName(text).empty());
  Require(object::IsRelaxedEnvVarName(text) == object::CheckRelaxedEnvVarName(text).empty());
  Require(object::IsConfigMapKey(text) == object::CheckConfigMapKey(text).empty());
  Require(!object::IsDns1035Label(text) || object::IsDns1123Label(text));
  Require(!object::IsDns1123Label(text) || object::IsDns1123Subdomain(text));
  Require(!object::IsDns1123Label(text) || object::IsQualifiedName(text));
  Require(!object::IsQualifiedName(text) || object::IsAnnotationKey(text));
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
