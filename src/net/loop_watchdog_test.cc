#include "net/loop_watchdog.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/metrics.h"
#include "net/testing.h"

namespace skiff::net {

// Not of an unnamed namespace and not inlined, so that it has a symbol of its own.
__attribute__((noinline)) void StayStuckForTheTest(const std::function<void()>& meanwhile) {
  meanwhile();
  asm volatile("");  // not a tail call, which would leave no frame
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// One loop, whose turns the test makes, and which is stuck while a task of the test runs.
class LoopWatchdogTest : public testing::Test {
 protected:
  LoopWatchdogTest() : loop_(*EventLoop::Create(clock_)) {
    loop_->AdoptThread();
    watchdog_.Watch(loop_);
  }

  void InATurn(const std::function<void()>& body) {
    loop_->Post([&] { StayStuckForTheTest(body); });
    loop_->RunTurn();
  }
  void Check(Duration after) {
    clock_.Advance(after);
    watchdog_.Check();
  }

  ManualClock clock_;
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  MetricsRegistry metrics_;
  std::shared_ptr<EventLoop> loop_;
  LoopWatchdog watchdog_{clock_, log_, &metrics_};
};

TEST_F(LoopWatchdogTest, ALoopThatDoesNotTurnIsToldOfOnceWithItsStack) {
  InATurn([&] {
    Check(milliseconds(999));
    EXPECT_EQ(watchdog_.Fault(), "");
    EXPECT_EQ(sink_.Text(), "");
    Check(milliseconds(1));
    EXPECT_EQ(watchdog_.Fault(), " has not turned for 1.0s");
    Check(milliseconds(2500));
    EXPECT_EQ(watchdog_.Fault(), " has not turned for 3.5s");
  });
  EXPECT_EQ(CountOf(sink_.Text(), "an event loop does not turn"), 1U) << sink_.Text();
#ifndef __SANITIZE_THREAD__  // which holds back the signal that looks at the stack
  EXPECT_NE(sink_.Text().find("StayStuckForTheTest"), std::string::npos) << sink_.Text();
#endif
  EXPECT_NE(metrics_.Text().find("skiff_event_loop_stuck_total{loop=\"\"} 1\n"), std::string::npos)
      << metrics_.Text();
}

TEST_F(LoopWatchdogTest, WhenItTurnsAgainTheFaultIsOver) {
  InATurn([&] { Check(seconds(5)); });
  InATurn([&] {
    EXPECT_EQ(watchdog_.Fault(), "");
    watchdog_.Check();
  });
  EXPECT_EQ(CountOf(sink_.Text(), "an event loop turns again"), 1U) << sink_.Text();
  EXPECT_NE(sink_.Text().find("at least 5.0s"), std::string::npos);
}

TEST_F(LoopWatchdogTest, EachOccurrenceIsToldOf) {
  for (int i = 0; i < 3; ++i) {
    InATurn([&] { Check(seconds(2)); });
  }
  EXPECT_EQ(CountOf(sink_.Text(), "an event loop does not turn"), 3U);
  EXPECT_EQ(CountOf(sink_.Text(), "an event loop turns again"), 2U);
  EXPECT_NE(metrics_.Text().find("skiff_event_loop_stuck_total{loop=\"\"} 3\n"), std::string::npos);
}

TEST_F(LoopWatchdogTest, ALoopThatWaitsIsNotStuck) {
  const std::shared_ptr<EventLoop> waiting = *EventLoop::Create(clock_);
  waiting->Start("waiting");
  watchdog_.Watch(waiting);
  Latch ran;
  waiting->Post([&] { ran.Open(); });
  ASSERT_TRUE(ran.Wait());
  // The turn of the task may still be under way.
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  while (waiting->busy_since() != Clock::kForever) never.wait_for(lock, milliseconds(1));
  Check(std::chrono::hours(1));
  EXPECT_EQ(watchdog_.Fault(), "");
  EXPECT_EQ(sink_.Text(), "");
  waiting->Stop();
}

TEST_F(LoopWatchdogTest, ALoopThatIsGoneIsForgotten) {
  {
    const std::shared_ptr<EventLoop> other = *EventLoop::Create(clock_);
    watchdog_.Watch(other);
  }
  Check(seconds(2));
  EXPECT_EQ(watchdog_.Fault(), "");
}

TEST(LoopWatchdogThreadTest, LooksByItself) {
  SystemClock clock;
  MemoryLogSink sink;
  Log log(clock, sink);
  LoopWatchdog watchdog(clock, log, nullptr);
  watchdog.Start();
  const std::shared_ptr<EventLoop> loop = *EventLoop::Create(clock);
  loop->Start("stuck");
  watchdog.Watch(loop);
  std::atomic<bool> is_told = false;
  Latch over;
  loop->Post([&] {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    while (!is_told) never.wait_for(lock, milliseconds(1));
    over.Open();
  });
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const Duration end = clock.Monotonic() + seconds(kPatienceSeconds);
  while (sink.Text().empty() && clock.Monotonic() < end) never.wait_for(lock, milliseconds(5));
  is_told = true;
  ASSERT_TRUE(over.Wait());
  EXPECT_NE(sink.Text().find("loop=\"stuck\""), std::string::npos) << sink.Text();
  loop->Stop();
}

}  // namespace
}  // namespace skiff::net
