#include "base/thread.h"

#include <unistd.h>

#include <array>
#include <atomic>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/limits.h"

namespace skiff {
namespace {

// The limit is not for root.
void StartAThreadThatIsNotAllowed() {
  constexpr rlimit kNone{0, 0};
  if (setrlimit(RLIMIT_NPROC, &kNone) != 0) _exit(0);
  constexpr uid_t kNobody = 65534;
  if (getuid() == 0 && setuid(kNobody) != 0) _exit(0);
  const Thread thread("none", [] {});
}

TEST(ThreadDeathTest, WhoGetsNoThreadEndsAndSaysWhy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(StartAThreadThatIsNotAllowed(), "a thread cannot be started.*ulimit -u");
}

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
