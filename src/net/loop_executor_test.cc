#include "net/loop_executor.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace skiff::net {
namespace {

using std::chrono::seconds;

class LoopExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override { loop->AdoptThread(); }

  ManualClock clock;
  std::shared_ptr<EventLoop> loop = EventLoop::Create(clock).value();
  std::vector<int> seen;
};

TEST_F(LoopExecutorTest, WorkRunsInOrderAndTimersWhenTheirTimeHasCome) {
  LoopExecutor executor(loop);
  executor.Post([&] { seen.push_back(1); });
  executor.Post([&] { seen.push_back(2); });
  executor.After(seconds(2), [&] { seen.push_back(4); });
  executor.After(seconds(1), [&] { seen.push_back(3); });
  loop->RunTurn();
  EXPECT_EQ(seen, (std::vector<int>{1, 2}));
  clock.Advance(seconds(3));
  loop->RunTurn();
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
}

TEST_F(LoopExecutorTest, ACancelledTimerDoesNotRun) {
  LoopExecutor executor(loop);
  const Executor::TimerId timer = executor.After(seconds(1), [&] { seen.push_back(1); });
  const Executor::TimerId other = executor.After(seconds(1), [&] {
    seen.push_back(2);
    executor.Cancel(timer);
  });
  executor.Cancel(timer);
  executor.Cancel(timer);
  executor.Cancel({});
  clock.Advance(seconds(1));
  loop->RunTurn();
  executor.Cancel(other);
  EXPECT_EQ(seen, std::vector<int>{2});
}

TEST_F(LoopExecutorTest, TimersEndWithTheExecutor) {
  {
    LoopExecutor executor(loop);
    executor.After(seconds(1), [&] { seen.push_back(1); });
  }
  clock.Advance(seconds(1));
  loop->RunTurn();
  EXPECT_TRUE(seen.empty());
}

}  // namespace
}  // namespace skiff::net
