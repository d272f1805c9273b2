// kill -9 under concurrent load, with the real files of the embedded store.
//
// SKIFF_FAULT_ROUNDS sets the number of cycles (make faults: 10,000), SKIFF_SEED the seed of the
// first window.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <string_view>

#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "tests/faults/crash_rig.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr || *given == '\0' ? otherwise : std::strtoull(given, nullptr, 10);
}

// Sanitizers make every start several times as slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kCycles = 20;
constexpr Duration kLongestLife = std::chrono::milliseconds(1500);
#else
constexpr uint64_t kCycles = 300;
constexpr Duration kLongestLife = std::chrono::milliseconds(150);
#endif

constexpr int kCyclesPerWindow = 10;
// The store grows old, too; then the next one begins from nothing.
constexpr int kWindowsPerStore = 10;

class CrashTest : public ::testing::Test {
 protected:
  CrashRigOptions Options(uint64_t seed, std::string plant = "") const {
    CrashRigOptions options;
    options.worker = SKIFF_STORE_WORKER;
    options.directory = directory_.path() + "/store";
    options.seed = seed;
    options.plant = std::move(plant);
    options.longest_life = kLongestLife;
    return options;
  }

  // Windows until something is wrong, which must be what the planted fault makes of the store.
  void ExpectFound(const std::string& plant, uint64_t seed,
                   std::initializer_list<std::string_view> faults) {
    CrashRig rig(Options(seed, plant));
    for (int window = 0; window < 10 && rig.fault().empty(); ++window) {
      for (int i = 0; i < kCyclesPerWindow; ++i) rig.RunCycle();
      rig.FinishWindow();
    }
    EXPECT_TRUE(std::ranges::any_of(
        faults,
        [&](std::string_view fault) { return rig.fault().find(fault) != std::string::npos; }))
        << "found: " << rig.fault();
  }

  TemporaryDirectory directory_;
};

TEST_F(CrashTest, KilledUnderLoadTheStoreLosesNothing) {
  const uint64_t cycles = FromEnvironment("SKIFF_FAULT_ROUNDS", kCycles);
  uint64_t seed = FromEnvironment("SKIFF_SEED", 1);
  uint64_t done = 0;
  size_t acknowledged = 0;
  size_t unknown = 0;
  int opening = 0;
  for (; done < cycles; ++seed) {
    CrashRig rig(Options(seed));
    for (int window = 0; window < kWindowsPerStore && done < cycles; ++window) {
      for (int i = 0; i < kCyclesPerWindow; ++i, ++done) rig.RunCycle();
      rig.FinishWindow();
      ASSERT_EQ(rig.fault(), "");
    }
    acknowledged += rig.acknowledged();
    unknown += rig.unknown();
    opening += rig.killed_while_opening();
    std::filesystem::remove_all(directory_.path() + "/store");
  }
  RecordProperty("kills", static_cast<int>(done));
  RecordProperty("acknowledged", static_cast<int>(acknowledged));
  RecordProperty("unknown", static_cast<int>(unknown));
  RecordProperty("killed_while_opening", opening);
  std::cout << done << " kills, " << opening << " of them while the store was opening; "
            << acknowledged << " writes acknowledged, " << unknown << " cut short\n";
  // A test that kills before anything happens proves nothing.
  EXPECT_GT(acknowledged, done);
  EXPECT_GT(unknown, 0u);
}

// ---- Planted faults are found

TEST_F(CrashTest, AcknowledgingBeforeTheLogIsWrittenIsFound) {
  ExpectFound("lossy-log", 1, {"the store opens at revision"});
}

TEST_F(CrashTest, AWatchThatSkipsAnEventIsFound) {
  // Where the write that is missing was cut short itself, what came after it has no ground.
  ExpectFound("skip-event", 2, {"no watch told of", "nobody wrote what a watch told"});
}

TEST_F(CrashTest, AWatchThatRepeatsAnEventIsFound) {
  ExpectFound("repeat-event", 3, {"a watch tells of revision"});
}

TEST_F(CrashTest, AStoreThatGoesBackInTimeIsFound) {
  CrashRig rig(Options(4));
  for (int i = 0; i < 5; ++i) rig.RunCycle();
  ASSERT_EQ(rig.fault(), "");
  const std::string store = directory_.path() + "/store";
  const std::string copy = directory_.path() + "/copy";
  std::filesystem::copy(store, copy, std::filesystem::copy_options::recursive);
  for (int i = 0; i < 5; ++i) rig.RunCycle();
  ASSERT_EQ(rig.fault(), "");
  std::filesystem::remove_all(store);
  std::filesystem::rename(copy, store);
  rig.FinishWindow();
  EXPECT_NE(rig.fault().find("the store opens at revision"), std::string::npos) << rig.fault();
}

}  // namespace
}  // namespace skiff::testing
