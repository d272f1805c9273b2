#include "base/shared_bytes.h"

#include <vector>

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(SharedBytesTest, CopiesShareAndOutliveTheFirstOwner) {
  auto first = std::make_unique<SharedBytes>("hello");
  const SharedBytes second = *first;
  EXPECT_TRUE(second.SharesWith(*first));
  EXPECT_FALSE(second.is_sole());
  first.reset();
  EXPECT_TRUE(second.is_sole());
  EXPECT_EQ(second.view(), "hello");
}

TEST(SharedBytesTest, EqualityIsOfContents) {
  EXPECT_EQ(SharedBytes("a"), SharedBytes("a"));
  EXPECT_NE(SharedBytes("a"), SharedBytes("b"));
  EXPECT_FALSE(SharedBytes("a").SharesWith(SharedBytes("a")));
}

TEST(SharedBytesTest, EmptyTakesNoMemory) {
  const SharedBytes empty("");
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.view(), "");
  EXPECT_EQ(empty, SharedBytes());
}

TEST(SharedBytesTest, AssignmentLetsGoOfTheOldBytes) {
  SharedBytes bytes("old");
  const SharedBytes kept = bytes;
  bytes = SharedBytes("new");
  EXPECT_EQ(kept.view(), "old");
  EXPECT_EQ(bytes.view(), "new");
  const SharedBytes& itself = bytes;
  bytes = itself;
  EXPECT_EQ(bytes.view(), "new");
}

}  // namespace
}  // namespace skiff
