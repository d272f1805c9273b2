#include "base/hex.h"

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(HexTest, BytesHaveTwoDigits) {
  EXPECT_EQ(HexOf(std::string_view("\0\x0a\xff", 3)), "000aff");
  EXPECT_EQ(std::string("%") += HexByte('\xAB', HexCase::kUpper), "%AB");
}

TEST(HexTest, NumbersHaveAsManyAsTheyNeed) {
  EXPECT_EQ(HexNumber(0), "0");
  EXPECT_EQ(HexNumber(0xbeef), "beef");
  EXPECT_EQ(HexNumber(0xbeef, 6, HexCase::kUpper), "00BEEF");
  EXPECT_EQ(HexNumber(UINT64_MAX, 16), "ffffffffffffffff");
}

TEST(HexTest, DigitsAreReadInEitherCase) {
  EXPECT_EQ(HexValue('7'), 7);
  EXPECT_EQ(HexValue('c'), 12);
  EXPECT_EQ(HexValue('C'), 12);
  for (const char c : {'g', 'G', ' ', '/', ':', '@', '`'}) EXPECT_EQ(HexValue(c), -1) << c;
}

}  // namespace
}  // namespace skiff
