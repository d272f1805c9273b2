#include "object/scalar/quantity.h"

#include <limits>
#include <span>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::object {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

Quantity Q(std::string_view text) {
  auto result = Quantity::Parse(text);
  EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().message());
  return result ? *result : Quantity();
}

struct TextCase {
  const char* text;
  const char* canonical;
};

void ExpectCanonical(std::span<const TextCase> cases) {
  for (const TextCase& c : cases) {
    EXPECT_EQ(Q(c.text).ToString(), c.canonical) << c.text;
    std::string scratch;
    const auto canonical = CanonicalizeQuantity(c.text, scratch);
    ASSERT_TRUE(canonical) << c.text;
    EXPECT_EQ(*canonical, c.canonical) << c.text;
    EXPECT_EQ(Q(c.canonical), Q(c.text)) << c.text;
    EXPECT_EQ(Q(c.canonical).ToString(), c.canonical) << c.text;
  }
}

TEST(QuantityTest, WritesTheLargestSuffixWithoutAFraction) {
  const TextCase kCases[] = {
      {"0", "0"},
      {"1", "1"},
      {"100", "100"},
      {"999", "999"},
      {"1000", "1k"},
      {"1001", "1001"},
      {"1100", "1100"},
      {"10000", "10k"},
      {"1000000", "1M"},
      {"1000000000", "1G"},
      {"1000000000000", "1T"},
      {"1000000000000000", "1P"},
      {"1000000000000000000", "1E"},
      {"1k", "1k"},
      {"1000k", "1M"},
      {"1500k", "1500k"},
      {"1.5k", "1500"},
      {"0.5", "500m"},
      {"1.5", "1500m"},
      {"0.001", "1m"},
      {"0.0001", "100u"},
      {"0.0000001", "100n"},
      {"0.000000001", "1n"},
      {"10m", "10m"},
      {"1000m", "1"},
      {"10000m", "10"},
      {"2500m", "2500m"},
      {"1000n", "1u"},
      {"1000000n", "1m"},
      {"100u", "100u"},
      {".5", "500m"},
      {"5.0", "5"},
      {"10.0", "10"},
      {"1.0k", "1k"},
      {"00.5", "500m"},
      {"-0.5", "-500m"},
      {"-1000", "-1k"},
      {"0.1k", "100"},
      {"1.50", "1500m"},
      {"1.2345", "1234500u"},
      {"12345678901234567890", "12345678901234567890"},
      {"12000000000000000000", "12E"},
      {"123456789012345678.9", "123456789012345678900m"},
  };
  ExpectCanonical(kCases);
}

TEST(QuantityTest, WritesBinaryAmountsInPowersOf1024) {
  const TextCase kCases[] = {
      {"1Ki", "1Ki"},
      {"1024Ki", "1Mi"},
      {"1.5Gi", "1536Mi"},
      {"0.5Gi", "512Mi"},
      {"8Gi", "8Gi"},
      {"16Gi", "16Gi"},
      {"2048Mi", "2Gi"},
      {"1000Ki", "1000Ki"},
      {"100Ti", "100Ti"},
      {"1024Gi", "1Ti"},
      {"1024Ti", "1Pi"},
      {"1024Pi", "1Ei"},
      {"7Ei", "7Ei"},
      {"1.5Ei", "1536Pi"},
      {"-1Ki", "-1Ki"},
      {"-2048Ki", "-2Mi"},
      // Below 1024 and with fractions decimal is used.
      {"0.5Ki", "512"},
      {"0.001Ki", "1024m"},
      {"1.1Ki", "1126400m"},
      {"-0.5Ki", "-512"},
      {"0.0001Ki", "102400u"},
      {"1.0001Ki", "1024102400u"},
      {"0.000000000001Ki", "2n"},
      {"0Ki", "0"},
      {"0.0Ei", "0"},
  };
  ExpectCanonical(kCases);
}

TEST(QuantityTest, ABinaryAmountWithoutSuffixIsDecimalWhenReadAgain) {
  EXPECT_EQ(Q("2.9296875Ki").ToString(), "3000");
  EXPECT_EQ(Q("2.9296875Ki").format(), QuantityFormat::kBinarySI);
  EXPECT_EQ(Q("3000").ToString(), "3k");
}

TEST(QuantityTest, WritesExponentsInMultiplesOfThree) {
  const TextCase kCases[] = {
      {"1e3", "1e3"},
      {"1e4", "10e3"},
      {"1e5", "100e3"},
      {"1e6", "1e6"},
      {"100e1", "1e3"},
      {"1.5e3", "1500"},
      {"12e6", "12e6"},
      {"1e-3", "1e-3"},
      {"1e-1", "100e-3"},
      {"1e-2", "10e-3"},
      {"1e-9", "1e-9"},
      {"1E1", "10"},
      {"1e2", "100"},
      {"1e21", "1e21"},
      {"1e22", "10e21"},
      {"1000e0", "1e3"},
      {"0e5", "0"},
      {"-1e4", "-10e3"},
      {"1234567890123456789e2", "123456789012345678900"},
      {"1e1000", "10e999"},
      {"0.5e1", "5"},
      {"1e-10", "1e-9"},
  };
  ExpectCanonical(kCases);
}

TEST(QuantityTest, KeepsTheTextsThatKubernetesKeeps) {
  for (const char* text : {"1.500",
                           "12.345",
                           "1.234k",
                           "1.001M",
                           "+1",
                           "+5Ki",
                           "007",
                           "-007m",
                           "012Ki",
                           "1.Ki",
                           "1.",
                           "-1.",
                           "5.k",
                           "1E3",
                           "1e+3",
                           "1e03",
                           "1e0",
                           "12e00",
                           "1e4294967296",
                           "1.000001",
                           "+1.500",
                           "1.5e1",
                           "123456789012345.678"}) {
    EXPECT_EQ(Q(text).ToString(), text);
    std::string scratch = "unused";
    EXPECT_EQ(CanonicalizeQuantity(text, scratch)->data(), text);
  }
  // The same numbers are put in canonical form where one of the conditions does not hold.
  const TextCase kCases[] = {
      {"1.000", "1"},      {"0.500", "500m"},
      {"+8Ki", "8Ki"},     {"+10Ti", "+10Ti"},
      {"+100Ti", "100Ti"}, {"+1000", "1k"},
      {"1.5000", "1500m"}, {"+0", "0"},
      {"1E4", "10e3"},     {"1234567890123456.789", "1234567890123456789m"},
      {"0.000001", "1u"},  {"+1.5", "1500m"},
  };
  for (const TextCase& c : kCases) EXPECT_EQ(Q(c.text).ToString(), c.canonical) << c.text;
}

TEST(QuantityTest, ForgetsAKeptTextWhenTheNumberChanges) {
  Quantity sum = Q("1.500");
  sum.Add(Q("1"));
  EXPECT_EQ(sum.ToString(), "2500m");
  Quantity rounded = Q("1.234");
  EXPECT_TRUE(rounded.RoundUp(Quantity::kMilli));
  EXPECT_EQ(rounded.ToString(), "1.234");
  EXPECT_FALSE(rounded.RoundUp(0));
  EXPECT_EQ(rounded.ToString(), "2");
  Quantity negated = Q("+5");
  negated.Negate();
  EXPECT_EQ(negated.ToString(), "-5");
}

TEST(QuantityTest, RoundsUpToNano) {
  const TextCase kCases[] = {
      {"0.1n", "1n"},
      {"1.1n", "2n"},
      {"-0.1n", "-1n"},
      {"0.0000000001", "1n"},
      {"-1.0000000001", "-1000000001n"},
      {"0.00000000000", "0"},
      {"1e-2147483648", "1e-9"},
      {"0.1e-2147483648", "1e-9"},
      {"0.1234567891234567891", "123456790n"},
      {"999999999.9999999999999", "1G"},
  };
  for (const TextCase& c : kCases) EXPECT_EQ(Q(c.text).ToString(), c.canonical) << c.text;
}

TEST(QuantityTest, CapsBinaryAmountsOnly) {
  EXPECT_EQ(Q("8Ei").ToString(), "9223372036854775807");
  EXPECT_EQ(Q("-8Ei").ToString(), "-9223372036854775807");
  EXPECT_EQ(Q("9999999999999999999999Ki").ToString(), "9223372036854775807");
  EXPECT_EQ(Q("8Ei").Value(), kMax);
  EXPECT_EQ(Q("999999999999999999999E").ToString(), "999999999999999999999E");
}

TEST(QuantityTest, BeyondTheLargestSuffixKeepsItsValue) {
  EXPECT_EQ(Q("1000E").ToString(), "1000E");
  EXPECT_EQ(Q("1000000000000000000000").ToString(), "1000E");
  Quantity large(kMax, QuantityFormat::kBinarySI);
  large.Add(Quantity(1));
  large.Multiply(1024);
  EXPECT_EQ(large.ToString(), "8192Ei");
}

TEST(QuantityTest, ReadsAMissingNumberAsZeroWhereKubernetesDoes) {
  for (const char* text : {"+", "-", ".", "-.", "Ki", "m", "e3", "+.k", "00", "-0", "0Ei", ".Mi"}) {
    EXPECT_TRUE(Q(text).IsZero()) << text;
    EXPECT_EQ(Q(text).ToString(), "0") << text;
  }
}

TEST(QuantityTest, RejectsWhatIsNoQuantity) {
  const struct {
    const char* text;
    const char* message;
  } kCases[] = {
      {"", "quantities must match"},
      {" 1", "quantities must match"},
      {"1 ", "quantities must match"},
      {"1x", "quantities must match"},
      {"1.2.3", "quantities must match"},
      {"--1", "quantity's suffix"},
      {"+-1", "quantity's suffix"},
      {"1,5", "quantities must match"},
      {"0x10", "quantities must match"},
      {"1e3m", "quantities must match"},
      {"1_000", "quantities must match"},
      {"1KI", "quantities must match"},
      {"1e", "quantity's suffix"},
      {"1mi", "quantity's suffix"},
      {"1ki", "quantity's suffix"},
      {"1K", "quantity's suffix"},
      {"1i", "quantity's suffix"},
      {"1ni", "quantity's suffix"},
      {"1+5", "quantity's suffix"},
      {"1Ki5", "quantity's suffix"},
      {"1e+", "quantity's suffix"},
      {"1e-", "quantity's suffix"},
      {"1ee3", "quantity's suffix"},
      {"1e9223372036854775808", "quantity's suffix"},
      {"Ei", "numeric part"},
      {"+Pi", "numeric part"},
      {".Pi", "numeric part"},
      {"e-10", "numeric part"},
  };
  for (const auto& c : kCases) {
    const auto result = Quantity::Parse(c.text);
    ASSERT_FALSE(result) << c.text;
    EXPECT_NE(result.error().message().find(c.message), std::string::npos) << c.text;
    std::string scratch;
    EXPECT_FALSE(CanonicalizeQuantity(c.text, scratch)) << c.text;
  }
  EXPECT_FALSE(Quantity::Parse(std::string_view("1\0", 2)));
}

TEST(QuantityTest, BoundsItsInput) {
  EXPECT_TRUE(Quantity::Parse(std::string(limits::kMaxQuantityBytes, '9')));
  EXPECT_FALSE(Quantity::Parse(std::string(limits::kMaxQuantityBytes + 1, '9')));
  EXPECT_FALSE(Quantity::Parse(std::string(3'000'000, '9')));
  EXPECT_TRUE(Quantity::Parse("1e1023"));
  EXPECT_FALSE(Quantity::Parse("1e1024"));
  EXPECT_FALSE(Quantity::Parse("10e1023"));
  EXPECT_FALSE(Quantity::Parse("1e2147483647"));
  EXPECT_FALSE(Quantity::Parse("12345678901234567890e2147483647"));
  EXPECT_EQ(Q("0e2147483647").ToString(), "0");
  EXPECT_EQ(Q("00000000000000000000e2147483647").ToString(), "0");
}

TEST(QuantityTest, CanonicalTextIsReturnedAsItIs) {
  for (const char* text : {"0", "1", "500m", "1k", "16Gi", "1536Mi", "-5", "100Ti", "7Ei", "12e6",
                           "9223372036854775807", "1000E"}) {
    std::string scratch = "untouched";
    const auto result = CanonicalizeQuantity(text, scratch);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->data(), text);
    EXPECT_EQ(scratch, "untouched");
  }
  std::string scratch;
  const auto result = CanonicalizeQuantity("1000", scratch);
  EXPECT_EQ(*result, "1k");
  EXPECT_EQ(result->data(), scratch.data());
}

TEST(QuantityTest, RemembersItsFormat) {
  EXPECT_EQ(Q("1").format(), QuantityFormat::kDecimalSI);
  EXPECT_EQ(Q("1Ki").format(), QuantityFormat::kBinarySI);
  EXPECT_EQ(Q("1e3").format(), QuantityFormat::kDecimalExponent);
  EXPECT_EQ(Q("1E").format(), QuantityFormat::kDecimalSI);
  // An amount below one is never binary.
  EXPECT_EQ(Q("0.0001Ki").format(), QuantityFormat::kDecimalSI);
  EXPECT_EQ(Q("0.1Ki").format(), QuantityFormat::kBinarySI);
}

TEST(QuantityTest, ComparesByValue) {
  const char* const kAscending[] = {"-1000E",
                                    "-8Ei",
                                    "-1Ki",
                                    "-1000",
                                    "-1",
                                    "-1n",
                                    "0",
                                    "1n",
                                    "1m",
                                    "999m",
                                    "1",
                                    "1001m",
                                    "1k",
                                    "1Ki",
                                    "1025",
                                    "1M",
                                    "1Mi",
                                    "1Gi",
                                    "7Ei",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "10E",
                                    "1000E",
                                    "1e1000"};
  for (size_t i = 0; i < std::size(kAscending); ++i) {
    for (size_t j = 0; j < std::size(kAscending); ++j) {
      const int order = Q(kAscending[i]).Compare(Q(kAscending[j]));
      EXPECT_EQ(order < 0, i < j) << kAscending[i] << " " << kAscending[j];
      EXPECT_EQ(order > 0, i > j) << kAscending[i] << " " << kAscending[j];
    }
  }
  EXPECT_EQ(Q("1"), Q("1000m"));
  EXPECT_EQ(Q("1Ki"), Q("1024"));
  EXPECT_EQ(Q("0"), Q("0Ki"));
  EXPECT_EQ(Q("1e3"), Q("1k"));
  EXPECT_LT(Q("1"), Q("1.0000001"));
}

TEST(QuantityTest, AddsAndSubtractsExactly) {
  const struct {
    const char *a, *b, *sum, *difference;
  } kCases[] = {
      {"1", "1m", "1001m", "999m"},
      {"1Ki", "1", "1025", "1023"},
      {"1Gi", "1Gi", "2Gi", "0"},
      {"100m", "-100m", "0", "200m"},
      {"0", "1Ki", "1Ki", "-1Ki"},
      {"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
      {"10E", "1n", "10000000000000000000000000001n", "9999999999999999999999999999n"},
      {"8Ei", "8Ei", "18446744073709551614", "0"},
      {"1e3", "1", "1001", "999"},
      {"0.1", "0.2", "300m", "-100m"},
  };
  for (const auto& c : kCases) {
    Quantity sum = Q(c.a);
    sum.Add(Q(c.b));
    EXPECT_EQ(sum.ToString(), c.sum) << c.a << " + " << c.b;
    Quantity difference = Q(c.a);
    difference.Sub(Q(c.b));
    EXPECT_EQ(difference.ToString(), c.difference) << c.a << " - " << c.b;
    sum.Sub(Q(c.b));
    EXPECT_EQ(sum, Q(c.a));
  }
  Quantity self = Q("3");
  self.Add(self);
  EXPECT_EQ(self, Q("6"));
  Quantity large = Q("20E");
  large.Add(large);
  EXPECT_EQ(large, Q("40E"));
  large.Sub(large);
  EXPECT_TRUE(large.IsZero());
}

TEST(QuantityTest, AZeroTakesTheFormatOfWhatIsAdded) {
  Quantity sum;
  sum.Add(Q("1Gi"));
  EXPECT_EQ(sum.format(), QuantityFormat::kBinarySI);
  sum.Add(Q("1M"));
  EXPECT_EQ(sum.format(), QuantityFormat::kBinarySI);
}

TEST(QuantityTest, NegatesAndMultiplies) {
  Quantity smallest(kMin);
  smallest.Negate();
  EXPECT_EQ(smallest.ToString(), "9223372036854775808");
  EXPECT_EQ(smallest.Sign(), 1);
  Quantity product = Q("1.5");
  product.Multiply(-4);
  EXPECT_EQ(product.ToString(), "-6");
  product = Quantity(kMax);
  product.Multiply(kMin);
  EXPECT_EQ(product.ToString(), "-85070591730234615856620279821087277056");
  product.Multiply(0);
  EXPECT_TRUE(product.IsZero());
}

TEST(QuantityTest, RoundsUpToAScale) {
  const struct {
    const char* text;
    int scale;
    const char* rounded;
    bool exact;
  } kCases[] = {
      {"1", Quantity::kMilli, "1", true},
      {"1.0001", Quantity::kMilli, "1001m", false},
      {"1u", Quantity::kMilli, "1m", false},
      {"-1u", Quantity::kMilli, "-1m", false},
      {"9", 1, "10", false},
      {"-9", 1, "-10", false},
      {"110", 1, "110", true},
      {"1.5", 0, "2", false},
      {"12345678901234567890.5", 0, "12345678901234567891", false},
      {"1k", 3, "1k", true},
      {"1", 30, "1000000000000E", false},
  };
  for (const auto& c : kCases) {
    Quantity quantity = Q(c.text);
    EXPECT_EQ(quantity.RoundUp(c.scale), c.exact) << c.text;
    EXPECT_EQ(quantity.ToString(), c.rounded) << c.text;
  }
}

TEST(QuantityTest, GivesWholeNumbersOfAnyScaleRoundedAwayFromZero) {
  EXPECT_EQ(Q("1").Value(), 1);
  EXPECT_EQ(Q("1n").Value(), 1);
  EXPECT_EQ(Q("1500m").Value(), 2);
  EXPECT_EQ(Q("-1500m").Value(), -2);
  EXPECT_EQ(Q("1.5Gi").Value(), 1610612736);
  EXPECT_EQ(Q("0.3333333333333333333").Value(), 1);
  EXPECT_EQ(Q("-0.3333333333333333333").Value(), -1);
  EXPECT_EQ(Q("1k").Value(), 1000);
  EXPECT_EQ(Q("1").MilliValue(), 1000);
  EXPECT_EQ(Q("100u").MilliValue(), 1);
  EXPECT_EQ(Q("2.5").MilliValue(), 2500);
  EXPECT_EQ(Q("1500M").ScaledValue(Quantity::kGiga), 2);
  EXPECT_EQ(Q("1").ScaledValue(Quantity::kNano), 1'000'000'000);
  EXPECT_EQ(Q("0").ScaledValue(40), 0);
}

TEST(QuantityTest, ConversionsSaturate) {
  EXPECT_EQ(Q("10E").Value(), kMax);
  EXPECT_EQ(Q("-10E").Value(), kMin);
  EXPECT_EQ(Q("10P").MilliValue(), kMax);
  EXPECT_EQ(Q("9223372036854775808").Value(), kMax);
  EXPECT_EQ(Q("-9223372036854775808").Value(), kMin);
  EXPECT_EQ(Q("99999999999999999999").MilliValue(), kMax);
  EXPECT_EQ(Q("1e1000").Value(), kMax);
}

TEST(QuantityTest, AsInt64OnlyForIntegers) {
  EXPECT_EQ(Q("5").AsInt64(), 5);
  EXPECT_EQ(Q("5k").AsInt64(), 5000);
  EXPECT_EQ(Q("-1Ki").AsInt64(), -1024);
  EXPECT_EQ(Q("0").AsInt64(), 0);
  EXPECT_EQ(Q("1e18").AsInt64(), 1'000'000'000'000'000'000);
  EXPECT_FALSE(Q("10E").AsInt64());
  EXPECT_FALSE(Q("500m").AsInt64());
  EXPECT_FALSE(Q("1.0").AsInt64());
  EXPECT_FALSE(Q("12345678901234567890").AsInt64());
}

TEST(QuantityTest, ApproximatesAsDouble) {
  EXPECT_DOUBLE_EQ(Q("0").AsApproximateDouble(), 0);
  EXPECT_DOUBLE_EQ(Q("1.5").AsApproximateDouble(), 1.5);
  EXPECT_DOUBLE_EQ(Q("100m").AsApproximateDouble(), 0.1);
  EXPECT_DOUBLE_EQ(Q("-1Ki").AsApproximateDouble(), -1024);
  EXPECT_DOUBLE_EQ(Q("12345678901234567890").AsApproximateDouble(), 12345678901234567890.0);
  EXPECT_EQ(Q("1e1000").AsApproximateDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Q("1000Pi").AsApproximateDouble(), 1.1258999068426241e+18);
}

TEST(QuantityTest, CopiesAreIndependent) {
  const Quantity original = Q("12345678901234567890");
  Quantity copy = original;
  copy.Add(Q("1"));
  EXPECT_EQ(original.ToString(), "12345678901234567890");
  EXPECT_EQ(copy.ToString(), "12345678901234567891");
  copy = original;
  EXPECT_EQ(copy, original);
  copy = *&copy;
  EXPECT_EQ(copy, original);
}

}  // namespace
}  // namespace skiff::object
