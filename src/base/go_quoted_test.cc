#include "base/go_quoted.h"

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(GoQuotedTest, EscapesWhatGoEscapes) {
  EXPECT_EQ(GoQuoted("a\"b\\c\n\x01\xff\xc3\xa9"), "\"a\\\"b\\\\c\\n\\x01\\xff\xc3\xa9\"");
  EXPECT_EQ(GoQuoted("\a\b\f\r\t\v\x7f"), R"("\a\b\f\r\t\v\x7f")");
}

TEST(GoQuotedTest, ListsHaveSpacesBetweenTheirItems) {
  EXPECT_EQ(QuotedList({}), "[]");
  EXPECT_EQ(QuotedList({"a", "b\""}), R"(["a" "b\""])");
}

}  // namespace
}  // namespace skiff
