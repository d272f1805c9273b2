#include <chrono>

#include <gtest/gtest.h>

#include "tests/sim/cluster.h"

namespace skiff::sim {
namespace {

uint64_t BootTrace(uint64_t seed) {
  Cluster cluster(seed, 16);
  cluster.Boot();
  cluster.loop().RunFor(std::chrono::seconds(30));
  cluster.ledger().CatchUp();
  EXPECT_TRUE(cluster.failures().empty());
  return cluster.scheduler().trace();
}

TEST(SimulationTest, AServerStartsTheSameFromTheSameSeed) {
  const uint64_t first = BootTrace(1);
  EXPECT_EQ(first, BootTrace(1));
  EXPECT_NE(first, BootTrace(2));
}

}  // namespace
}  // namespace skiff::sim
