#include "grpc/call_deadlines.h"

#include <atomic>

#include <gtest/gtest.h>

namespace skiff {
namespace {

using std::chrono::seconds;

class CallDeadlinesTest : public testing::Test {
 protected:
  void WaitForExpired(int count) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, seconds(60), [&] { return expired_ >= count; });
    ASSERT_EQ(expired_, count);
  }
  std::function<void()> Expire() {
    return [this] {
      std::lock_guard lock(mutex_);
      ++expired_;
      wake_.notify_all();
    };
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  int expired_ = 0;
  ManualClock clock_;
};

TEST_F(CallDeadlinesTest, WhatIsNotRemovedExpiresInItsTurn) {
  CallDeadlines deadlines(clock_);
  deadlines.Add(seconds(20), Expire());
  deadlines.Add(seconds(5), Expire());
  const auto answered = deadlines.Add(seconds(5), Expire());
  deadlines.Remove(answered);
  clock_.Advance(seconds(5));
  WaitForExpired(1);
  clock_.Advance(seconds(15));
  WaitForExpired(2);
}

TEST_F(CallDeadlinesTest, ATimeBeyondAllTimeNeverComes) {
  CallDeadlines deadlines(clock_);
  deadlines.Add(Duration::max(), Expire());
  deadlines.Add(seconds(1), Expire());
  clock_.Advance(seconds(1000));
  WaitForExpired(1);
}

TEST_F(CallDeadlinesTest, AnExpiredCallMayAddAnother) {
  CallDeadlines deadlines(clock_);
  deadlines.Add(seconds(1), [&] { deadlines.Add(seconds(1), Expire()); });
  clock_.Advance(seconds(1));
  while (true) {
    clock_.Advance(seconds(1));
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, std::chrono::milliseconds(10), [&] { return expired_ == 1; })) break;
  }
}

}  // namespace
}  // namespace skiff
