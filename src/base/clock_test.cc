#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/thread.h"

namespace skiff {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(ClockTest, SystemClockNeverGoesBackwards) {
  SystemClock clock;
  Duration last = clock.Monotonic();
  for (int i = 0; i < 1000; ++i) {
    const Duration now = clock.Monotonic();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(ClockTest, SystemClockEndsAWaitAtItsDeadline) {
  SystemClock clock;
  std::mutex mutex;
  std::condition_variable wake;
  std::unique_lock lock(mutex);
  const Duration deadline = clock.Monotonic() + milliseconds(5);
  while (clock.Monotonic() < deadline) clock.WaitUntil(wake, lock, deadline);
  EXPECT_GE(clock.Monotonic(), deadline);
}

TEST(ClockTest, ManualClockPassesOnlyWhenAdvanced) {
  ManualClock clock;
  const Duration monotonic = clock.Monotonic();
  const Duration wall = clock.Wall();
  EXPECT_EQ(clock.Monotonic(), monotonic);
  clock.Advance(hours(1));
  EXPECT_EQ(clock.Monotonic(), monotonic + hours(1));
  EXPECT_EQ(clock.Wall(), wall + hours(1));
  clock.JumpWall(-hours(2));
  EXPECT_EQ(clock.Monotonic(), monotonic + hours(1));
  EXPECT_EQ(clock.Wall(), wall - hours(1));
}

TEST(ClockTest, AdvancingAManualClockEndsAWaitForThatMoment) {
  ManualClock clock;
  const Duration deadline = clock.Monotonic() + hours(1);
  std::mutex mutex;
  std::condition_variable wake;
  bool passed = false;
  Thread waiter("waiter", [&] {
    std::unique_lock lock(mutex);
    while (clock.Monotonic() < deadline) clock.WaitUntil(wake, lock, deadline);
    passed = true;
  });
  clock.Advance(hours(1));
  waiter.Join();
  EXPECT_TRUE(passed);
}

}  // namespace
}  // namespace skiff
