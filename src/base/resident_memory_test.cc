#include "base/resident_memory.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff {
namespace {

long ResidentFileKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("RssFile:")) return std::strtol(line.c_str() + 8, nullptr, 10);
  return -1;
}

TEST(ResidentMemoryTest, TheProgramGoesOnWithLessOfItInMemory) {
  const long before = ResidentFileKilobytes();
  ReleaseStartupMemory();
  EXPECT_LE(ResidentFileKilobytes(), before);
  // Code and constants are still there when they are needed.
  EXPECT_EQ(std::to_string(before), std::to_string(before));
}

long ResidentKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("RssAnon:")) return std::strtol(line.c_str() + 8, nullptr, 10);
  return -1;
}

TEST(ResidentMemoryTest, WhatWasFreedBetweenThingsThatStayIsGivenBack) {
  // Sanitizers have an allocator of their own, which this does not reach.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#endif
  FreedMemory freed;
  std::vector<std::unique_ptr<char[]>> stays, goes;
  // Also when it comes and goes between two looks.
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2000; ++i) {
      goes.push_back(std::make_unique<char[]>(32 * 1024));
      stays.push_back(std::make_unique<char[]>(64));
    }
    // The allocator may have had it from what tests before this one have freed, and may give some
    // of it back by itself.
    if (round == 0) freed.ReleaseIfMuch();
    const long before = ResidentKilobytes();
    goes.clear();
    freed.ReleaseIfMuch();
    EXPECT_LT(ResidentKilobytes(), before - 40 * 1024) << "in round " << round;
  }
}

}  // namespace
}  // namespace skiff
