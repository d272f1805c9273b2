#include "controllers/run_concurrently.h"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::controllers {
namespace {

// Calls that wait until the test answers them.
struct Calls {
  Task<bool> Make(size_t index) {
    begun.insert(index);
    co_return co_await FromCallback<bool>([&](auto done) { open.push_back(std::move(done)); });
  }
  void AnswerFirst(bool go_on) {
    std::function<void(bool)> done = std::move(open.front());
    open.erase(open.begin());
    done(go_on);
  }
  std::set<size_t> begun;
  std::vector<std::function<void(bool)>> open;
};

TEST(RunConcurrentlyTest, SoManyAtATimeAndAllInTheEnd) {
  Calls calls;
  bool ended = false;
  Detach(RunConcurrently(3, 10, [&](size_t index) { return calls.Make(index); }),
         [&] { ended = true; });
  EXPECT_EQ(calls.begun.size(), 3U);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(ended);
    EXPECT_LE(calls.open.size(), 3U);
    calls.AnswerFirst(true);
  }
  EXPECT_TRUE(ended);
  EXPECT_EQ(calls.begun.size(), 10U);
}

TEST(RunConcurrentlyTest, ALaneEndsWhenItsWorkSaysSo) {
  Calls calls;
  bool ended = false;
  Detach(RunConcurrently(2, 10, [&](size_t index) { return calls.Make(index); }),
         [&] { ended = true; });
  calls.AnswerFirst(false);
  calls.AnswerFirst(true);
  EXPECT_EQ(calls.begun.size(), 3U);
  calls.AnswerFirst(false);
  EXPECT_TRUE(ended);
}

TEST(RunConcurrentlyTest, WorkThatIsDoneAtOnceNeedsNoStack) {
  size_t done = 0;
  bool ended = false;
  const std::function<Task<bool>(size_t)> work = [&](size_t) -> Task<bool> {
    ++done;
    co_return true;
  };
  Detach(RunConcurrently(4, 1'000'000, work), [&] { ended = true; });
  EXPECT_TRUE(ended);
  EXPECT_EQ(done, 1'000'000U);
  ended = false;
  Detach(RunConcurrently(4, 0, work), [&] { ended = true; });
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace skiff::controllers
