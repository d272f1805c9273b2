#include "object/scalar/duration.h"

#include <limits>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

constexpr int64_t kMicro = 1'000;
constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::string Formatted(int64_t nanos) {
  std::string out;
  AppendDuration(nanos, out);
  return out;
}

TEST(DurationTest, FormatsAsGoDoes) {
  const struct {
    int64_t nanos;
    const char* text;
  } kCases[] = {
      {0, "0s"},
      {1, "1ns"},
      {999, "999ns"},
      {kMicro, "1\u00b5s"},
      {1'100, "1.1\u00b5s"},
      {kMilli - 1, "999.999\u00b5s"},
      {2'200'000, "2.2ms"},
      {kSecond - 1, "999.999999ms"},
      {kSecond, "1s"},
      {3'300'000'000, "3.3s"},
      {kMinute, "1m0s"},
      {4 * kMinute + 5 * kSecond, "4m5s"},
      {4 * kMinute + 5'001'000'000, "4m5.001s"},
      {kHour, "1h0m0s"},
      {5 * kHour + 6 * kMinute + 7'001'000'000, "5h6m7.001s"},
      {100 * kHour, "100h0m0s"},
      {8 * kMinute + 1, "8m0.000000001s"},
      {-90 * kSecond, "-1m30s"},
      {-1, "-1ns"},
      {kMax, "2562047h47m16.854775807s"},
      {kMin, "-2562047h47m16.854775808s"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Formatted(c.nanos), c.text);
}

TEST(DurationTest, ParsesEveryUnit) {
  const struct {
    const char* text;
    int64_t nanos;
  } kCases[] = {
      {"0", 0},
      {"+0", 0},
      {"-0", 0},
      {"0s", 0},
      {"5s", 5 * kSecond},
      {"-5s", -5 * kSecond},
      {"+5s", 5 * kSecond},
      {"5.0s", 5 * kSecond},
      {"5.s", 5 * kSecond},
      {".5s", kSecond / 2},
      {"1.00400s", 1'004'000'000},
      {"10ns", 10},
      {"11us", 11 * kMicro},
      {"12\u00b5s", 12 * kMicro},
      {"12\u03bcs", 12 * kMicro},
      {"13ms", 13 * kMilli},
      {"15m", 15 * kMinute},
      {"16h", 16 * kHour},
      {"3h30m", 3 * kHour + 30 * kMinute},
      {"10.5s4m", 4 * kMinute + 10'500'000'000},
      {"-2m3.4s", -(2 * kMinute + 3'400'000'000)},
      {"1h2m3s4ms5us6ns", kHour + 2 * kMinute + 3 * kSecond + 4 * kMilli + 5 * kMicro + 6},
      {"39h9m14.425s", 39 * kHour + 9 * kMinute + 14'425 * kMilli},
      {"0.9ns", 0},
      {"9007199254740993ns", 9007199254740993},
      {"9223372036854775807ns", kMax},
      {"9223372036854775.807us", kMax},
      {"9223372036s854ms775us807ns", kMax},
      {"-9223372036854775808ns", kMin},
      {"0.3333333333333333333h", 20 * kMinute},
      {"0.100000000000000000000h", 6 * kMinute},
      {"0.830103483285477580700h", 49 * kMinute + 48'372'539'827},
  };
  for (const auto& c : kCases) {
    const auto result = ParseDuration(c.text);
    ASSERT_TRUE(result) << c.text;
    EXPECT_EQ(*result, c.nanos) << c.text;
  }
}

TEST(DurationTest, RejectsWhatGoRejects) {
  for (const char* text : {"",
                           "3",
                           "-",
                           "s",
                           ".",
                           "-.",
                           ".s",
                           "+.s",
                           "1d",
                           "1s ",
                           " 1s",
                           "1h-2m",
                           "1.2.3s",
                           "--1s",
                           "\x85\x85",
                           "\xff",
                           "hello \xff world",
                           "9223372036854775810ns",
                           "9223372036854775808ns",
                           "-9223372036854775809ns",
                           "9223372036854776us",
                           "3000000h",
                           "9223372036854775.808us",
                           "9223372036854ms775us808ns",
                           "99999999999999999999h",
                           "1S",
                           "1 s",
                           "0x1s"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

TEST(DurationTest, ReadsWhatItWrites) {
  for (int64_t nanos = 1; nanos < kMax / 7; nanos = nanos * 7 + 3) {
    EXPECT_EQ(*ParseDuration(Formatted(nanos)), nanos);
    EXPECT_EQ(*ParseDuration(Formatted(-nanos)), -nanos);
  }
  EXPECT_EQ(*ParseDuration(Formatted(kMin)), kMin);
}

}  // namespace
}  // namespace skiff::object
