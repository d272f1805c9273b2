#include "apiserver/admission/tolerations.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.h"

namespace skiff::apiserver {
namespace {

// Few enough of each that many cover each other.
std::vector<PodToleration> RandomTolerations(Random& random) {
  constexpr const char* kKeys[] = {"", "a", "b"};
  constexpr const char* kOps[] = {"", "Equal", "Exists", "Lt"};
  constexpr const char* kEffects[] = {"", "NoSchedule", "NoExecute"};
  std::vector<PodToleration> out(random.Uniform(7));
  for (PodToleration& each : out) {
    each.key = kKeys[random.Uniform(3)];
    each.op = kOps[random.Uniform(4)];
    each.value = kKeys[random.Uniform(3)];
    each.effect = kEffects[random.Uniform(3)];
    if (random.Uniform(2) == 0) each.seconds = static_cast<int64_t>(random.Uniform(3));
  }
  return out;
}

// As it is defined: none that one of those kept, or another that comes later, covers.
std::vector<PodToleration> MergedOneByOne(std::vector<PodToleration> all,
                                          const std::vector<PodToleration>& second) {
  all.insert(all.end(), second.begin(), second.end());
  std::vector<PodToleration> out;
  for (size_t i = 0; i < all.size(); ++i) {
    bool covered = false;
    for (const PodToleration& other : out) covered |= Covers(other, all[i]);
    for (size_t j = i + 1; j < all.size(); ++j) {
      covered |= all[j] != all[i] && Covers(all[j], all[i]);
    }
    if (!covered) out.push_back(all[i]);
  }
  return out;
}

TEST(TolerationsTest, ThoseThatOthersCoverAreLeftOut) {
  SeededRandom random(5);
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<PodToleration> first = RandomTolerations(random);
    const std::vector<PodToleration> second = RandomTolerations(random);
    ASSERT_EQ(MergeTolerations(first, second), MergedOneByOne(first, second)) << round;
    bool all_are_allowed = true;
    for (const PodToleration& each : first) {
      all_are_allowed &= std::any_of(second.begin(), second.end(),
                                     [&](const PodToleration& wide) { return Covers(wide, each); });
    }
    ASSERT_EQ(AreAllowed(first, second), second.empty() || all_are_allowed) << round;
  }
}

}  // namespace
}  // namespace skiff::apiserver
