// Tests of the simulator itself, and a bounded number of seeds of the cluster.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/sim/run_seed.h"

namespace skiff::sim {
namespace {

constexpr uint64_t kSeeds = 40;

std::string Text(const Outcome& outcome) {
  std::string out;
  for (const std::string& failure : outcome.failures) out += failure + "\n";
  return out;
}

TEST(SimulationTest, TheSameSeedGivesTheSameTrace) {
  for (const uint64_t seed : {3, 4, 5}) {
    const Outcome first = RunInChild({.seed = seed});
    const Outcome again = RunInChild({.seed = seed});
    EXPECT_EQ(first.trace, again.trace) << "seed " << seed;
    EXPECT_EQ(first.counters.all(), again.counters.all()) << "seed " << seed;
    EXPECT_EQ(first.simulated, again.simulated) << "seed " << seed;
  }
}

TEST(SimulationTest, WhatMustHoldHoldsThroughFaults) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome outcome = RunInChild({.seed = seed});
    EXPECT_EQ(Text(outcome), "") << "replay: build/tests/skiff_sim --seed " << seed << " --verbose";
  }
}

// Runs seeds until one has noticed the bug; what it says must be what the bug breaks.
void ExpectNoticed(PlantedBug bug, const std::string& says, bool faults = false) {
  std::string last = "nothing";
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Outcome outcome = RunInChild({.seed = seed, .faults = faults, .bug = bug});
    if (outcome.failures.empty()) continue;
    last = Text(outcome);
    const bool found = std::ranges::any_of(outcome.failures, [&](const std::string& failure) {
      return failure.find(says) != std::string::npos;
    });
    if (found) return;
  }
  FAIL() << "nobody noticed; last: " << last;
}

TEST(PlantedBugTest, AWriteThatIsAcknowledgedButNotDoneIsNoticed) {
  ExpectNoticed(PlantedBug::kPretendedWrites, "an acknowledged write is not there");
}

TEST(PlantedBugTest, AWriteThatACrashForgetsIsNoticed) {
  ExpectNoticed(PlantedBug::kForgottenWrites, "the store went back to revision");
}

TEST(PlantedBugTest, ACollectorThatIgnoresLiveOwnersIsNoticed) {
  ExpectNoticed(PlantedBug::kHiddenOwners, "something with a live owner was deleted");
}

TEST(PlantedBugTest, OrphansThatNobodyCollectsAreNoticed) {
  ExpectNoticed(PlantedBug::kIdleCollector, "still so long after the last fault");
}

TEST(PlantedBugTest, ANamespaceThatDoesNotEndIsNoticed) {
  ExpectNoticed(PlantedBug::kIdleNamespaces, "is ending");
}

TEST(PlantedBugTest, ALeaderThatIgnoresItsDeadlineIsNoticed) {
  ExpectNoticed(PlantedBug::kIgnoredDeadline, "two lead");
}

TEST(PlantedBugTest, ADependentThatStillRefersToAnOrphaningOwnerIsNoticed) {
  ExpectNoticed(PlantedBug::kLostOrphans, "a dependent still refers to it");
}

TEST(PlantedBugTest, AnOwnerThatGoesBeforeWhatBlocksItIsNoticed) {
  ExpectNoticed(PlantedBug::kHastyForeground, "an owner went before what blocks it");
}

TEST(PlantedBugTest, APropagationThatTheServerDoesNotHeedIsNoticed) {
  ExpectNoticed(PlantedBug::kNoPropagation, "but not its propagation");
}

TEST(PlantedBugTest, AnInvalidOwnerThatNobodySpeaksOfIsNoticed) {
  ExpectNoticed(PlantedBug::kSilentCollector, "nobody is told that the owner");
}

TEST(PlantedBugTest, AQuotaThatIsNotCountedIsNoticed) {
  ExpectNoticed(PlantedBug::kIdleQuotas, "quota");
}

TEST(PlantedBugTest, ANamespaceWithoutItsAccountIsNoticed) {
  ExpectNoticed(PlantedBug::kIdleAccounts, "has no service account");
}

TEST(PlantedBugTest, ANamespaceWithoutTheRootCertificateIsNoticed) {
  ExpectNoticed(PlantedBug::kIdleRootCa, "has no good kube-root-ca.crt");
}

TEST(PlantedBugTest, ARoleThatIsNotPutTogetherIsNoticed) {
  ExpectNoticed(PlantedBug::kIdleAggregation, "is not made of what it selects");
}

TEST(PlantedBugTest, AnObjectUnderTheKeyOfAnotherIsNoticed) {
  ExpectNoticed(PlantedBug::kBorrowedKeys, "/registry/configmaps/default/b holds the object");
}

TEST(PlantedBugTest, AnObjectThatSurvivesItsDefinitionIsNoticed) {
  ExpectNoticed(PlantedBug::kLooseDefinitions, "something has survived its definition");
}

TEST(PlantedBugTest, AWatchThatOutlivesItsDefinitionIsNoticed) {
  ExpectNoticed(PlantedBug::kDeafWatchers, "a watch has outlived its definition");
}

TEST(PlantedBugTest, HandlersThatAreNotToldAreNoticed) {
  ExpectNoticed(PlantedBug::kDeafHandlers, "informer of");
}

}  // namespace
}  // namespace skiff::sim
