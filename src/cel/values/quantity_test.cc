#include "cel/values/quantity.h"

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

object::Quantity Of(std::string_view text) { return QuantityFromText(text).value(); }

std::string ErrorOf(std::string_view text) {
  const auto quantity = QuantityFromText(text);
  return quantity ? "no error" : quantity.error().message();
}

TEST(CelQuantityTest, OnlySomeAmountsAreIntegers) {
  EXPECT_EQ(AsInteger(Of("1k")), 1000);
  EXPECT_EQ(AsInteger(Of("1Gi")), 1'073'741'824);
  EXPECT_EQ(AsInteger(Of("5.")), 5);
  EXPECT_EQ(AsInteger(Of("+")), 0);
  for (const std::string_view text :
       {"1500m", "0.5", "1e-3", "9223372036854775807", "1e100", "0m"}) {
    EXPECT_FALSE(IsInteger(Of(text))) << text;
    EXPECT_EQ(AsInteger(Of(text)).error().message(), "cannot convert value to integer");
  }
}

TEST(CelQuantityTest, SumsTakeIntsToo) {
  EXPECT_EQ(Sum(Of("50k"), 20).ToString(), "50020");
  EXPECT_EQ(Difference(Difference(Sum(Of("50k"), 20), Of("100k")), -50'000).ToString(), "20");
  EXPECT_EQ(Sum(Of("1Ki"), Of("1Ki")).ToString(), "2Ki");
}

TEST(CelQuantityTest, ComparisonsGiveASign) {
  EXPECT_EQ(CompareTo(Of("-1"), Of("1Gi")), -1);
  EXPECT_EQ(CompareTo(Of("200M"), Of("0.2G")), 0);
  EXPECT_EQ(CompareTo(Of("5E"), Of("1000Pi")), 1);
}

TEST(CelQuantityTest, FaultsAreNamed) {
  EXPECT_EQ(ErrorOf("10Mo"),
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(ErrorOf("1K"), "unable to parse quantity's suffix");
}

}  // namespace
}  // namespace skiff::cel
