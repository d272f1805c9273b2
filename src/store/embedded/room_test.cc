#include "store/embedded/room.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff {
namespace {

constexpr uint64_t kMb = 1 << 20;

TEST(RoomTest, TheLessIsLeftTheLessMayBeAdded) {
  const RoomLimits limits = RoomLimits::For(1000 * 1000 * kMb);
  EXPECT_EQ(limits.reserve, 32 * kMb);
  EXPECT_EQ(limits.working, 64 * kMb);
  const uint64_t kept = 96 * kMb;
  EXPECT_EQ(limits.Judge(kept + 128 * kMb), Room::kPlenty);
  EXPECT_EQ(limits.Judge(kept + 128 * kMb - 1), Room::kScarce);
  EXPECT_EQ(limits.Judge(kept + 64 * kMb - 1), Room::kSmallGrowth);
  EXPECT_EQ(limits.Judge(kept + 32 * kMb - 1), Room::kTinyGrowth);
  EXPECT_EQ(limits.Judge(kept + 8 * kMb), Room::kTinyGrowth);
  EXPECT_EQ(limits.Judge(kept + 8 * kMb - 1), Room::kDeletionsOnly);
  EXPECT_EQ(limits.Judge(0), Room::kDeletionsOnly);
}

TEST(RoomTest, TransactionsAreTakenByWhatTheyAddAndWrite) {
  const Growth create{.added = 1'000'000, .written = 1'000'000};
  const Growth large_update{.added = 0, .written = 1'000'000};
  const Growth heartbeat{.added = 10, .written = 5'000};
  const Growth charged_deletion{.added = -900, .written = 100, .deletes = true};
  const Growth move{.added = 100, .written = 1'000, .deletes = true};
  const Growth deletion{.added = -1'000'000, .written = 0, .deletes = true};
  EXPECT_TRUE(Takes(Room::kPlenty, create));
  EXPECT_TRUE(Takes(Room::kScarce, create));
  EXPECT_FALSE(Takes(Room::kSmallGrowth, create));
  EXPECT_TRUE(Takes(Room::kSmallGrowth, large_update));
  EXPECT_FALSE(Takes(Room::kTinyGrowth, large_update));
  EXPECT_TRUE(Takes(Room::kTinyGrowth, heartbeat));
  EXPECT_FALSE(Takes(Room::kDeletionsOnly, heartbeat));
  EXPECT_TRUE(Takes(Room::kDeletionsOnly, charged_deletion));
  EXPECT_FALSE(Takes(Room::kDeletionsOnly, move));
  EXPECT_TRUE(Takes(Room::kDeletionsOnly, deletion));
}

TEST(RoomTest, ASmallDiskIsNotKeptFreeAltogether) {
  EXPECT_EQ(RoomLimits::For(300 * kMb).working, 300 * kMb / 8);
  EXPECT_EQ(RoomLimits::For(1).working, 16 * kMb);
}

TEST(RoomTest, WithoutLimitsThereIsAlwaysPlenty) {
  EXPECT_EQ(RoomLimits().Judge(0), Room::kPlenty);
}

TEST(RoomTest, WhatIsRefusedIsSaid) {
  EXPECT_EQ(ExplainRoom(Room::kScarce), "");
  EXPECT_NE(ExplainRoom(Room::kSmallGrowth).find("no more than 4096 bytes"), std::string::npos);
  EXPECT_NE(ExplainRoom(Room::kDeletionsOnly).find("only deletions are taken"), std::string::npos);
}

}  // namespace
}  // namespace skiff
