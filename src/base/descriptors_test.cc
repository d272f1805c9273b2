#include "base/descriptors.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff {
namespace {

TEST(DescriptorsTest, ConnectionsLeaveAReserve) {
  EXPECT_EQ(DescriptorsForConnections(64, 12), 64u - 12 - 36);
  EXPECT_EQ(DescriptorsForConnections(1024, 24), 1024u - 24 - 256);
  EXPECT_EQ(DescriptorsForConnections(1'000'000, 0), 1'000'000u - limits::kMaxDescriptorReserve);
  // The one who asks what is wrong.
  EXPECT_EQ(DescriptorsForConnections(64, 60), 1u);
}

TEST(DescriptorsTest, ConnectionsToOthersTakeFewOfThatReserve) {
  EXPECT_TRUE(LeavesEnoughForStore(43, 64));
  EXPECT_FALSE(LeavesEnoughForStore(44, 64));
  EXPECT_TRUE(LeavesEnoughForStore(1024 - 256, 1024));
  EXPECT_FALSE(LeavesEnoughForStore(1024 - 256 + 16, 1024));
  EXPECT_TRUE(LeavesEnoughForStore(1'000'000 - 576, 1'000'000));
  EXPECT_FALSE(LeavesEnoughForStore(1'000'000 - 500, 1'000'000));
  EXPECT_TRUE(LeavesEnoughForStore(3));
}

TEST(DescriptorsTest, TheStoreKeepsFewerFilesOpenWhereThereAreFew) {
  EXPECT_EQ(DescriptorsForStore(64), 20);
  EXPECT_EQ(DescriptorsForStore(400), 100);
  EXPECT_EQ(DescriptorsForStore(1'000'000), limits::kMaxStoreOpenFiles);
}

TEST(DescriptorsTest, KnowsThoseOfThisProcess) {
  EXPECT_GE(OpenDescriptors().value_or(0), 3u);
  EXPECT_GT(MaxDescriptors(), *OpenDescriptors());
}

}  // namespace
}  // namespace skiff
