#include "profiling/thread_stack.h"

#include <unistd.h>

#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "base/thread.h"

namespace skiff::profiling {

// Not of an unnamed namespace and not inlined, so that it has a symbol of its own.
__attribute__((noinline)) uint64_t SpinForTheStackTest(const std::atomic<bool>& end) {
  uint64_t turns = 0;
  while (!end.load(std::memory_order_relaxed)) ++turns;
  return turns;
}

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kSignalsWait = true;
#else
constexpr bool kSignalsWait = false;
#endif

TEST(ThreadStackTest, TellsWhatAnotherThreadIsDoing) {
  if (kSignalsWait) GTEST_SKIP() << "signals come late under the thread sanitizer";
  std::atomic<bool> end = false;
  std::atomic<pid_t> number = 0;
  std::atomic<uint64_t> turns = 0;
  Thread worker("worker", [&] {
    number = gettid();
    turns = SpinForTheStackTest(end);
  });
  while (number == 0) sched_yield();
  // It may not have got there yet.
  std::string stack;
  for (int i = 0; i < 1000 && stack.find("SpinForTheStackTest") == std::string::npos; ++i) {
    stack = StackOfThread(number);
  }
  end = true;
  worker.Join();
  EXPECT_NE(stack.find("SpinForTheStackTest"), std::string::npos) << stack;
  EXPECT_NE(stack.find(" < "), std::string::npos) << stack;
}

TEST(ThreadStackTest, TellsNothingOfAThreadThatHasEnded) {
  std::atomic<pid_t> number = 0;
  Thread worker("worker", [&] { number = gettid(); });
  worker.Join();
  EXPECT_EQ(StackOfThread(number), "");
}

TEST(ThreadStackTest, TellsOfTheThreadThatAsks) {
  if (kSignalsWait) GTEST_SKIP() << "signals come late under the thread sanitizer";
  EXPECT_NE(StackOfThread(gettid()).find("StackOfThread"), std::string::npos);
}

}  // namespace
}  // namespace skiff::profiling
