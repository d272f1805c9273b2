#include "apiserver/rest/deadlines.h"

#include <chrono>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

using std::chrono::seconds;

constexpr auto kPatience = seconds(60);

// Each test ends the deadlines before its promises go, which their thread may not have left yet.
class DeadlinesTest : public ::testing::Test {
 protected:
  // A thread that waits for ever cannot be ended: then nothing is taken down.
  bool Comes(std::future<void> moment) {
    if (moment.wait_for(kPatience) == std::future_status::ready) return true;
    static_cast<void>(deadlines_.release());
    return false;
  }

  ManualClock clock_;
  std::unique_ptr<Deadlines> deadlines_ = std::make_unique<Deadlines>(clock_);
};

TEST_F(DeadlinesTest, WhoIsWokenMayComeBack) {
  // Whoever is woken may end at once, and take its moment back or wait for another.
  std::promise<void> over;
  std::promise<Deadlines::Key> added;
  const Deadlines::Key first = deadlines_->Add(clock_.Monotonic(), [&, this] {
    const Deadlines::Key key = added.get_future().get();
    EXPECT_TRUE(deadlines_->Reached(key));
    deadlines_->Remove(key);
    deadlines_->Add(clock_.Monotonic(), [&] { over.set_value(); });
  });
  added.set_value(first);
  EXPECT_TRUE(Comes(over.get_future())) << "the thread of the deadlines waits for itself";
  deadlines_.reset();
}

TEST_F(DeadlinesTest, NobodyWaitsForOneWhoIsWokenSlowly) {
  std::promise<void> begun;
  std::promise<void> go_on;
  std::promise<void> other_done;
  const Deadlines::Key slow = deadlines_->Add(clock_.Monotonic(), [&] {
    begun.set_value();
    go_on.get_future().wait();
  });
  ASSERT_TRUE(Comes(begun.get_future()));
  const auto other = std::async(std::launch::async, [&] {
    deadlines_->Remove(slow);
    deadlines_->Remove(deadlines_->Add(clock_.Monotonic() + seconds(60), [] {}));
    deadlines_->EndAll();
    other_done.set_value();
  });
  const bool done = other_done.get_future().wait_for(kPatience) == std::future_status::ready;
  EXPECT_TRUE(done) << "a lock is held while somebody is woken";
  go_on.set_value();
  other.wait();
  deadlines_.reset();
}

TEST_F(DeadlinesTest, WhatIsRemovedIsNotWoken) {
  std::promise<void> over;
  const Deadlines::Key removed =
      deadlines_->Add(clock_.Monotonic() + seconds(1), [] { FAIL() << "was removed"; });
  deadlines_->Add(clock_.Monotonic() + seconds(2), [&] { over.set_value(); });
  deadlines_->Remove(removed);
  clock_.Advance(seconds(2));
  EXPECT_TRUE(Comes(over.get_future()));
  deadlines_.reset();
}

TEST_F(DeadlinesTest, AllAreWokenAtTheEnd) {
  std::promise<void> early;
  std::promise<void> late;
  const Deadlines::Key key =
      deadlines_->Add(clock_.Monotonic() + seconds(3600), [&] { early.set_value(); });
  EXPECT_FALSE(deadlines_->Reached(key));
  deadlines_->EndAll();
  EXPECT_TRUE(Comes(early.get_future()));
  EXPECT_TRUE(deadlines_->Reached(key));
  deadlines_->Add(clock_.Monotonic() + seconds(3600), [&] { late.set_value(); });
  EXPECT_TRUE(Comes(late.get_future()));
  deadlines_.reset();
}

}  // namespace
}  // namespace skiff::apiserver
