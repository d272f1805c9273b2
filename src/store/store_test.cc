#include "store/store.h"

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

TEST(KeyRangeTest, PrefixHoldsExactlyTheKeysThatBeginWithIt) {
  const KeyRange range = KeyRange::Prefix("/registry/pods/");
  EXPECT_TRUE(range.Contains("/registry/pods/"));
  EXPECT_TRUE(range.Contains("/registry/pods/\xff\xff"));
  EXPECT_FALSE(range.Contains("/registry/pods0"));
  EXPECT_FALSE(range.Contains("/registry/pods"));
}

TEST(KeyRangeTest, PrefixThatEndsInTheLastByteCarriesOver) {
  EXPECT_EQ(KeyRange::Prefix("a\xff").end, "b");
  EXPECT_TRUE(KeyRange::Prefix("a\xff").Contains("a\xff\xff"));
  EXPECT_FALSE(KeyRange::Prefix("a\xff").Contains("b"));
  EXPECT_EQ(KeyRange::Prefix("\xff\xff").end, "");
  EXPECT_TRUE(KeyRange::Prefix("\xff\xff").Contains("\xff\xff\xff"));
}

TEST(KeyRangeTest, EmptyPrefixIsEverything) {
  EXPECT_TRUE(KeyRange::Prefix("").Contains(""));
  EXPECT_TRUE(KeyRange::Prefix("").Contains("\xff"));
}

TEST(KeyRangeTest, SingleHoldsOneKey) {
  const KeyRange range = KeyRange::Single("a");
  EXPECT_TRUE(range.Contains("a"));
  EXPECT_FALSE(range.Contains(std::string_view("a\0", 2)));
  EXPECT_FALSE(range.Contains(""));
}

}  // namespace
}  // namespace skiff::store
