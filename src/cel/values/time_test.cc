#include "cel/values/time.h"

#include <limits>

#include <gtest/gtest.h>

#include "cel/values/time_zones.h"

namespace skiff::cel {
namespace {

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "no error" : result.error().message();
}

ZonedTime At(std::string_view text) { return TimestampFromText(text).value(); }

// "2023-07-01T22:45:10Z" as "getHours" sees it.
std::string Get(std::string_view text, std::string_view getter) {
  return std::to_string(GetField(At(text), TimeFieldOf(getter).value()));
}

std::string Get(std::string_view text, std::string_view getter, std::string_view zone) {
  TimeZones zones;
  const auto value = GetField(At(text), TimeFieldOf(getter).value(), zone, zones);
  return value ? std::to_string(*value) : value.error().message();
}

TEST(CelTimeTest, TimestampsKeepTheOffsetThatTheyWereWrittenWith) {
  for (const std::string_view text :
       {"2023-01-02T03:04:05+05:30", "2023-01-02T03:04:05.000000001Z", "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999999Z", "2023-01-02T03:04:05-08:00"}) {
    EXPECT_EQ(Text(At(text)), text);
  }
  EXPECT_EQ(Text(At("2023-01-02T03:04:05.120Z")), "2023-01-02T03:04:05.12Z");
  EXPECT_EQ(Text(At("2023-01-01T00:00:00,5+00:00")), "2023-01-01T00:00:00.5Z");
  EXPECT_EQ(At("2023-01-01T00:00:00+24:00").at.seconds, At("2022-12-31T00:00:00Z").at.seconds);
}

TEST(CelTimeTest, TimestampsAreOfTheYears1To9999) {
  EXPECT_EQ(ErrorOf(TimestampFromText("0000-01-01T00:00:00Z")), "timestamp overflow");
  EXPECT_EQ(ErrorOf(TimestampFromText("9999-12-31T23:59:59-00:01")), "timestamp overflow");
  EXPECT_EQ(ErrorOf(TimestampFromSeconds(-62'135'596'801)), "timestamp overflow");
  EXPECT_EQ(Text(*TimestampFromSeconds(1'700'000'000)), "2023-11-14T22:13:20Z");
  for (const std::string_view text :
       {"", "2023-01-01", "2023-02-29T00:00:00Z", "2023-01-01T24:00:00Z", "2023-01-01t00:00:00z"}) {
    EXPECT_EQ(ErrorOf(TimestampFromText(text)),
              "type conversion error from 'string' to 'google.protobuf.Timestamp'");
  }
}

TEST(CelTimeTest, DurationsAreWrittenInSeconds) {
  EXPECT_EQ(DurationText(*DurationFromText("1h")), "3600s");
  EXPECT_EQ(DurationText(*DurationFromText("1ms")), "0.001s");
  EXPECT_EQ(DurationText(*DurationFromText("-1.5s")), "-1.5s");
  EXPECT_EQ(ErrorOf(DurationFromText("1d")),
            "type conversion error from 'string' to 'google.protobuf.Duration'");
}

TEST(CelTimeTest, ArithmeticReportsOverflow) {
  EXPECT_EQ(Text(*AddDuration(At("2023-01-01T00:00:00.5+01:00"), 3'600'500'000'000)),
            "2023-01-01T01:00:01+01:00");
  EXPECT_EQ(Text(*SubtractDuration(At("2023-01-01T00:00:00Z"), 1)),
            "2022-12-31T23:59:59.999999999Z");
  EXPECT_EQ(ErrorOf(SubtractDuration(At("0001-01-01T00:00:00Z"), 1)), "timestamp overflow");
  EXPECT_EQ(ErrorOf(AddDuration(At("9999-12-31T23:59:59.999999999Z"), 1)), "timestamp overflow");
  EXPECT_EQ(
      ErrorOf(SubtractDuration(At("1970-01-01T00:00:00Z"), std::numeric_limits<int64_t>::min())),
      "integer overflow");
  EXPECT_EQ(SubtractTimestamps(At("2023-01-02T00:00:00Z"), At("2023-01-01T00:00:00.5Z")),
            86'399'500'000'000);
  EXPECT_EQ(ErrorOf(SubtractTimestamps(At("9999-12-31T23:59:59Z"), At("0001-01-01T00:00:00Z"))),
            "integer overflow");
  EXPECT_EQ(ErrorOf(AddDurations(std::numeric_limits<int64_t>::max(), 1)), "integer overflow");
}

TEST(CelTimeTest, GettersAreInUtc) {
  constexpr std::string_view kTime = "2020-06-15T12:00:00.25+14:00";
  EXPECT_EQ(Get(kTime, "getFullYear"), "2020");
  EXPECT_EQ(Get(kTime, "getMonth"), "5");
  EXPECT_EQ(Get(kTime, "getDate"), "14");
  EXPECT_EQ(Get(kTime, "getDayOfMonth"), "13");
  EXPECT_EQ(Get(kTime, "getDayOfYear"), "165");
  EXPECT_EQ(Get(kTime, "getDayOfWeek"), "0");
  EXPECT_EQ(Get(kTime, "getHours"), "22");
  EXPECT_EQ(Get(kTime, "getMilliseconds"), "250");
  EXPECT_EQ(Get("0001-01-01T00:00:00Z", "getDayOfWeek"), "1");
  EXPECT_FALSE(TimeFieldOf("getYear"));
}

TEST(CelTimeTest, ZonesMayBeOffsetsOfAnySize) {
  constexpr std::string_view kTime = "2023-07-01T22:45:10.250Z";
  EXPECT_EQ(Get(kTime, "getHours", "02:00"), "0");
  EXPECT_EQ(Get(kTime, "getHours", "-08:30"), "14");
  EXPECT_EQ(Get(kTime, "getMinutes", "-08:30"), "15");
  EXPECT_EQ(Get(kTime, "getHours", "+25:00"), "23");
  EXPECT_EQ(Get(kTime, "getHours", "-99:00"), "19");
  EXPECT_EQ(Get(kTime, "getHours", "+05:70"), "4");
  EXPECT_EQ(Get(kTime, "getHours", ""), "22");
  EXPECT_EQ(Get(kTime, "getHours", ":30"), "strconv.Atoi: parsing \"\": invalid syntax");
  EXPECT_EQ(Get(kTime, "getHours", "+0530"), "unknown time zone +0530");
}

TEST(CelTimeTest, DurationsAreCountedInOneUnit) {
  const int64_t nanos = *DurationFromText("-1h30m5.5s");
  EXPECT_EQ(GetDurationField(nanos, TimeField::kHours), -1);
  EXPECT_EQ(GetDurationField(nanos, TimeField::kMinutes), -90);
  EXPECT_EQ(GetDurationField(nanos, TimeField::kSeconds), -5405);
  EXPECT_EQ(GetDurationField(nanos, TimeField::kMilliseconds), -5'405'500);
}

}  // namespace
}  // namespace skiff::cel
