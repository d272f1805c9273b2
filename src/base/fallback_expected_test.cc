#include "base/fallback_expected.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace skiff {
namespace {

// Whatever holds for both is how the fuzz targets see Result<T> as everyone else does.
template <typename Pair>
class FallbackExpectedTest : public testing::Test {};

struct Standard {
  template <typename T, typename E>
  using Expected = std::expected<T, E>;
};
struct Fallback {
  template <typename T, typename E>
  using Expected = FallbackExpected<T, E>;
};
using Both = testing::Types<Standard, Fallback>;
TYPED_TEST_SUITE(FallbackExpectedTest, Both);

TYPED_TEST(FallbackExpectedTest, HoldsAValue) {
  typename TypeParam::template Expected<std::string, int> result = "text";
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, "text");
  EXPECT_EQ(result->size(), 4u);
  EXPECT_EQ(result.value(), "text");
  EXPECT_EQ(result.value_or("other"), "text");
  *result = "changed";
  EXPECT_EQ(std::as_const(result).value(), "changed");
}

TYPED_TEST(FallbackExpectedTest, HoldsAnErrorOfTheValuesOwnType) {
  typename TypeParam::template Expected<std::string, std::string> result =
      std::unexpected<std::string>("bad");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "bad");
  EXPECT_EQ(result.value_or("other"), "other");
}

TYPED_TEST(FallbackExpectedTest, IsTheDefaultValueByDefault) {
  typename TypeParam::template Expected<int, std::string> result;
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 0);
}

TYPED_TEST(FallbackExpectedTest, MovesWhatCannotBeCopied) {
  using Owner = std::unique_ptr<int>;
  typename TypeParam::template Expected<Owner, Owner> value = std::make_unique<int>(1);
  auto moved = std::move(value);
  Owner taken = *std::move(moved);
  EXPECT_EQ(*taken, 1);
  typename TypeParam::template Expected<Owner, Owner> failed =
      std::unexpected(std::make_unique<int>(2));
  Owner error = std::move(failed).error();
  EXPECT_EQ(*error, 2);
}

TYPED_TEST(FallbackExpectedTest, CopiesAndAssigns) {
  typename TypeParam::template Expected<int, std::string> result = 1;
  const auto copy = result;
  result = std::unexpected<std::string>("bad");
  EXPECT_EQ(*copy, 1);
  EXPECT_EQ(result.error(), "bad");
  result = copy;
  EXPECT_EQ(*result, 1);
}

TYPED_TEST(FallbackExpectedTest, OfVoidHoldsAnErrorOrNothing) {
  typename TypeParam::template Expected<void, std::string> done;
  EXPECT_TRUE(done);
  typename TypeParam::template Expected<void, std::string> failed =
      std::unexpected<std::string>("bad");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error(), "bad");
}

}  // namespace
}  // namespace skiff
