#include "client/work_queue.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "client/testing.h"
#include "client/work_queue_metrics.h"

namespace skiff::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkQueueTest : public ::testing::Test {
 protected:
  using Done = std::move_only_function<void(Result<void>)>;

  std::unique_ptr<WorkQueue> Make(WorkQueueOptions options = {}) {
    return std::make_unique<WorkQueue>(executor, std::move(options), [this](std::string key) {
      return See(this, std::move(key));
    });
  }
  static Task<Result<void>> See(WorkQueueTest* test, std::string key) {
    test->begun.push_back(key);
    test->times.push_back(test->executor.clock().Monotonic());
    if (test->held) {
      co_return co_await FromCallback<Result<void>>(
          [&](auto done) { test->open[key] = std::move(done); });
    }
    if (test->failing) co_return std::unexpected(Status(StatusReason::kInternalError, "no"));
    co_return Result<void>();
  }
  void End(const std::string& key, bool well = true) {
    Done done = std::move(open.at(key));
    open.erase(key);
    done(well ? Result<void>() : Result<void>(Fail(StatusReason::kConflict, "no")));
    executor.RunUntilIdle();
  }
  using Keys = std::vector<std::string>;

  ManualExecutor executor;
  std::vector<std::string> begun;
  std::vector<Duration> times;
  std::map<std::string, Done> open;
  bool held = false;
  bool failing = false;
};

TEST_F(WorkQueueTest, AKeyAddedOftenIsSeenToOnceAndNeverWithinTheCall) {
  const auto queue = Make();
  queue->Add("a");
  queue->Add("b");
  queue->Add("a");
  EXPECT_TRUE(begun.empty());
  EXPECT_EQ(queue->waiting(), 2U);
  executor.RunUntilIdle();
  EXPECT_EQ(begun, (Keys{"a", "b"}));
  EXPECT_TRUE(queue->idle());
}

TEST_F(WorkQueueTest, AKeyAddedWhileItIsSeenToComesAgainAndIsNeverInTwoHands) {
  held = true;
  const auto queue = Make({.workers = 3});
  queue->Add("a");
  executor.RunUntilIdle();
  queue->Add("a");
  queue->Add("a");
  executor.RunUntilIdle();
  EXPECT_EQ(begun, Keys{"a"});
  EXPECT_EQ(queue->waiting(), 1U);
  End("a");
  EXPECT_EQ(begun, (Keys{"a", "a"}));
  End("a");
  EXPECT_TRUE(queue->idle());
}

TEST_F(WorkQueueTest, ItTellsHowLongTheOldestHasTaken) {
  held = true;
  const auto queue = Make({.workers = 2});
  EXPECT_EQ(queue->busy_for(), Duration::zero());
  queue->Add("a");
  executor.Advance(std::chrono::seconds(5));
  queue->Add("b");
  executor.Advance(std::chrono::seconds(5));
  EXPECT_EQ(queue->busy_for(), std::chrono::seconds(10));
  End("a");
  EXPECT_EQ(queue->busy_for(), std::chrono::seconds(5));
  End("b");
  EXPECT_EQ(queue->busy_for(), Duration::zero());
}

TEST_F(WorkQueueTest, NoMoreThanTheWorkersAreUnderWay) {
  held = true;
  const auto queue = Make({.workers = 2});
  for (const char* key : {"a", "b", "c"}) queue->Add(key);
  executor.RunUntilIdle();
  EXPECT_EQ(queue->under_way(), 2U);
  End("b");
  EXPECT_EQ(begun, (Keys{"a", "b", "c"}));
  End("a");
  End("c");
  EXPECT_TRUE(queue->idle());
}

TEST_F(WorkQueueTest, WhatFailsComesAgainAfterTwiceAsLongEachTime) {
  failing = true;
  const auto queue = Make();
  queue->Add("a");
  executor.Advance(milliseconds(160));
  ASSERT_EQ(times.size(), 6U);
  for (size_t i = 1; i < times.size(); ++i) {
    EXPECT_EQ(times[i] - times[i - 1], milliseconds(5 << (i - 1)));
  }
  EXPECT_EQ(queue->failures("a"), 6U);
  failing = false;
  executor.Advance(seconds(1));
  EXPECT_EQ(queue->failures("a"), 0U);
  EXPECT_EQ(begun.size(), 7U);
}

TEST_F(WorkQueueTest, ThePauseHasABound) {
  failing = true;
  const auto queue = Make({.retry = {.longest = seconds(1)}});
  queue->Add("a");
  executor.Advance(seconds(100));
  EXPECT_EQ(times.back() - times[times.size() - 2], seconds(1));
}

TEST_F(WorkQueueTest, AllKeysTogetherComeAgainAtARateAfterABurst) {
  failing = true;
  const auto queue = Make({.workers = 10, .retry = {.first = milliseconds(1)}});
  for (int i = 0; i < 200; ++i) queue->Add("k" + std::to_string(i));
  executor.Advance(milliseconds(2));
  // A hundred tokens for the burst; the rest wait for theirs, one each tenth of a second.
  EXPECT_EQ(std::ranges::count_if(times, [&](Duration t) { return t > times[0]; }), 100);
  const size_t before = times.size();
  executor.Advance(seconds(5));
  EXPECT_NEAR(static_cast<double>(times.size() - before), 50, 2);
}

TEST_F(WorkQueueTest, AKeyIsGivenUpAfterAsManyRetriesAsItMayHave) {
  failing = true;
  const auto queue = Make({.max_retries = 3});
  queue->Add("a");
  executor.Advance(seconds(100));
  EXPECT_EQ(begun.size(), 4U);
  EXPECT_EQ(queue->failures("a"), 0U);
  EXPECT_EQ(queue->delayed(), 0U);
}

TEST_F(WorkQueueTest, OfSeveralTimesForAKeyTheEarliestCounts) {
  const auto queue = Make();
  const Duration start = executor.clock().Monotonic();
  queue->AddAfter("a", seconds(10));
  queue->AddAfter("a", seconds(5));
  queue->AddAfter("a", seconds(20));
  EXPECT_EQ(queue->waiting(), 0U);
  EXPECT_EQ(queue->delayed(), 1U);
  executor.Advance(seconds(60));
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0] - start, seconds(5));
}

TEST_F(WorkQueueTest, ManyKeysLeaveRoomForOthersOfTheExecutor) {
  const auto queue = Make();
  for (size_t i = 0; i < 3 * limits::kMaxKeysPerTurn; ++i) queue->Add(std::to_string(i));
  size_t seen = 0;
  executor.RunOne();
  executor.Post([&] { seen = begun.size(); });
  executor.RunUntilIdle();
  EXPECT_LE(seen, 2 * limits::kMaxKeysPerTurn);
  EXPECT_EQ(begun.size(), 3 * limits::kMaxKeysPerTurn);
}

TEST_F(WorkQueueTest, AfterItStopsNothingBeginsAndWhatIsUnderWayEnds) {
  held = true;
  auto queue = Make();
  queue->Add("a");
  queue->Add("b");
  queue->AddAfter("c", seconds(1));
  executor.RunUntilIdle();
  queue->Stop();
  queue->Add("d");
  End("a", false);
  executor.Advance(seconds(10));
  EXPECT_EQ(begun, Keys{"a"});
  EXPECT_TRUE(queue->idle());
  EXPECT_EQ(executor.timers(), 0U);
}

TEST_F(WorkQueueTest, ATaskMayEndAfterItsQueueIsGone) {
  held = true;
  auto queue = Make();
  queue->Add("a");
  queue->Add("b");
  executor.RunUntilIdle();
  queue.reset();
  End("a", false);
  EXPECT_EQ(begun, Keys{"a"});
}

TEST_F(WorkQueueTest, TellsMetricsOfItself) {
  MetricsRegistry registry;
  WorkQueueMetrics metrics(registry);
  held = true;
  const auto queue = Make({.name = "pods", .metrics = &metrics});
  queue->Add("a");
  queue->Add("b");
  executor.clock().Advance(seconds(2));
  executor.RunUntilIdle();
  executor.clock().Advance(seconds(3));
  const std::string text = registry.Text();
  const auto has = [](const std::string& all, const std::string& line) {
    return all.find(line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has(text, "workqueue_adds_total{name=\"pods\"} 2"));
  EXPECT_TRUE(has(text, "workqueue_depth{name=\"pods\"} 1"));
  EXPECT_TRUE(has(text, "workqueue_queue_duration_seconds_sum{name=\"pods\"} 2"));
  EXPECT_TRUE(has(text, "workqueue_unfinished_work_seconds{name=\"pods\"} 3"));
  EXPECT_TRUE(has(text, "workqueue_longest_running_processor_seconds{name=\"pods\"} 3"));
  End("a", false);
  const std::string later = registry.Text();
  EXPECT_TRUE(has(later, "workqueue_retries_total{name=\"pods\"} 1"));
  EXPECT_TRUE(has(later, "workqueue_work_duration_seconds_sum{name=\"pods\"} 3"));
  EXPECT_TRUE(has(later, "workqueue_work_duration_seconds_bucket{name=\"pods\",le=\"10\"} 1"));
  queue->Stop();
  End("b");
}

}  // namespace
}  // namespace skiff::client
