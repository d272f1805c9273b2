#include "store/embedded/disk_space.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::store {
namespace {

constexpr uint64_t kMb = 1 << 20;

TEST(DiskSpaceTest, TheLessIsLeftTheLessMayBeAdded) {
  const DiskSpaceLimits limits = DiskSpaceLimits::For(1000 * 1000 * kMb);
  EXPECT_EQ(limits.reserve, 32 * kMb);
  EXPECT_EQ(limits.working, 64 * kMb);
  const uint64_t kept = 96 * kMb;
  EXPECT_EQ(limits.Classify(kept + 128 * kMb), DiskSpace::kPlenty);
  EXPECT_EQ(limits.Classify(kept + 128 * kMb - 1), DiskSpace::kScarce);
  EXPECT_EQ(limits.Classify(kept + 64 * kMb - 1), DiskSpace::kSmallGrowth);
  EXPECT_EQ(limits.Classify(kept + 32 * kMb - 1), DiskSpace::kTinyGrowth);
  EXPECT_EQ(limits.Classify(kept + 8 * kMb), DiskSpace::kTinyGrowth);
  EXPECT_EQ(limits.Classify(kept + 8 * kMb - 1), DiskSpace::kDeletionsOnly);
  EXPECT_EQ(limits.Classify(0), DiskSpace::kDeletionsOnly);
}

TEST(DiskSpaceTest, TransactionsAreTakenByWhatTheyAddAndWrite) {
  const Growth create{.added = 1'000'000, .written = 1'000'000};
  const Growth large_update{.added = 0, .written = 1'000'000};
  const Growth heartbeat{.added = 10, .written = 5'000};
  const Growth charged_deletion{.added = -900, .written = 100, .deletes = true};
  const Growth move{.added = 100, .written = 1'000, .deletes = true};
  const Growth deletion{.added = -1'000'000, .written = 0, .deletes = true};
  EXPECT_TRUE(Takes(DiskSpace::kPlenty, create));
  EXPECT_TRUE(Takes(DiskSpace::kScarce, create));
  EXPECT_FALSE(Takes(DiskSpace::kSmallGrowth, create));
  EXPECT_TRUE(Takes(DiskSpace::kSmallGrowth, large_update));
  EXPECT_FALSE(Takes(DiskSpace::kTinyGrowth, large_update));
  EXPECT_TRUE(Takes(DiskSpace::kTinyGrowth, heartbeat));
  EXPECT_FALSE(Takes(DiskSpace::kDeletionsOnly, heartbeat));
  EXPECT_TRUE(Takes(DiskSpace::kDeletionsOnly, charged_deletion));
  EXPECT_FALSE(Takes(DiskSpace::kDeletionsOnly, move));
  EXPECT_TRUE(Takes(DiskSpace::kDeletionsOnly, deletion));
}

TEST(DiskSpaceTest, ASmallDiskIsNotKeptFreeAltogether) {
  EXPECT_EQ(DiskSpaceLimits::For(300 * kMb).working, 300 * kMb / 8);
  EXPECT_EQ(DiskSpaceLimits::For(1).working, 16 * kMb);
}

TEST(DiskSpaceTest, WithoutLimitsThereIsAlwaysPlenty) {
  EXPECT_EQ(DiskSpaceLimits().Classify(0), DiskSpace::kPlenty);
}

TEST(DiskSpaceTest, WhatIsRefusedIsSaid) {
  EXPECT_EQ(ExplainDiskSpace(DiskSpace::kScarce), "");
  EXPECT_NE(ExplainDiskSpace(DiskSpace::kSmallGrowth).find("no more than 4096 bytes"),
            std::string::npos);
  EXPECT_NE(ExplainDiskSpace(DiskSpace::kDeletionsOnly).find("only deletions are taken"),
            std::string::npos);
}

}  // namespace
}  // namespace skiff::store
