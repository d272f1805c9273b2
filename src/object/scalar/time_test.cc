#include "object/scalar/time.h"

#include <limits>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

std::string Time(Timestamp t) {
  std::string out;
  AppendTime(t, out);
  return out;
}

std::string MicroTime(Timestamp t) {
  std::string out;
  AppendMicroTime(t, out);
  return out;
}

TEST(TimeTest, ParsesInstants) {
  const struct {
    const char* text;
    Timestamp want;
  } kCases[] = {
      {"1970-01-01T00:00:00Z", {0, 0}},
      {"2006-01-02T15:04:05Z", {1136214245, 0}},
      {"2006-01-02T15:04:05+07:00", {1136189045, 0}},
      {"2006-01-02T15:04:05-07:00", {1136239445, 0}},
      {"2006-01-02T15:04:05.5Z", {1136214245, 500'000'000}},
      {"2006-01-02T15:04:05,5Z", {1136214245, 500'000'000}},
      {"2006-01-02T15:04:05.123456789Z", {1136214245, 123'456'789}},
      {"2006-01-02T15:04:05.1234567899999999999999Z", {1136214245, 123'456'789}},
      {"1969-12-31T23:59:59.9Z", {-1, 900'000'000}},
      {"2000-02-29T00:00:00Z", {951782400, 0}},
      {"2024-02-29T12:00:00Z", {1709208000, 0}},
      {"0000-01-01T00:00:00Z", {-62167219200, 0}},
      {"0001-01-01T00:00:00Z", kZeroTimestamp},
      {"9999-12-31T23:59:59Z", {253402300799, 0}},
      // Go reads an hour of one digit and offsets of up to 24:60.
      {"2006-01-02T5:04:05Z", {1136178245, 0}},
      {"1970-01-02T00:00:00+24:00", {0, 0}},
      {"1970-01-01T01:00:00+00:60", {0, 0}},
      {"1970-01-01T00:00:00-00:00", {0, 0}},
  };
  for (const auto& c : kCases) {
    const auto result = ParseTime(c.text);
    ASSERT_TRUE(result) << c.text << ": " << result.error().message();
    EXPECT_EQ(result->seconds, c.want.seconds) << c.text;
    EXPECT_EQ(result->nanos, c.want.nanos) << c.text;
  }
}

TEST(TimeTest, RejectsWhatGoRejects) {
  for (const char* text : {"",
                           "2006",
                           "2006-01-02",
                           "2006-01-02 15:04:05Z",
                           "2006-01-02t15:04:05Z",
                           "2006-01-02T15:04:05z",
                           "2006-01-02T15:04:05",
                           "2006-01-02T15:04Z",
                           "2006-1-02T15:04:05Z",
                           "2006-01-2T15:04:05Z",
                           "2006-01-02T15:4:05Z",
                           "2006-01-02T15:04:5Z",
                           "2006-00-02T15:04:05Z",
                           "2006-13-02T15:04:05Z",
                           "2006-01-00T15:04:05Z",
                           "2006-01-32T15:04:05Z",
                           "2006-04-31T15:04:05Z",
                           "2006-02-29T15:04:05Z",
                           "1900-02-29T15:04:05Z",
                           "2006-01-02T24:00:00Z",
                           "2006-01-02T15:60:05Z",
                           "2006-01-02T15:04:60Z",
                           "2006-01-02T15:04:05.Z",
                           "2006-01-02T15:04:05.Z5",
                           "2006-01-02T15:04:05+0700",
                           "2006-01-02T15:04:05+07",
                           "2006-01-02T15:04:05+25:00",
                           "2006-01-02T15:04:05+07:61",
                           "2006-01-02T15:04:05Z ",
                           " 2006-01-02T15:04:05Z",
                           "2006-01-02T15:04:05ZZ",
                           "12006-01-02T15:04:05Z",
                           "-006-01-02T15:04:05Z",
                           "+006-01-02T15:04:05Z",
                           "2006-01-02T15:04:05 07:00",
                           "2006-01-02T15:04:05Z07:00",
                           "null"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(TimeTest, MicroTimeWantsSixDigitsOfFraction) {
  const auto result = ParseMicroTime("2006-01-02T15:04:05.123456-07:00");
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, (Timestamp{1136239445, 123'456'000}));
  EXPECT_EQ(*ParseMicroTime("2006-01-02T15:04:05,000001Z"), (Timestamp{1136214245, 1000}));
  for (const char* text :
       {"2006-01-02T15:04:05Z", "2006-01-02T15:04:05.1Z", "2006-01-02T15:04:05.12345Z",
        "2006-01-02T15:04:05.1234567Z", "2006-01-02T15:04:05.123456", "2006-01-02T15:04:05."}) {
    EXPECT_FALSE(ParseMicroTime(text)) << text;
  }
}

TEST(TimeTest, FormatsInUtc) {
  EXPECT_EQ(Time({0, 0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(Time({1136214245, 999'999'999}), "2006-01-02T15:04:05Z");
  EXPECT_EQ(Time({-1, 0}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(Time(kZeroTimestamp), "0001-01-01T00:00:00Z");
  EXPECT_EQ(Time({253402300799, 0}), "9999-12-31T23:59:59Z");
  EXPECT_EQ(Time({-62167219200, 0}), "0000-01-01T00:00:00Z");
  EXPECT_EQ(MicroTime({1136214245, 123'456'789}), "2006-01-02T15:04:05.123456Z");
  EXPECT_EQ(MicroTime({0, 0}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(MicroTime({0, 1'999}), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(Time({0, 0}).size(), kTimeBytes);
  EXPECT_EQ(MicroTime({0, 0}).size(), kMicroTimeBytes);
}

TEST(TimeTest, YearsBeyondFourDigitsFitTheBuffer) {
  EXPECT_EQ(Time({253402300800, 0}), "10000-01-01T00:00:00Z");
  EXPECT_EQ(Time({-62167219201, 0}), "-0001-12-31T23:59:59Z");
  for (const int64_t seconds :
       {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    EXPECT_LE(MicroTime({seconds, 999'999'999}).size(), kMaxTimeBytes);
  }
  EXPECT_EQ(Time({std::numeric_limits<int64_t>::max(), 0}), "292277026596-12-04T15:30:07Z");
  EXPECT_EQ(Time({std::numeric_limits<int64_t>::min(), 0}), "-292277022657-01-27T08:29:52Z");
}

TEST(TimeTest, EveryDayOfFourCenturiesRoundTrips) {
  // The calendar repeats after 400 years; each month must follow the one before it.
  constexpr int64_t kDay = 86'400;
  std::string previous;
  for (int64_t day = -146'097; day <= 2; ++day) {
    const Timestamp t{day * kDay + 3661, 0};
    const std::string text = Time(t);
    ASSERT_LT(previous, text);
    const auto parsed = ParseTime(text);
    ASSERT_TRUE(parsed) << text;
    ASSERT_EQ(*parsed, t) << text;
    previous = text;
  }
  EXPECT_EQ(Time({-146'097 * kDay, 0}), "1570-01-01T00:00:00Z");
}

TEST(TimeTest, OnlyTheFirstInstantOfYearOneIsZero) {
  EXPECT_TRUE(IsZero(kZeroTimestamp));
  EXPECT_FALSE(IsZero(Timestamp{}));
  EXPECT_FALSE(IsZero(Timestamp{kZeroTimestamp.seconds, 1}));
}

TEST(TimeTest, BinaryNanosAreBroughtIntoTheirSecond) {
  EXPECT_EQ(MakeTimestamp(5, 7), (Timestamp{5, 7}));
  EXPECT_EQ(MakeTimestamp(5, -1), (Timestamp{4, 999'999'999}));
  EXPECT_EQ(MakeTimestamp(5, 2'000'000'001), (Timestamp{7, 1}));
  EXPECT_EQ(MakeTimestamp(5, -2'000'000'000), (Timestamp{3, 0}));
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_LT(MakeTimestamp(kMin, -1).nanos, 1'000'000'000u);
  EXPECT_EQ(MakeTimestamp(0, kMin), (Timestamp{-9'223'372'037, 145'224'192}));
}

TEST(TimeTest, InstantsAreOrdered) {
  EXPECT_LT((Timestamp{1, 5}), (Timestamp{2, 0}));
  EXPECT_LT((Timestamp{1, 5}), (Timestamp{1, 6}));
  EXPECT_LT(kZeroTimestamp, Timestamp{});
}

}  // namespace
}  // namespace skiff::object
