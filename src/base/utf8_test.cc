#include "base/utf8.h"

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(Utf8Test, CodePointsAreTakenAndWrittenAgain) {
  for (const char32_t c : {U'a', U'\x7f', U'\x80', U'é', U'\x7ff', U'\x800', U'本', U'\xffff',
                           U'\x10000', U'👑', U'\x10ffff'}) {
    std::string text;
    AppendUtf8(c, text);
    EXPECT_TRUE(IsValidUtf8(text)) << static_cast<uint32_t>(c);
    std::string_view rest = text;
    EXPECT_EQ(TakeCodePoint(rest), c);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(Utf8Test, OverlongFormsSurrogatesAndWhatIsBeyondUnicodeAreNotUtf8) {
  for (const char* text : {"", "a", "ü", "€", "𝄞", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(IsValidUtf8(text)) << text;
  for (const char* text : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xff"})
    EXPECT_FALSE(IsValidUtf8(text));
}

TEST(Utf8Test, WhatIsNoCharacterCountsByByte) {
  std::string_view rest =
      "\xf0\x9f"
      "a";
  EXPECT_EQ(TakeCodePoint(rest), kReplacementCharacter);
  EXPECT_EQ(TakeCodePoint(rest), kReplacementCharacter);
  EXPECT_EQ(TakeCodePoint(rest), U'a');
  std::string text;
  AppendUtf8(0xD800, text);
  AppendUtf8(0x110000, text);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace skiff
