#include "base/thread.h"

#include <array>
#include <atomic>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff {
namespace {

TEST(ThreadTest, BodyHasRunWhenJoinReturns) {
  std::atomic<bool> ran = false;
  Thread thread("runs", [&] { ran = true; });
  thread.Join();
  EXPECT_TRUE(ran);
  thread.Join();
}

TEST(ThreadTest, NameIsCutToWhatTheKernelKeeps) {
  std::array<char, 32> name{};
  Thread thread("a-name-that-is-too-long",
                [&] { pthread_getname_np(pthread_self(), name.data(), name.size()); });
  thread.Join();
  EXPECT_STREQ(name.data(), "a-name-that-is-");
}

TEST(ThreadTest, StackIsDeepEnoughForDocuments) {
  size_t bytes = 0;
  Thread thread("stack", [&] {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void* base = nullptr;
    pthread_attr_getstack(&attributes, &base, &bytes);
    pthread_attr_destroy(&attributes);
  });
  thread.Join();
  EXPECT_GE(bytes, limits::kMinStackBytes);
}

}  // namespace
}  // namespace skiff
