#include "net/memory_budget.h"

#include <gtest/gtest.h>

namespace skiff::net {
namespace {

TEST(MemoryBudgetTest, WhatIsTakenBelowIsTakenAbove) {
  const auto server = std::make_shared<MemoryBudget>(100'000);
  const auto one = std::make_shared<MemoryBudget>(60'000, server);
  const auto other = std::make_shared<MemoryBudget>(60'000, server);
  EXPECT_TRUE(one->Take(60'000));
  EXPECT_FALSE(one->Take(1));
  EXPECT_FALSE(other->Take(40'001));
  EXPECT_EQ(other->used(), 0u);
  EXPECT_TRUE(other->Take(40'000));
  EXPECT_EQ(server->used(), 100'000u);
  one->GiveBack(60'000);
  EXPECT_EQ(server->used(), 40'000u);
}

TEST(MemoryBudgetTest, TheLastQuarterIsNotForNewWork) {
  const auto server = std::make_shared<MemoryBudget>(4000);
  const auto connection = std::make_shared<MemoryBudget>(100'000, server);
  EXPECT_TRUE(connection->Take(2999));
  EXPECT_TRUE(connection->has_room());
  EXPECT_TRUE(connection->Take(1));
  EXPECT_FALSE(connection->has_room());
  EXPECT_TRUE(connection->Take(1000));
  EXPECT_FALSE(connection->Take(1));
}

TEST(MemoryBudgetTest, AChargeEndsWithItsHolder) {
  const auto budget = std::make_shared<MemoryBudget>(10'000);
  MemoryCharge kept(budget);
  {
    MemoryCharge charge(budget);
    EXPECT_TRUE(charge.Add(10));
    EXPECT_GE(budget->used(), 10u);
    EXPECT_FALSE(charge.Add(20'000));
    charge.AddAnyway(20'000);
    EXPECT_GE(budget->used(), 20'010u);
    kept = std::move(charge);
  }
  EXPECT_GE(budget->used(), 20'010u);
  kept.Clear();
  EXPECT_EQ(budget->used(), 0u);
  EXPECT_TRUE(kept.Add(100));
  kept = MemoryCharge();
  EXPECT_EQ(budget->used(), 0u);
}

TEST(MemoryBudgetTest, AChargeToNoBudgetIsAlwaysGranted) {
  MemoryCharge charge;
  EXPECT_TRUE(charge.Add(size_t{1} << 40));
}

}  // namespace
}  // namespace skiff::net
