#include "net/event_loop.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "net/testing.h"

namespace skiff::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class EventLoopTest : public testing::Test {
 protected:
  EventLoopTest() : loop_(*EventLoop::Create(clock_)) { loop_->Start("loop"); }
  ~EventLoopTest() override { loop_->Stop(); }

  // Runs on the loop and returns when it is done.
  void OnLoop(const std::function<void()>& body) {
    Latch done;
    loop_->Post([&] {
      body();
      done.Open();
    });
    done.Wait();
  }

  ManualClock clock_;
  std::shared_ptr<EventLoop> loop_;
};

TEST_F(EventLoopTest, PostedTasksRunInOrderOnTheLoop) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) loop_->Post([&, i] { order.push_back(i); });
  bool in_loop = false;
  OnLoop([&] { in_loop = loop_->InLoop(); });
  EXPECT_TRUE(in_loop);
  EXPECT_FALSE(loop_->InLoop());
  ASSERT_EQ(order.size(), 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST_F(EventLoopTest, ATaskMayPostAnother) {
  Latch done;
  loop_->Post([&] { loop_->Post([&] { done.Open(); }); });
  done.Wait();
}

TEST_F(EventLoopTest, TimersRunInOrderOnceTheirTimeHasCome) {
  std::vector<int> ran;
  OnLoop([&] {
    Duration now = clock_.Monotonic();
    loop_->AddTimer(now + seconds(20), [&] { ran.push_back(20); });
    loop_->AddTimer(now + seconds(10), [&] { ran.push_back(10); });
    loop_->AddTimer(now + seconds(10), [&] { ran.push_back(11); });
    auto cancelled = loop_->AddTimer(now + seconds(5), [&] { ran.push_back(5); });
    loop_->AddTimer(now + seconds(40), [&] { ran.push_back(40); });
    loop_->CancelTimer(cancelled);
  });
  OnLoop([] {});
  EXPECT_TRUE(ran.empty());
  clock_.Advance(seconds(30));
  OnLoop([] {});
  OnLoop([] {});
  EXPECT_EQ(ran, (std::vector<int>{10, 11, 20}));
}

TEST_F(EventLoopTest, ATimerThatIsDueNeedsNoOtherEvent) {
  SystemClock clock;
  auto loop = *EventLoop::Create(clock);
  loop->Start("timer");
  Latch done;
  loop->Post([&] { loop->AddTimer(clock.Monotonic() + milliseconds(5), [&] { done.Open(); }); });
  done.Wait();
  loop->Stop();
}

TEST_F(EventLoopTest, WhatIsPostedAfterTheEndIsDropped) {
  auto held = std::make_shared<int>(1);
  loop_->Stop();
  loop_->Post([held] { FAIL(); });
  EXPECT_EQ(held.use_count(), 1);
}

class Reader final : public EventLoop::Watcher {
 public:
  Reader(EventLoop& loop, int fd) : loop_(loop), fd_(fd) {}
  void OnEvents(uint32_t events) override {
    if ((events & EPOLLIN) == 0) return;
    loop_.AtTurnEnd(this);
  }
  void OnTurnEnd() override {
    char bytes[16];
    size_ = recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT);
    read_.Open();
  }
  ssize_t Size() {
    read_.Wait();
    return size_;
  }

 private:
  EventLoop& loop_;
  int fd_;
  ssize_t size_ = 0;
  Latch read_;
};

TEST_F(EventLoopTest, AWatcherHearsOfInputAndMayActAtTheEndOfTheTurn) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  UniqueFd a(ends[0]), b(ends[1]);
  Reader reader(*loop_, a.get());
  OnLoop([&] { ASSERT_TRUE(loop_->Add(a.get(), &reader)); });
  ASSERT_EQ(send(b.get(), "hello", 5, 0), 5);
  EXPECT_EQ(reader.Size(), 5);
  OnLoop([&] { loop_->Remove(a.get()); });
}

// Works at the end of every turn, until it is told to stop.
class BusyWatcher final : public EventLoop::Watcher {
 public:
  explicit BusyWatcher(EventLoop& loop) : loop_(loop) {}
  void OnEvents(uint32_t) override {}
  void OnTurnEnd() override {
    if (!stopped) loop_.AtTurnEnd(this);
  }
  std::atomic<bool> stopped = false;

 private:
  EventLoop& loop_;
};

class MortalWatcher final : public EventLoop::Watcher {
 public:
  explicit MortalWatcher(Latch& gone) : gone_(gone) {}
  ~MortalWatcher() override { gone_.Open(); }
  void OnEvents(uint32_t) override {}

 private:
  Latch& gone_;
};

TEST_F(EventLoopTest, WhatIsRetiredGoesThoughOthersKeepTheLoopBusy) {
  BusyWatcher busy(*loop_);
  Latch gone;
  loop_->Post([&] {
    loop_->AtTurnEnd(&busy);
    auto mortal = std::make_unique<MortalWatcher>(gone);
    loop_->AtTurnEnd(mortal.get());
    loop_->Retire(std::move(mortal));
  });
  EXPECT_TRUE(gone.Wait());
  busy.stopped = true;
  OnLoop([] {});
  OnLoop([] {});
}

class CountingSleeper final : public EventLoop::Sleeper {
 public:
  void OnWake() override { ++count; }
  int count = 0;
};

TEST_F(EventLoopTest, SleepersAreWokenFromAnyThread) {
  auto sleeper = std::make_shared<CountingSleeper>();
  for (int i = 0; i < 10; ++i) loop_->Wake(sleeper);
  OnLoop([] {});
  OnLoop([] {});
  EXPECT_EQ(sleeper->count, 10);
  loop_->Stop();
  loop_->Wake(sleeper);
  EXPECT_EQ(sleeper->count, 10);
}

// Time that passes only while somebody looks at it: a millisecond each time.
class SteppingClock final : public Clock {
 public:
  Duration Monotonic() override { return now_ += milliseconds(1); }
  Duration Wall() override { return now_; }
  void WaitUntil(std::condition_variable&, std::unique_lock<std::mutex>&, Duration) override {}

 private:
  Duration now_{seconds(1)};
};

// A loop whose turns the test makes one by one.
class ShortTurnsTest : public testing::Test {
 protected:
  ShortTurnsTest() : loop_(*EventLoop::Create(clock_)) { loop_->AdoptThread(); }

  // Turns until all is done; how many.
  int TurnsUntil(const std::function<bool()>& done) {
    int turns = 0;
    while (!done() && turns < 1000) {
      loop_->RunTurn();
      ++turns;
    }
    return turns;
  }

  SteppingClock clock_;
  std::shared_ptr<EventLoop> loop_;
};

TEST_F(ShortTurnsTest, PostedTasksBeyondTheTimeOfATurnRunInLaterOnes) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) loop_->Post([&, i] { order.push_back(i); });
  loop_->RunTurn();
  EXPECT_GT(order.size(), 0U);
  EXPECT_LT(order.size(), 20U);
  loop_->Post([&] { order.push_back(100); });
  EXPECT_GT(TurnsUntil([&] { return order.size() == 101; }), 5);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST_F(ShortTurnsTest, SleepersBeyondTheTimeOfATurnAreWokenInLaterOnes) {
  auto sleeper = std::make_shared<CountingSleeper>();
  for (int i = 0; i < 100; ++i) loop_->Wake(sleeper);
  loop_->RunTurn();
  EXPECT_LT(sleeper->count, 20);
  TurnsUntil([&] { return sleeper->count == 100; });
  EXPECT_EQ(sleeper->count, 100);
}

TEST_F(ShortTurnsTest, TimersBeyondTheTimeOfATurnRunInLaterOnes) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    loop_->AddTimer(milliseconds(i), [&, i] { order.push_back(i); });
  }
  loop_->RunTurn();
  EXPECT_LT(order.size(), 20U);
  TurnsUntil([&] { return order.size() == 100; });
  EXPECT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

class CountingWatcher final : public EventLoop::Watcher {
 public:
  CountingWatcher(int* events, int* ends, Latch* gone = nullptr)
      : events_(events), ends_(ends), gone_(gone) {}
  ~CountingWatcher() override {
    if (gone_ != nullptr) gone_->Open();
  }
  void OnEvents(uint32_t) override { ++*events_; }
  void OnTurnEnd() override { ++*ends_; }

 private:
  int* events_;
  int* ends_;
  Latch* gone_;
};

TEST_F(ShortTurnsTest, WhoAskedForTheEndOfATurnMayHaveToWaitAndLivesUntilThen) {
  int events = 0;
  int ends = 0;
  Latch gone;
  CountingWatcher watcher(&events, &ends);
  for (int i = 0; i < 100; ++i) loop_->AtTurnEnd(&watcher);
  loop_->RunTurn();
  EXPECT_LT(ends, 20);
  auto mortal = std::make_unique<CountingWatcher>(&events, &ends, &gone);
  loop_->AtTurnEnd(mortal.get());
  loop_->Retire(std::move(mortal));
  TurnsUntil([&] { return ends == 101; });
  EXPECT_EQ(ends, 101);
  EXPECT_TRUE(gone.is_open());
}

TEST_F(ShortTurnsTest, EventsBeyondTheTimeOfATurnAreGivenInLaterOnes) {
  int events = 0;
  int ends = 0;
  Latch gone;
  std::vector<UniqueFd> sockets;
  std::vector<std::unique_ptr<CountingWatcher>> watchers;
  for (int i = 0; i < 50; ++i) {
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    sockets.emplace_back(pair[0]);
    sockets.emplace_back(pair[1]);
    watchers.push_back(
        std::make_unique<CountingWatcher>(&events, &ends, i == 49 ? &gone : nullptr));
    ASSERT_TRUE(loop_->Add(pair[0], watchers.back().get()));
  }
  loop_->RunTurn();
  EXPECT_GT(events, 0);
  EXPECT_LT(events, 20);
  // Its event has been fetched and still waits.
  loop_->Remove(sockets[98].get());
  loop_->Retire(std::move(watchers.back()));
  loop_->RunTurn();
  EXPECT_FALSE(gone.is_open());
  TurnsUntil([&] { return events == 50; });
  EXPECT_EQ(events, 50);
  loop_->RunTurn();
  EXPECT_TRUE(gone.is_open());
}

TEST_F(ShortTurnsTest, TellsForHowLongItHasBeenBusy) {
  EXPECT_EQ(loop_->busy_since(), Clock::kForever);
  EXPECT_EQ(loop_->busy_for(clock_.Monotonic()), Duration::zero());
  Duration busy{0};
  loop_->Post([&] {
    for (int i = 0; i < 500; ++i) clock_.Monotonic();
    busy = loop_->busy_for(clock_.Monotonic());
  });
  loop_->RunTurn();
  EXPECT_GE(busy, milliseconds(500));
}

}  // namespace
}  // namespace skiff::net
