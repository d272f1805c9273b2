#include "base/timers.h"

#include <future>
#include <vector>

#include <gtest/gtest.h>

namespace skiff {
namespace {

using std::chrono::seconds;

// The timers are declared last and so end first: their thread may not have left yet what it calls.
TEST(TimersTest, RunInTheOrderOfTheirTime) {
  ManualClock clock;
  std::vector<int> order;
  std::promise<void> last;
  Timers timers("timers", clock, Timers::AtStop::kRun);
  timers.After(seconds(3), [&] { order.push_back(3), last.set_value(); });
  timers.After(seconds(1), [&] { order.push_back(1); });
  timers.After(seconds(2), [&] { order.push_back(2); });
  EXPECT_TRUE(order.empty());
  clock.Advance(seconds(3));
  last.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(TimersTest, OneThatIsCancelledDoesNotRun) {
  ManualClock clock;
  std::vector<int> order;
  std::promise<void> last;
  Timers timers("timers", clock, Timers::AtStop::kRun);
  timers.After(seconds(20), [&] { order.push_back(2), last.set_value(); });
  timers.After(seconds(5), [&] { order.push_back(1); });
  timers.Cancel(timers.After(seconds(5), [&] { order.push_back(0); }));
  clock.Advance(seconds(20));
  last.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(TimersTest, AFunctionMayAddAnother) {
  ManualClock clock;
  std::promise<void> done;
  Timers timers("timers", clock, Timers::AtStop::kRun);
  timers.After(seconds(0), [&] { timers.After(seconds(0), [&] { done.set_value(); }); });
  done.get_future().wait();
}

TEST(TimersTest, ATimeBeyondAllTimeNeverComes) {
  ManualClock clock;
  bool came = false;
  std::promise<void> done;
  Timers timers("timers", clock, Timers::AtStop::kForget);
  timers.After(Duration::max(), [&] { came = true; });
  timers.After(seconds(1), [&] { done.set_value(); });
  clock.Advance(seconds(1000));
  done.get_future().wait();
  timers.Stop();
  EXPECT_FALSE(came);
}

TEST(TimersTest, WhatWaitsAtTheEndIsRunOrForgotten) {
  ManualClock clock;
  for (const auto at_stop : {Timers::AtStop::kRun, Timers::AtStop::kForget}) {
    int runs = 0;
    Timers timers("timers", clock, at_stop);
    timers.After(seconds(100), [&] { ++runs; });
    timers.Stop();
    EXPECT_EQ(runs, at_stop == Timers::AtStop::kRun ? 1 : 0);
    timers.After(seconds(100), [&] { ++runs; });
    EXPECT_EQ(runs, at_stop == Timers::AtStop::kRun ? 2 : 0);
  }
}

}  // namespace
}  // namespace skiff
