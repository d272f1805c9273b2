#include "cel/values/numbers.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr uint64_t kUintMax = std::numeric_limits<uint64_t>::max();

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "no error" : result.error().message();
}

TEST(CelNumbersTest, ArithmeticOfIntsReportsOverflow) {
  EXPECT_EQ(Add(kMax, kMin), -1);
  EXPECT_EQ(ErrorOf(Add(kMax, int64_t{1})), "integer overflow");
  EXPECT_EQ(ErrorOf(Subtract(int64_t{0}, kMin)), "integer overflow");
  EXPECT_EQ(ErrorOf(Multiply(kMin, int64_t{-1})), "integer overflow");
  EXPECT_EQ(ErrorOf(Divide(kMin, int64_t{-1})), "integer overflow");
  EXPECT_EQ(ErrorOf(Divide(int64_t{1}, int64_t{0})), "division by zero");
  EXPECT_EQ(Divide(int64_t{-7}, int64_t{2}), -3);
  EXPECT_EQ(Modulo(int64_t{-7}, int64_t{3}), -1);
  EXPECT_EQ(Modulo(int64_t{7}, int64_t{-1}), 0);
  EXPECT_EQ(ErrorOf(Modulo(kMin, int64_t{-1})), "integer overflow");
  EXPECT_EQ(ErrorOf(Modulo(int64_t{1}, int64_t{0})), "modulus by zero");
  EXPECT_EQ(ErrorOf(Negate(kMin)), "integer overflow");
}

TEST(CelNumbersTest, ArithmeticOfUintsReportsOverflow) {
  EXPECT_EQ(ErrorOf(Add(kUintMax, uint64_t{1})), "unsigned integer overflow");
  EXPECT_EQ(ErrorOf(Subtract(uint64_t{0}, uint64_t{1})), "unsigned integer overflow");
  EXPECT_EQ(ErrorOf(Multiply(kUintMax, uint64_t{2})), "unsigned integer overflow");
  EXPECT_EQ(ErrorOf(Divide(uint64_t{1}, uint64_t{0})), "division by zero");
  EXPECT_EQ(ErrorOf(Modulo(uint64_t{1}, uint64_t{0})), "modulus by zero");
  EXPECT_EQ(Multiply(uint64_t{42}, uint64_t{2}), 84u);
}

TEST(CelNumbersTest, NumbersOfDifferentTypesCompareByValue) {
  EXPECT_EQ(Compare(int64_t{-1}, uint64_t{0}), std::strong_ordering::less);
  EXPECT_EQ(Compare(kMax, uint64_t{1} << 63), std::strong_ordering::less);
  EXPECT_EQ(Compare(int64_t{1}, uint64_t{1}), std::strong_ordering::equal);
  EXPECT_EQ(Compare(int64_t{1}, 1.5), std::partial_ordering::less);
  EXPECT_EQ(Compare(kMax, 9223372036854775807.0), std::partial_ordering::equivalent);
  EXPECT_EQ(Compare(uint64_t{1}, -2.5), std::partial_ordering::greater);
  EXPECT_EQ(Compare(kUintMax, HUGE_VAL), std::partial_ordering::less);
  EXPECT_EQ(Compare(int64_t{1}, std::nan("")), std::partial_ordering::unordered);
}

TEST(CelNumbersTest, ConversionsReportWhatDoesNotFit) {
  EXPECT_EQ(IntFrom(1.9999), 1);
  EXPECT_EQ(IntFrom(9223372036854774784.0), 9223372036854774784);
  for (const double value :
       {-9223372036854775808.0, 9223372036854775807.0, HUGE_VAL, std::nan("")}) {
    EXPECT_EQ(ErrorOf(IntFrom(value)), "integer overflow") << value;
  }
  EXPECT_EQ(ErrorOf(IntFrom(kUintMax)), "integer overflow");
  EXPECT_EQ(UintFrom(9223372036854775807.0), uint64_t{1} << 63);
  EXPECT_EQ(ErrorOf(UintFrom(18446744073709551615.0)), "unsigned integer overflow");
  EXPECT_EQ(ErrorOf(UintFrom(int64_t{-1})), "unsigned integer overflow");
  EXPECT_EQ(ExactInt(3.0), 3);
  EXPECT_EQ(ExactInt(3.5), std::nullopt);
  EXPECT_EQ(ExactUint(-1.0), std::nullopt);
}

TEST(CelNumbersTest, IntsAreReadAsGoReadsThem) {
  EXPECT_EQ(IntFromText("-0"), 0);
  EXPECT_EQ(IntFromText("+5"), 5);
  EXPECT_EQ(IntFromText("007"), 7);
  EXPECT_EQ(UintFromText("18446744073709551615"), kUintMax);
  for (const std::string_view text :
       {"", "-", "+-1", "1_000", "0x1", " 1", "9223372036854775808"}) {
    EXPECT_EQ(ErrorOf(IntFromText(text)), "type conversion error from 'string' to 'int'") << text;
  }
  EXPECT_EQ(ErrorOf(UintFromText("+1")), "type conversion error from 'string' to 'uint'");
  EXPECT_EQ(ErrorOf(GoAtoi("x")), "strconv.Atoi: parsing \"x\": invalid syntax");
  EXPECT_EQ(ErrorOf(GoParseUint("18446744073709551616")),
            "strconv.ParseUint: parsing \"18446744073709551616\": value out of range");
}

TEST(CelNumbersTest, DoublesAreReadAsGoReadsThem) {
  EXPECT_EQ(DoubleFromText("5."), 5);
  EXPECT_EQ(DoubleFromText("0x1p-2"), 0.25);
  EXPECT_EQ(DoubleFromText("1_000.5"), 1000.5);
  EXPECT_EQ(DoubleFromText("-infinity"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(*DoubleFromText("nan")));
  EXPECT_EQ(DoubleFromText("1e-400"), 0);
  EXPECT_TRUE(std::signbit(*DoubleFromText("-1e-400")));
  EXPECT_EQ(DoubleFromText("1" + std::string(400, '0') + "e-400"), 1);
  for (const std::string_view text : {"", ".", "1e", "1e999", "0x1", "-nan", " 1", "1__0", "1p5"}) {
    EXPECT_EQ(ErrorOf(DoubleFromText(text)), "type conversion error from 'string' to 'double'")
        << text;
  }
}

TEST(CelNumbersTest, BoolsAreReadAsGoReadsThem) {
  EXPECT_EQ(BoolFromText("T"), true);
  EXPECT_EQ(BoolFromText("False"), false);
  EXPECT_EQ(ErrorOf(BoolFromText("yes")), "type conversion error from 'string' to 'bool'");
}

TEST(CelNumbersTest, DoublesAreWrittenWithTheFewestDigits) {
  EXPECT_EQ(Text(100.0), "100");
  EXPECT_EQ(Text(1e6), "1e+06");
  EXPECT_EQ(Text(0.0001), "0.0001");
  EXPECT_EQ(Text(0.00001), "1e-05");
  EXPECT_EQ(Text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(Text(-9223372036854775808.0), "-9.223372036854776e+18");
  EXPECT_EQ(Text(-0.0), "-0");
  EXPECT_EQ(Text(HUGE_VAL), "+Inf");
  EXPECT_EQ(Text(std::nan("")), "NaN");
  EXPECT_EQ(PlainText(1e22), "10000000000000000000000");
  EXPECT_EQ(PlainText(0.001), "0.001");
}

}  // namespace
}  // namespace skiff::cel
