#include "base/task.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff {
namespace {

Task<int> Twice(int number) { co_return 2 * number; }

Task<int> Sum(int a, int b) {
  const int first = co_await Twice(a);
  const int second = co_await Twice(b);
  co_return first + second;
}

TEST(TaskTest, ATaskAwaitsOthersAndReturnsWhatItMade) {
  int result = 0;
  Detach<int>(Sum(1, 2), [&](int sum) { result = sum; });
  EXPECT_EQ(result, 6);
}

TEST(TaskTest, ATaskThatNobodyAwaitsDoesNotStart) {
  bool started = false;
  const auto make = [](bool& flag) -> Task<void> {
    flag = true;
    co_return;
  };
  { const Task<void> task = make(started); }
  EXPECT_FALSE(started);
}

TEST(TaskTest, ACallbackResumesItWhenItComes) {
  std::move_only_function<void(std::string)> later;
  std::vector<std::string> seen;
  const auto run = [](std::move_only_function<void(std::string)>& callback,
                      std::vector<std::string>& out) -> Task<void> {
    out.push_back("before");
    out.push_back(
        co_await FromCallback<std::string>([&](auto done) { callback = std::move(done); }));
    out.push_back("after");
  };
  bool ended = false;
  Detach(run(later, seen), [&] { ended = true; });
  EXPECT_EQ(seen, std::vector<std::string>{"before"});
  later("answer");
  EXPECT_EQ(seen, (std::vector<std::string>{"before", "answer", "after"}));
  EXPECT_TRUE(ended);
}

TEST(TaskTest, ACallbackMayComeBeforeTheCallReturns) {
  std::string result;
  const auto run = []() -> Task<std::string> {
    co_return co_await FromCallback<std::string>([](auto done) { done("at once"); });
  };
  Detach<std::string>(run(), [&](std::string text) { result = std::move(text); });
  EXPECT_EQ(result, "at once");
}

TEST(TaskTest, ManyAwaitsInALoopDoNotDeepenTheStack) {
  const auto run = []() -> Task<int> {
    int sum = 0;
    for (int i = 0; i < 1'000'000; ++i) {
      sum += co_await FromCallback<int>([](auto done) { done(1); });
      sum += co_await Twice(1);
    }
    co_return sum;
  };
  int result = 0;
  Detach<int>(run(), [&](int sum) { result = sum; });
  EXPECT_EQ(result, 3'000'000);
}

}  // namespace
}  // namespace skiff
