#include "base/strings.h"

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(StringsTest, QuotesForMessages) {
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted("plain"), "\"plain\"");
  EXPECT_EQ(Quoted("a\"b\\c\n\x01"), R"("a\"b\\c\n\x01")");
}

TEST(StringsTest, QuotesOnlyTheBeginningOfLongText) {
  EXPECT_EQ(Quoted(std::string(1000, 'x')), "\"" + std::string(kMaxQuotedBytes, 'x') + "\"...");
  // A character is never cut in two.
  const std::string text = std::string(kMaxQuotedBytes - 1, 'x') + "\u00e9\u00e9";
  EXPECT_EQ(Quoted(text), "\"" + std::string(kMaxQuotedBytes - 1, 'x') + "\"...");
}

TEST(StringsTest, TrimsWhiteSpaceOfUnicode) {
  EXPECT_EQ(TrimSpace(" \t\r\n\v\f5 "), "5");
  EXPECT_EQ(TrimSpace("\u00a0\u0085\u2003\u30005\u2028\u1680\u202f\u205f"), "5");
  EXPECT_EQ(TrimSpace("a b"), "a b");
  EXPECT_EQ(TrimSpace(" \u00a0 "), "");
  EXPECT_EQ(TrimSpace("\u00e95\u200b"), "\u00e95\u200b");
  EXPECT_EQ(TrimSpace("\xA0"), "\xA0");
}

TEST(StringsTest, LongTextIsCutAndSaysSo) {
  EXPECT_EQ(CutCopy("abcd", 4), "abcd");
  EXPECT_EQ(CutCopy("abcde", 4), "abcd... (cut at 4 bytes)");
  // A character is never cut in two, and what was cut once stays as it is.
  EXPECT_EQ(CutCopy("abc\u00e9", 4), "abc... (cut at 4 bytes)");
  EXPECT_EQ(CutCopy(CutCopy("abcde", 4), 4), CutCopy("abcde", 4));
}

}  // namespace
}  // namespace skiff
