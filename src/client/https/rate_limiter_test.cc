#include "client/https/rate_limiter.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::client {
namespace {

// Timers that run when the test lets the time pass.
class OneThread final : public Executor {
 public:
  void Post(Work work) override { work(); }
  TimerId After(Duration delay, Work work) override {
    timers_.push_back({++last_, clock_.Monotonic() + delay, std::move(work)});
    return {last_};
  }
  void Cancel(TimerId timer) override {
    std::erase_if(timers_, [&](const Timer& one) { return one.id == timer.value; });
  }
  Clock& clock() override { return clock_; }

  void Advance(Duration by) {
    clock_.Advance(by);
    for (size_t i = 0; i < timers_.size();) {
      if (timers_[i].at > clock_.Monotonic()) {
        ++i;
        continue;
      }
      Work work = std::move(timers_[i].work);
      timers_.erase(timers_.begin() + static_cast<ptrdiff_t>(i));
      work();
    }
  }

 private:
  struct Timer {
    uint64_t id;
    Duration at;
    Work work;
  };
  ManualClock clock_;
  std::vector<Timer> timers_;
  uint64_t last_ = 0;
};

TEST(RateLimiterTest, ABurstPassesAndTheRestComesInOrder) {
  OneThread executor;
  RateLimiter limiter(executor, 10, 2);
  std::vector<int> passed;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(limiter.Enter([&passed, i] { passed.push_back(i); }));
  EXPECT_EQ(passed, (std::vector{0, 1}));
  executor.Advance(std::chrono::milliseconds(99));
  EXPECT_EQ(passed.size(), 2u);
  executor.Advance(std::chrono::milliseconds(2));
  EXPECT_EQ(passed, (std::vector{0, 1, 2}));
  executor.Advance(std::chrono::seconds(10));
  EXPECT_EQ(passed, (std::vector{0, 1, 2, 3, 4}));
}

TEST(RateLimiterTest, WithoutALimitEverythingPasses) {
  OneThread executor;
  for (const auto& [rate, burst] : {std::pair{0.0, 10}, {-1.0, 10}, {5.0, 0}, {5.0, -1}}) {
    RateLimiter limiter(executor, rate, burst);
    int passed = 0;
    for (int i = 0; i < 100; ++i) limiter.Enter([&] { ++passed; });
    EXPECT_EQ(passed, 100);
  }
}

TEST(RateLimiterTest, WhoLeavesDoesNotTakeATurn) {
  OneThread executor;
  RateLimiter limiter(executor, 1, 1);
  std::vector<int> passed;
  std::vector<RateLimiter::Ticket> tickets;
  for (int i = 0; i < 3; ++i)
    tickets.push_back(*limiter.Enter([&passed, i] { passed.push_back(i); }));
  limiter.Leave(tickets[1]);
  limiter.Leave(tickets[0]);
  executor.Advance(std::chrono::milliseconds(1001));
  EXPECT_EQ(passed, (std::vector{0, 2}));
}

TEST(RateLimiterTest, WaitingIsBounded) {
  OneThread executor;
  RateLimiter limiter(executor, 1, 1);
  for (size_t i = 0; i <= limits::kMaxThrottledCalls; ++i) ASSERT_TRUE(limiter.Enter([] {}));
  EXPECT_FALSE(limiter.Enter([] {}));
}

}  // namespace
}  // namespace skiff::client
