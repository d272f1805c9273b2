#include "base/resident_memory.h"

#include <cstdlib>
#include <fstream>
#include <string>

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

}  // namespace
}  // namespace skiff
