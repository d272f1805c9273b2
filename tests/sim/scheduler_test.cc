#include "tests/sim/scheduler.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"

namespace skiff::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Two threads that write letters; the order is up to the scheduler.
std::string Letters(uint64_t seed) {
  Scheduler scheduler({.seed = seed, .switch_one_in = 2});
  std::mutex mutex;
  std::string out;
  const auto write = [&](char letter) {
    for (int i = 0; i < 8; ++i) {
      std::lock_guard lock(mutex);
      out += letter;
    }
  };
  Thread a("a", [&] { write('a'); });
  Thread b("b", [&] { write('b'); });
  a.Join();
  b.Join();
  return out;
}

TEST(SchedulerTest, TheSameSeedGivesTheSameOrderAndAnotherAnother) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string order = Letters(seed);
    EXPECT_EQ(order, Letters(seed));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15u);
}

TEST(SchedulerTest, TimePassesOnlyWhenNobodyCanRun) {
  Scheduler scheduler({.seed = 1});
  SimClock clock(scheduler);
  std::mutex mutex;
  std::condition_variable wake;
  bool told = false;
  const Duration begin = clock.Monotonic();
  Thread sleeper("sleeper", [&] {
    scheduler.SleepUntil(scheduler.now() + hours(3));
    std::lock_guard lock(mutex);
    told = true;
    wake.notify_all();
  });
  std::unique_lock lock(mutex);
  clock.WaitUntil(wake, lock, clock.Monotonic() + seconds(5));
  EXPECT_EQ(clock.Monotonic() - begin, seconds(5));
  EXPECT_FALSE(told);
  wake.wait(lock, [&] { return told; });
  EXPECT_EQ(clock.Monotonic() - begin, hours(3));
  lock.unlock();
  sleeper.Join();
}

TEST(SchedulerTest, WaitsOfTheStandardLibraryPassSimulatedTime) {
  Scheduler scheduler({.seed = 1, .switch_one_in = 3});
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(never.wait_for(lock, hours(1)), std::cv_status::timeout);
  EXPECT_EQ(std::chrono::steady_clock::now() - begin, hours(1));
  lock.unlock();

  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  Thread answerer("answerer", [&] {
    scheduler.SleepUntil(scheduler.now() + seconds(2));
    promise.set_value(42);
  });
  EXPECT_EQ(answer.get(), 42);
  answerer.Join();
  EXPECT_EQ(scheduler.now(), hours(1) + seconds(2));
}

TEST(SchedulerTest, ReadersShareALockAndAWriterHasItAlone) {
  Scheduler scheduler({.seed = 3, .switch_one_in = 2});
  std::shared_mutex mutex;
  int readers = 0;
  int most_readers = 0;
  bool writing = false;
  const auto read = [&] {
    for (int i = 0; i < 50; ++i) {
      std::shared_lock lock(mutex);
      EXPECT_FALSE(writing);
      most_readers = std::max(most_readers, ++readers);
      scheduler.MayYield();
      --readers;
    }
  };
  Thread a("a", read);
  Thread b("b", read);
  Thread c("c", [&] {
    for (int i = 0; i < 50; ++i) {
      std::unique_lock lock(mutex);
      EXPECT_EQ(readers, 0);
      writing = true;
      scheduler.MayYield();
      writing = false;
    }
  });
  a.Join();
  b.Join();
  c.Join();
  EXPECT_EQ(most_readers, 2);
}

TEST(SchedulerTest, AStaticObjectIsMadeOnceThoughItsMakerIsTakenOff) {
  static int made = 0;
  struct Slow {
    Slow() {
      Scheduler::OfThisThread()->SleepUntil(Scheduler::OfThisThread()->now() + seconds(1));
      ++made;
    }
  };
  Scheduler scheduler({.seed = 1});
  const auto use = [] { static const Slow slow; };
  Thread a("a", use);
  Thread b("b", use);
  a.Join();
  b.Join();
  EXPECT_EQ(made, 1);
}

TEST(SchedulerTest, ThreadsThatWaitForEachOtherAreReported) {
  EXPECT_DEATH(
      {
        Scheduler scheduler({.seed = 1, .on_stuck = [](const std::string& why) {
                               fprintf(stderr, "stuck: %s", why.c_str());
                               _exit(3);
                             }});
        std::mutex mutex;
        std::condition_variable never;
        std::unique_lock lock(mutex);
        never.wait(lock);
      },
      "stuck: every thread waits for another");
}

// A store on a simulated disk, with all its threads.
std::pair<uint64_t, uint64_t> RunStore(uint64_t seed) {
  Scheduler scheduler({.seed = seed, .switch_one_in = 4});
  SimClock clock(scheduler);
  SeededRandom random(seed);
  auto disk = store::MemoryDisk::Make();
  disk->OnWrite([&] { scheduler.SleepUntil(scheduler.now() + milliseconds(1)); });
  store::EmbeddedOptions options;
  options.open_engine = [&] { return disk->Open(); };
  options.clock = &clock;
  options.random = &random;
  auto store = store::EmbeddedStore::Open(options);
  if (!store) std::abort();
  const auto write = [&](const std::string& who) {
    for (int i = 0; i < 20; ++i) {
      auto put = store::Transaction::CreateIfAbsent(who + std::to_string(i), SharedBytes("value"));
      const Result<store::CommitReply> done = store::CommitAndWait(**store, std::move(put));
      EXPECT_TRUE(done.has_value());
    }
  };
  {
    Thread a("a", [&] { write("a"); });
    Thread b("b", [&] { write("b"); });
  }
  store->reset();
  return {scheduler.trace(), disk->writes()};
}

TEST(SchedulerTest, AStoreWithItsThreadsRunsTheSameFromTheSameSeed) {
  const auto first = RunStore(7);
  EXPECT_EQ(first, RunStore(7));
  EXPECT_NE(first.first, RunStore(8).first);
}

}  // namespace
}  // namespace skiff::sim
