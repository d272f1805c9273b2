#include "store/etcd/timers.h"

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
  Timers timers("timers", clock);
  timers.After(seconds(3), [&] { order.push_back(3), last.set_value(); });
  timers.After(seconds(1), [&] { order.push_back(1); });
  timers.After(seconds(2), [&] { order.push_back(2); });
  EXPECT_TRUE(order.empty());
  clock.Advance(seconds(3));
  last.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(TimersTest, AFunctionMayAddAnother) {
  ManualClock clock;
  std::promise<void> done;
  Timers timers("timers", clock);
  timers.After(seconds(0), [&] { timers.After(seconds(0), [&] { done.set_value(); }); });
  done.get_future().wait();
}

TEST(TimersTest, StoppingForgetsNobody) {
  ManualClock clock;
  Timers timers("timers", clock);
  int runs = 0;
  timers.After(seconds(100), [&] { ++runs; });
  timers.Stop();
  EXPECT_EQ(runs, 1);
  timers.After(seconds(100), [&] { ++runs; });
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace skiff
