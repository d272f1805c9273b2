#include "client/expectations.h"

#include <vector>

#include <gtest/gtest.h>

namespace skiff::client {
namespace {

class ExpectationsTest : public ::testing::Test {
 protected:
  ManualClock clock;
  Expectations expectations{clock};
  const std::vector<std::string> none;
};

TEST_F(ExpectationsTest, AKeyOfWhichNothingIsAwaitedIsFulfilled) {
  EXPECT_TRUE(expectations.Fulfilled("a"));
  expectations.CreationSeen("a");
  expectations.DeletionSeen("a", "u");
  EXPECT_TRUE(expectations.Fulfilled("a"));
}

TEST_F(ExpectationsTest, EveryCreationMustBeSeen) {
  expectations.Expect("a", 2, none);
  expectations.CreationSeen("a");
  expectations.CreationSeen("b");
  EXPECT_FALSE(expectations.Fulfilled("a"));
  EXPECT_TRUE(expectations.Fulfilled("b"));
  expectations.CreationSeen("a");
  EXPECT_TRUE(expectations.Fulfilled("a"));
  expectations.CreationSeen("a");
  expectations.Expect("a", 1, none);
  EXPECT_FALSE(expectations.Fulfilled("a")) << "what came unexpected must not count later";
}

TEST_F(ExpectationsTest, ADeletionToldTwiceCountsOnce) {
  const std::vector<std::string> uids = {"u", "v"};
  expectations.Expect("a", 0, uids);
  expectations.DeletionSeen("a", "u");
  expectations.DeletionSeen("a", "u");
  expectations.DeletionSeen("a", "w");
  EXPECT_FALSE(expectations.Fulfilled("a"));
  EXPECT_EQ(expectations.deletions("a"), 1U);
  expectations.DeletionSeen("a", "v");
  EXPECT_TRUE(expectations.Fulfilled("a"));
}

TEST_F(ExpectationsTest, WhatNeverComesIsForgottenAfterAWhile) {
  expectations.Expect("a", 1, none);
  clock.Advance(Expectations::kTimeout);
  EXPECT_FALSE(expectations.Fulfilled("a"));
  clock.Advance(std::chrono::seconds(1));
  EXPECT_TRUE(expectations.Fulfilled("a"));
}

TEST_F(ExpectationsTest, AKeyThatIsGoneExpectsNothing) {
  expectations.Expect("a", 1, none);
  expectations.Forget("a");
  EXPECT_TRUE(expectations.Fulfilled("a"));
  EXPECT_EQ(expectations.creations("a"), 0);
}

}  // namespace
}  // namespace skiff::client
