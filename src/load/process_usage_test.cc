#include "load/process_usage.h"

#include <unistd.h>

#include <gtest/gtest.h>

namespace skiff::load {
namespace {

TEST(ProcessUsageTest, TicksStandBehindANameThatMayContainAnything) {
  uint64_t ticks = 0;
  EXPECT_TRUE(ParseCpuTicks("7 (a b) 1 2) S 1 7 7 0 -1 4 9 0 0 0 120 34 0 0 20 0 1 0 5 6", ticks));
  EXPECT_EQ(ticks, 154u);
  EXPECT_FALSE(ParseCpuTicks("", ticks));
  EXPECT_FALSE(ParseCpuTicks("7 (a) S 1 2", ticks));
}

TEST(ProcessUsageTest, MemoryIsReadInBytes) {
  EXPECT_EQ(ParseMemory("Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t    12 kB\n", "VmRSS"), 12u * 1024);
  EXPECT_EQ(ParseMemory("Name:\tx\n", "VmRSS"), 0u);
}

TEST(ProcessUsageTest, ThisProcessUsesSomething) {
  const auto usage = ReadProcessUsage(getpid());
  ASSERT_TRUE(usage);
  EXPECT_GT(usage->resident_bytes, 0u);
  EXPECT_GE(usage->peak_resident_bytes, usage->resident_bytes);
  EXPECT_FALSE(ReadProcessUsage(-1));
}

}  // namespace
}  // namespace skiff::load
