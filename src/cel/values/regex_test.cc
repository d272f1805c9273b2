#include "cel/values/regex.h"

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

using Views = std::vector<std::string_view>;

std::string ErrorOf(std::string_view pattern) {
  const auto regex = Regex::Compile(pattern);
  return regex ? "" : regex.error().message();
}

Regex Of(std::string_view pattern) { return Regex::Compile(pattern).value(); }

TEST(CelRegexTest, FaultsAreNamedAsInGo) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"b(", "missing closing ): `b(`"},
      {"a)", "unexpected ): `a)`"},
      {"x[a", "missing closing ]: `[a`"},
      {"[z-a]", "invalid character class range: `z-a`"},
      {"[[:foo:]]", "invalid character class range: `[:foo:]`"},
      {"\\p{Foo}", "invalid character class range: `\\p{Foo}`"},
      {"ba**", "invalid nested repetition operator: `**`"},
      {"a{2}{3}?b", "invalid nested repetition operator: `{2}{3}?`"},
      {"*", "missing argument to repetition operator: `*`"},
      {"a|+?", "missing argument to repetition operator: `+?`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"a{3,2}", "invalid repeat count: `{3,2}`"},
      {"(a{100}){11}", "invalid repeat count: `{11}`"},
      {"\\", "trailing backslash at end of expression: ``"},
      {"\\q", "invalid escape sequence: `\\q`"},
      {"\\1", "invalid escape sequence: `\\1`"},
      {"\\C", "invalid escape sequence: `\\C`"},
      {"\\Z", "invalid escape sequence: `\\Z`"},
      {"\\x{110000}", "invalid escape sequence: `\\x{110000`"},
      {"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
      {"(?i", "invalid or unsupported Perl syntax: `(?i`"},
      {"(?P<n", "invalid named capture: `(?P<n`"},
      {"(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"},
      {"a\xff", "invalid UTF-8: `\xff`"},
  };
  for (const auto& [pattern, problem] : kCases) {
    EXPECT_EQ(ErrorOf(pattern), "error parsing regexp: " + std::string(problem)) << pattern;
  }
}

TEST(CelRegexTest, NestingIsBounded) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '(') + "a" +
           std::string(static_cast<size_t>(depth), ')');
  };
  EXPECT_EQ(ErrorOf(nested(900)), "");
  EXPECT_EQ(ErrorOf(nested(1001)),
            "error parsing regexp: expression nests too deeply: `" + nested(1001) + "`");
}

TEST(CelRegexTest, LongPatternsAreReadInLinearTime) {
  std::string opened = "[";
  std::string groups;
  for (int i = 0; i < 30'000; ++i) {
    opened += "[:";
    groups += "\\p{l_}";
  }
  EXPECT_TRUE(ErrorOf(opened).starts_with("error parsing regexp: missing closing ]: `[[:[:"));
  EXPECT_TRUE(ErrorOf(groups).starts_with("error parsing regexp: expression too large: `"));
}

TEST(CelRegexTest, WhatOnlyGoTakesIsTaken) {
  EXPECT_EQ(Of("(?<n>X)|(?P<n>Y)").Find("aYb"), "Y");
  EXPECT_EQ(Of("\\p{Letter}+").Find("1é2"), "é");
  EXPECT_EQ(Of("\\p{ uppercase-letter }").Find("aB"), "B");
  EXPECT_EQ(Of("[^\\p{ASCII}]").Find("aé"), "é");
  EXPECT_EQ(Of("\\P{LC}").Find("a1"), "1");
  EXPECT_EQ(Of("a{,5}").Find("xa{,5}"), "a{,5}");
  EXPECT_EQ(Of("[]a-]+").Find("x]-a"), "]-a");
  EXPECT_EQ(Of("\\Q(a*\\E+").Find("(a**"), "(a**");
}

TEST(CelRegexTest, MatchesFindsAnywhere) {
  EXPECT_TRUE(Of("").Matches(""));
  EXPECT_TRUE(Of("b").Matches("abc"));
  EXPECT_FALSE(Of("^b").Matches("a\nb"));
  EXPECT_TRUE(Of("(?m)^b").Matches("a\nb"));
  EXPECT_FALSE(Of("a$").Matches("a\n"));
  EXPECT_FALSE(Of("a.b").Matches("a\nb"));
}

TEST(CelRegexTest, FindAllIsThatOfGo) {
  EXPECT_EQ(Of("[0-9]+").FindAll("abc 123 def 456"), (Views{"123", "456"}));
  EXPECT_EQ(Of("[0-9]*").FindAll("123 456 789", 2), (Views{"123", "456"}));
  EXPECT_EQ(Of("é*").FindAll("héé"), (Views{"", "éé"}));
  EXPECT_EQ(Of("").FindAll("héé"), (Views{"", "", "", ""}));
  EXPECT_EQ(Of("a*").FindAll("aaa"), (Views{"aaa"}));
  EXPECT_EQ(Of("x").FindAll("aaa"), Views{});
  EXPECT_EQ(Of("a").FindAll("aaa", 0), Views{});
  EXPECT_EQ(Of("\\B").FindAll("é-"), (Views{"", "", ""}));
  EXPECT_EQ(Of("").FindAll(""), Views{""});
}

}  // namespace
}  // namespace skiff::cel
