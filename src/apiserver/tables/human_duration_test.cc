#include "apiserver/tables/human_duration.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kYear = 365 * kDay;

std::string Text(int64_t nanoseconds) {
  char out[kMaxHumanDurationBytes];
  return std::string(out, WriteHumanDuration(nanoseconds, out));
}

TEST(HumanDurationTest, ToleratesAClockThatIsASecondAhead) {
  EXPECT_EQ(Text(-2 * kSecond), "<invalid>");
  EXPECT_EQ(Text(-2 * kSecond + 1), "0s");
  EXPECT_EQ(Text(-1), "0s");
  EXPECT_EQ(Text(INT64_MIN), "<invalid>");
}

TEST(HumanDurationTest, ChangesItsUnitsAtTheBoundariesOfKubernetes) {
  EXPECT_EQ(Text(0), "0s");
  EXPECT_EQ(Text(kSecond - 1), "0s");
  EXPECT_EQ(Text(119 * kSecond), "119s");
  EXPECT_EQ(Text(2 * kMinute - 1), "119s");
  EXPECT_EQ(Text(2 * kMinute), "2m");
  EXPECT_EQ(Text(2 * kMinute + kSecond), "2m1s");
  EXPECT_EQ(Text(10 * kMinute - 1), "9m59s");
  EXPECT_EQ(Text(10 * kMinute + 59 * kSecond), "10m");
  EXPECT_EQ(Text(3 * kHour - 1), "179m");
  EXPECT_EQ(Text(3 * kHour), "3h");
  EXPECT_EQ(Text(3 * kHour + kMinute), "3h1m");
  EXPECT_EQ(Text(8 * kHour - 1), "7h59m");
  EXPECT_EQ(Text(8 * kHour + 30 * kMinute), "8h");
  EXPECT_EQ(Text(2 * kDay - 1), "47h");
  EXPECT_EQ(Text(2 * kDay), "2d");
  EXPECT_EQ(Text(2 * kDay + kHour), "2d1h");
  EXPECT_EQ(Text(8 * kDay - 1), "7d23h");
  EXPECT_EQ(Text(8 * kDay + 5 * kHour), "8d");
  EXPECT_EQ(Text(2 * kYear - 1), "729d");
  EXPECT_EQ(Text(2 * kYear), "2y");
  EXPECT_EQ(Text(2 * kYear + kDay), "2y1d");
  EXPECT_EQ(Text(8 * kYear - 1), "7y364d");
  EXPECT_EQ(Text(8 * kYear + 5 * kDay), "8y");
}

TEST(HumanDurationTest, StopsAtWhatNanosecondsCanCount) {
  const object::Timestamp now{1'700'000'000, 0};
  EXPECT_EQ(Text(NanosecondsBetween({-62'135'596'799, 0}, now)), "292y");
  EXPECT_EQ(Text(NanosecondsBetween(now, {-62'135'596'799, 0})), "<invalid>");
  EXPECT_EQ(NanosecondsBetween({10, 900'000'000}, {12, 100'000'000}), 1'200'000'000);
}

}  // namespace
}  // namespace skiff::apiserver
