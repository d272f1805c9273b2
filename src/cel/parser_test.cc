#include "cel/parser.h"

#include <gtest/gtest.h>

#include "cel/testing.h"

namespace skiff::cel {
namespace {

TEST(CelParserTest, FaultsAreMarkedByCarets) {
  EXPECT_EQ(EvaluateText("1 + + 1").text.substr(0, 18), "ERROR: <input>:1:5");
  EXPECT_EQ(EvaluateText("[1].all(1, true)").text,
            "ERROR: <input>:1:9: argument must be a simple name\n | [1].all(1, true)\n | "
            "........^");
}

TEST(CelParserTest, ColumnsCountCodePoints) {
  EXPECT_NE(EvaluateText("'😀' + x").text.find("<input>:1:7:"), std::string::npos);
}

TEST(CelParserTest, OneSignBelongsToANumber) {
  EXPECT_EQ(EvaluateText("-9223372036854775808").text, "-9223372036854775808");
  EXPECT_EQ(EvaluateText("--1").text, "1");
  EXPECT_NE(EvaluateText("-(-9223372036854775807 - 1)").text.find("overflow"), std::string::npos);
}

TEST(CelParserTest, LiteralsOfEveryKindAreRead) {
  EXPECT_EQ(EvaluateText("r'\\n'").text, "\"\\\\n\"");
  EXPECT_EQ(EvaluateText("'\\u00e9' == 'é'").text, "true");
  EXPECT_EQ(EvaluateText("0xffu").text, "255u");
  EXPECT_EQ(EvaluateText("'''a\nb'''.size()").text, "3");
  EXPECT_EQ(EvaluateText("b'\\xff' == b'\\377'").text, "true");
}

TEST(CelParserTest, DepthIsBounded) {
  const std::string deep = std::string(300, '[') + std::string(300, ']');
  EXPECT_NE(EvaluateText(deep).text.find("recursion limit exceeded: 250"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 300; ++i) sum += "+1";
  EXPECT_NE(EvaluateText(sum).text.find("max recursion depth exceeded"), std::string::npos);
  std::string logic = "true";
  for (int i = 0; i < 2000; ++i) logic += "&&true";
  EXPECT_EQ(EvaluateText(logic).text, "true");
  EXPECT_NE(EvaluateText(std::string(100'001, ' ')).text.find("code point size exceeds limit"),
            std::string::npos);
}

}  // namespace
}  // namespace skiff::cel
