#include "cel/values/strings.h"

#include <gtest/gtest.h>

#include "cel/values/go_quote.h"

namespace skiff::cel {
namespace {

using Views = std::vector<std::string_view>;

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "no error" : result.error().message();
}

TEST(CelStringsTest, PositionsCountCodePoints) {
  EXPECT_EQ(CodePointCount("héllo wörld"), 11u);
  EXPECT_EQ(CodePointCount("\xff\xfe"
                           "a"),
            3u);
  EXPECT_EQ(CharAt("👑x👑", 0), "👑");
  EXPECT_EQ(CharAt("👑x👑", 3), "");
  EXPECT_EQ(ErrorOf(CharAt("👑x👑", 4)), "index out of range: 4");
  EXPECT_EQ(ErrorOf(CharAt("", -1)), "index out of range: -1");
  EXPECT_EQ(Substring("héllo", 1), "éllo");
  EXPECT_EQ(Substring("héllo", 1, 3), "él");
  EXPECT_EQ(Substring("abc", 1, 1), "");
  EXPECT_EQ(Substring("aaa", 3), "");
  EXPECT_EQ(ErrorOf(Substring("abc", 2, 1)), "invalid substring range. start: 2, end: 1");
  EXPECT_EQ(ErrorOf(Substring("abc", -1, 2)), "index out of range: -1");
  EXPECT_EQ(ErrorOf(Substring("abc", 1, 4)), "index out of range: 4");
  EXPECT_EQ(ErrorOf(Substring("", 1)), "index out of range: 1");
}

TEST(CelStringsTest, IndexOfSearchesFromAPosition) {
  EXPECT_EQ(IndexOf("tacocat", "a", 3), 5);
  EXPECT_EQ(IndexOf("tacocat", "t", 7), -1);
  EXPECT_EQ(IndexOf("tacocat", "none"), -1);
  EXPECT_EQ(IndexOf("héé", "é"), 1);
  EXPECT_EQ(IndexOf("abc", ""), 0);
  EXPECT_EQ(IndexOf("abc", "", 99), 99);
  EXPECT_EQ(ErrorOf(IndexOf("abc", "a", -1)), "index out of range: -1");
}

TEST(CelStringsTest, LastIndexOfBeginsNoLaterThanThePosition) {
  EXPECT_EQ(LastIndexOf("tacocat", "at"), 5);
  EXPECT_EQ(LastIndexOf("tacocat", "none"), -1);
  EXPECT_EQ(LastIndexOf("héllo wörld", ""), 11);
  EXPECT_EQ(LastIndexOf("tacocat", "t", 0), 0);
  EXPECT_EQ(LastIndexOf("tacocat", "a", 4), 1);
  EXPECT_EQ(LastIndexOf("tacocat", "a", 7), -1);
  EXPECT_EQ(ErrorOf(LastIndexOf("tacocat", "at", -1)), "index out of range: -1");
}

TEST(CelStringsTest, LongTextsAreFoundFromBehindInLinearTime) {
  const std::string needle(50'000, 'a');
  const std::string text = std::string(200'000, 'a') + "b" + std::string(60'000, 'a');
  EXPECT_EQ(LastIndexOf(text, needle), 210'001);
  EXPECT_EQ(LastIndexOf(text, needle, 209'999), 209'999);
  EXPECT_EQ(LastIndexOf(text, needle, 200'000), 150'000);
  EXPECT_EQ(LastIndexOf(text, needle, 5), 5);
  EXPECT_EQ(LastIndexOf(text, needle + "c"), -1);
  EXPECT_EQ(IndexOf(text, "b" + needle), 200'000);
  EXPECT_FALSE(Contains(text, needle + "c"));
}

TEST(CelStringsTest, ReplaceTakesALimit) {
  EXPECT_EQ(Replace("hello hello", "he", "we"), "wello wello");
  EXPECT_EQ(Replace("hello hello", "he", "we", 1), "wello hello");
  EXPECT_EQ(Replace("hello hello", "he", "we", 0), "hello hello");
  EXPECT_EQ(Replace("hello", "h", ""), "ello");
  EXPECT_EQ(Replace("👑é", "", "-"), "-👑-é-");
  EXPECT_EQ(Replace("abc", "", "-", 2), "-a-bc");
  EXPECT_EQ(Replace("", "", "-"), "-");
}

TEST(CelStringsTest, ReplaceDoesNotGrowBeyondItsBound) {
  const std::string text(100'000, 'a');
  EXPECT_EQ(ErrorOf(Replace(text, "", text)), "result is longer than 16777216 bytes");
}

TEST(CelStringsTest, SplitAndJoinAreInverse) {
  EXPECT_EQ(Split("a,b,c", ","), (Views{"a", "b", "c"}));
  EXPECT_EQ(Split("a,b,c", ",", 2), (Views{"a", "b,c"}));
  EXPECT_EQ(Split("a,b,c", ",", 1), (Views{"a,b,c"}));
  EXPECT_EQ(Split("a,b,c", ",", 0), Views{});
  EXPECT_EQ(Split("", ","), Views{""});
  EXPECT_EQ(Split("", ""), Views{});
  EXPECT_EQ(Split("héé", ""), (Views{"h", "é", "é"}));
  EXPECT_EQ(Split("héé", "", 2), (Views{"h", "éé"}));
  EXPECT_EQ(Join(Split("a,b,c", ","), ","), "a,b,c");
  EXPECT_EQ(Join(Views{"", "", ""}, ","), ",,");
  EXPECT_EQ(Join(Views{}), "");
}

TEST(CelStringsTest, TrimKnowsTheWhiteSpaceOfUnicode) {
  EXPECT_EQ(Trim("  padded\t\n"), "padded");
  EXPECT_EQ(Trim("\u00a0\u2003x\u3000"), "x");
  EXPECT_EQ(Trim("\u0085x\u1680"), "x");
  EXPECT_EQ(Trim("\ufeffx"), "\ufeffx");
}

TEST(CelStringsTest, OnlyAsciiHasCases) {
  EXPECT_EQ(LowerAscii("TacoCÆt Xii"), "tacocÆt xii");
  EXPECT_EQ(UpperAscii("tacoCÆt ß"), "TACOCÆT ß");
  EXPECT_EQ(Reverse("a👑é"), "é👑a");
}

TEST(CelStringsTest, QuoteUsesTheEscapesOfCel) {
  EXPECT_EQ(Quote("a\nb\"c\\d\a\v"), R"("a\nb\"c\\d\a\v")");
  EXPECT_EQ(Quote("👑é it's"), "\"👑é it's\"");
  EXPECT_EQ(Quote("\xff"), "\"\uFFFD\"");
}

TEST(CelStringsTest, KeysOfJsonPointersAreEscaped) {
  EXPECT_EQ(EscapeJsonPointerKey("k8s.io/x~y"), "k8s.io~1x~0y");
}

TEST(CelStringsTest, GoQuotesWhatDoesNotPrint) {
  EXPECT_EQ(GoQuote("a\"\\\n\x01\x7f"), R"("a\"\\\n\x01\x7f")");
  EXPECT_EQ(GoQuote("é👑\u00a0\u200b\U000e0001"), "\"é👑\\u00a0\\u200b\\U000e0001\"");
  EXPECT_EQ(GoQuote("\xc3"
                    "a\ufffd"),
            "\"\\xc3a\ufffd\"");
}

}  // namespace
}  // namespace skiff::cel
