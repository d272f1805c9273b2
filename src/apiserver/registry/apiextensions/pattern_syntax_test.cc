#include "apiserver/registry/apiextensions/pattern_syntax.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

TEST(PatternSyntaxTest, WhatRe2TakesIsTaken) {
  for (const char* good : {"", "^a*b+?c{2,3}$", "(a|b)*", "[]a-z^]+", "[^]]", "[[:alpha:]]+",
                           "(?i)x", "(?i:x)", "(?P<n>x)", "\\d+\\.\\pL", "a{", "{x}", "x{,3}",
                           "\\Q(\\E", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a{1000}", "[\\]]"}) {
    EXPECT_EQ(ProblemOfPattern(good), "") << good;
  }
}

TEST(PatternSyntaxTest, WhatIsBrokenIsNot) {
  for (const char* bad : {"(", ")", "(a", "a)", "[", "[a", "*a", "(*)", "a|+", "a\\", "(?=a)",
                          "(?<!a)", "a{3,2}", "a{1001}", "a**", "\\1"}) {
    EXPECT_NE(ProblemOfPattern(bad), "") << bad;
  }
}

}  // namespace
}  // namespace skiff::apiserver
