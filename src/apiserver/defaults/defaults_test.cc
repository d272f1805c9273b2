#include "apiserver/defaults/defaults.h"

#include <gtest/gtest.h>

#include "apiserver/defaults/plan.h"

namespace skiff {
namespace {

TEST(DefaultsTest, EveryRuleOfTheSchemaCompiles) {
  const auto plans = DefaultPlans::Compile({[](std::string_view) { return true; }, nullptr});
  EXPECT_TRUE(plans.has_value()) << plans.error().ToString();
}

}  // namespace
}  // namespace skiff
