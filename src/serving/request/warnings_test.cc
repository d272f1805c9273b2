#include "serving/request/warnings.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::serving {
namespace {

using Texts = std::vector<std::string>;

TEST(WarningsTest, EachTextIsToldOnceAsAQuotedString) {
  EXPECT_EQ(WarningHeaders({"a \"b\"", "c\\d", "a \"b\"", ""}),
            (Texts{"299 - \"a \\\"b\\\"\"", "299 - \"c\\\\d\""}));
}

TEST(WarningsTest, ControlCharactersBecomeSpaces) {
  EXPECT_EQ(WarningHeaders({"a\nb\x7f"}), (Texts{"299 - \"a b \""}));
}

TEST(WarningsTest, LongTextsAreWholeWhileThereIsRoom) {
  const std::string text(4000, 'x');
  EXPECT_EQ(WarningHeaders({text}), (Texts{"299 - \"" + text + "\""}));
}

TEST(WarningsTest, TooMuchIsCutAndTheRestLeftOut) {
  Texts texts;
  for (int i = 0; i < 20; ++i) texts.push_back(std::string(300, static_cast<char>('a' + i)));
  const Texts headers = WarningHeaders(texts);
  ASSERT_EQ(headers.size(), 16U);
  EXPECT_EQ(headers[15], "299 - \"" + std::string(256, 'p') + "\"");
}

TEST(WarningsTest, CharactersAreNotCutInTheMiddle) {
  std::string text;
  for (int i = 0; i < 4097; ++i) text += "\u00e9";
  std::string cut;
  for (int i = 0; i < 256; ++i) cut += "\u00e9";
  EXPECT_EQ(WarningHeaders({text}), (Texts{"299 - \"" + cut + "\""}));
}

}  // namespace
}  // namespace skiff::serving
