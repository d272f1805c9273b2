#include "cel/checker.h"

#include <gtest/gtest.h>

#include "cel/testing.h"

namespace skiff::cel {
namespace {

TEST(CelCheckerTest, TypeParametersAreBoundByArguments) {
  EXPECT_EQ(EvaluateText("[1].map(x, [x])").type, "list(list(int))");
  EXPECT_EQ(EvaluateText("{'a': 1}.?a").type, "optional_type(int)");
  EXPECT_EQ(EvaluateText("[].filter(x, true)").type, "list(dyn)");
  EXPECT_EQ(EvaluateText("optional.none().orValue('a')").type, "string");
  EXPECT_EQ(EvaluateText("type(1u)").type, "type(uint)");
}

TEST(CelCheckerTest, WhatNoOverloadTakesIsToldWithItsTypes) {
  EXPECT_NE(EvaluateText("1 + 'a'").text.find(
                "found no matching overload for '_+_' applied to '(int, string)'"),
            std::string::npos);
  EXPECT_NE(EvaluateText("'a'.size('b')").text.find("applied to 'string.(string)'"),
            std::string::npos);
  EXPECT_NE(EvaluateText("nobody").text.find("undeclared reference to 'nobody'"),
            std::string::npos);
}

TEST(CelCheckerTest, LiteralsAreOfOneType) {
  EXPECT_NE(EvaluateText("[1, 'a']").text.find("expected type 'int' but found 'string'"),
            std::string::npos);
  EXPECT_EQ(EvaluateText("'%s %d'.format(['a', 1])").text, "\"a 1\"");
  EXPECT_NE(EvaluateText("duration('x')").text.find("invalid duration argument"),
            std::string::npos);
}

}  // namespace
}  // namespace skiff::cel
