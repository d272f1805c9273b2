#include "object/scalar/decimal.h"

#include <limits>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::string Text(Decimal d) {
  d.Normalize();
  return (d.Sign() < 0 ? "-" : "") + (d.IsZero() ? "0" : d.digits()) + "e" +
         std::to_string(d.exponent());
}

TEST(DecimalTest, ZeroHasOneForm) {
  for (const Decimal& zero : {Decimal(), Decimal(0, 5), Decimal(true, "000", -3)}) {
    EXPECT_EQ(zero.Sign(), 0);
    EXPECT_EQ(Text(zero), "0e0");
  }
  Decimal zero;
  zero.Negate();
  EXPECT_EQ(zero.Sign(), 0);
  EXPECT_EQ(zero.Compare(Decimal()), 0);
}

TEST(DecimalTest, ComparesAcrossExponents) {
  // Each is less than the next.
  const Decimal kAscending[] = {
      Decimal(kMin, 3),
      Decimal(-12, 1),
      Decimal(-119, 0),
      Decimal(-1, -9),
      Decimal(),
      Decimal(1, -9),
      Decimal(9, -1),
      Decimal(1, 0),
      Decimal(1001, -3),
      Decimal(2, 0),
      Decimal(1, 1),
      Decimal(kMax, 0),
      Decimal(false, "9223372036854775808", 0),
      Decimal(1, 900),
  };
  for (size_t i = 0; i < std::size(kAscending); ++i) {
    for (size_t j = 0; j < std::size(kAscending); ++j) {
      const int order = kAscending[i].Compare(kAscending[j]);
      EXPECT_EQ(order < 0, i < j);
      EXPECT_EQ(order > 0, i > j);
    }
  }
  EXPECT_EQ(Decimal(1000, -3).Compare(Decimal(1, 0)), 0);
}

TEST(DecimalTest, AddsWithCarryAndBorrow) {
  const struct {
    Decimal a, b;
    const char* sum;
  } kCases[] = {
      {Decimal(999, 0), Decimal(1, 0), "1e3"},
      {Decimal(1, 3), Decimal(-1, 0), "999e0"},
      {Decimal(1, 0), Decimal(-1, 3), "-999e0"},
      {Decimal(-5, -1), Decimal(5, -1), "0e0"},
      {Decimal(-5, 0), Decimal(-7, 0), "-12e0"},
      {Decimal(1, 30), Decimal(1, -9), "1000000000000000000000000000000000000001e-9"},
      {Decimal(), Decimal(7, 2), "7e2"},
      {Decimal(7, 2), Decimal(), "7e2"},
      {Decimal(kMax, 0), Decimal(kMax, 0), "18446744073709551614e0"},
  };
  for (const auto& c : kCases) {
    Decimal sum = c.a;
    sum.Add(c.b);
    EXPECT_EQ(Text(sum), c.sum);
    Decimal other = c.b;
    other.Add(c.a);
    EXPECT_EQ(other.Compare(sum), 0);
  }
}

TEST(DecimalTest, MultipliesAndDivides) {
  Decimal number(true, "18446744073709551615", 0);
  number.Multiply(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Text(number), "-340282366920938463426481119284349108225e0");
  EXPECT_EQ(number.DivideBy(1024), 1u);
  EXPECT_EQ(Text(number), "-332306998946228968189922968051122176e0");
  number.Multiply(0);
  EXPECT_TRUE(number.IsZero());
}

TEST(DecimalTest, RoundsAwayFromZero) {
  const struct {
    Decimal number;
    int exponent;
    const char* rounded;
    bool exact;
  } kCases[] = {
      {Decimal(11, -1), 0, "2e0", false},    {Decimal(-11, -1), 0, "-2e0", false},
      {Decimal(10, -1), 0, "1e0", true},     {Decimal(1, -5), 0, "1e0", false},
      {Decimal(-1, -500), 0, "-1e0", false}, {Decimal(9999, 0), 1, "1e4", false},
      {Decimal(5, 3), 1, "5e3", true},       {Decimal(), 5, "0e0", true},
      {Decimal(5, 0), 1, "1e1", false},
  };
  for (const auto& c : kCases) {
    Decimal number = c.number;
    EXPECT_EQ(number.RoundUp(c.exponent), c.exact) << c.rounded;
    EXPECT_EQ(Text(number), c.rounded);
  }
}

TEST(DecimalTest, ConvertsToInt64Saturating) {
  EXPECT_EQ(Decimal(kMax, 0).ToInt64Saturated(), kMax);
  EXPECT_EQ(Decimal(kMin, 0).ToInt64Saturated(), kMin);
  EXPECT_EQ(Decimal(false, "9223372036854775808", 0).ToInt64Saturated(), kMax);
  EXPECT_EQ(Decimal(true, "9223372036854775809", 0).ToInt64Saturated(), kMin);
  EXPECT_EQ(Decimal(false, "100000000000000000000", 0).ToInt64Saturated(), kMax);
  EXPECT_EQ(Decimal().ToInt64Saturated(), 0);
}

TEST(DecimalTest, ConvertsToTheNearestDouble) {
  EXPECT_EQ(Decimal(1, -1).ToDouble(), 0.1);
  EXPECT_EQ(Decimal(-25, 2).ToDouble(), -2500.0);
  EXPECT_EQ(Decimal(1, 400).ToDouble(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace skiff::object
