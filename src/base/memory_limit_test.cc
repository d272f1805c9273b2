#include "base/memory_limit.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/temporary_directory.h"

namespace skiff {
namespace {

class CgroupTest : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  std::string root() { return directory_.path(); }

  TemporaryDirectory directory_;
};

TEST_F(CgroupTest, TheLeastFromTheGroupUpCountsOfVersion2) {
  Write("/proc/self/cgroup", "0::/pods/mine\n");
  Write("/sys/fs/cgroup/pods/mine/memory.max", "max\n");
  EXPECT_EQ(CgroupMemoryLimit(root()), std::nullopt);
  Write("/sys/fs/cgroup/pods/memory.max", "100000000\n");
  EXPECT_EQ(CgroupMemoryLimit(root()), 100'000'000u);
  Write("/sys/fs/cgroup/pods/mine/memory.max", "67108864\n");
  EXPECT_EQ(CgroupMemoryLimit(root()), 67'108'864u);
}

TEST_F(CgroupTest, AContainerSeesItsGroupAtTheTop) {
  Write("/proc/self/cgroup", "0::/../../kubepods/pod1\n");
  Write("/sys/fs/cgroup/memory.max", "5000000\n");
  EXPECT_EQ(CgroupMemoryLimit(root()), 5'000'000u);
}

TEST_F(CgroupTest, KnowsVersion1) {
  Write("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n0::/\n");
  Write("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  Write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "300000\n");
  EXPECT_EQ(CgroupMemoryLimit(root()), 300'000u);
}

TEST_F(CgroupTest, WithoutCgroupsThereIsNoLimitOfTheirs) {
  EXPECT_EQ(CgroupMemoryLimit(root()), std::nullopt);
  Write("/proc/self/cgroup", "nonsense\n:\n0::\n");
  EXPECT_EQ(CgroupMemoryLimit(root()), std::nullopt);
}

TEST(MemoryLimitTest, WhatIsWantedCountsIfItIsLess) {
  EXPECT_EQ(MemoryLimit(1000), 1000u);
  EXPECT_LE(MemoryLimit(0), PhysicalMemory());
  EXPECT_EQ(MemoryLimit(UINT64_MAX), MemoryLimit(0));
}

TEST(MemoryLimitTest, TheGaugeSaysHowNearTheLimitIs) {
  ManualClock clock;
  uint64_t used = 10;
  MemoryGauge gauge(clock, 800, [&] { return used; });
  EXPECT_EQ(gauge.level(), MemoryGauge::Level::kRoom);
  used = 600;
  EXPECT_EQ(gauge.level(), MemoryGauge::Level::kRoom) << "not measured again at once";
  clock.Advance(std::chrono::seconds(1));
  EXPECT_EQ(gauge.level(), MemoryGauge::Level::kTight);
  used = 700;
  clock.Advance(std::chrono::seconds(1));
  EXPECT_EQ(gauge.level(), MemoryGauge::Level::kFull);
  used = 599;
  clock.Advance(std::chrono::seconds(1));
  EXPECT_EQ(gauge.level(), MemoryGauge::Level::kRoom);
}

TEST(MemoryLimitTest, MeasuresThisProcess) {
  const auto memory = ReadProcessMemory();
  ASSERT_TRUE(memory);
  EXPECT_GT(memory->own(), 0u);
  EXPECT_GT(memory->resident, memory->own());
  EXPECT_GE(memory->address_space, memory->resident);
}

}  // namespace
}  // namespace skiff
