#include "object/json/text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace skiff::object {
namespace {

std::string Quoted(std::string_view text) {
  ByteBuffer out;
  AppendJsonString(out, text);
  return out.ToString();
}

std::string Number(double value) {
  ByteBuffer out;
  AppendJsonDouble(out, value);
  return out.ToString();
}

std::string Compact(std::string_view json, JsonEscapes escapes) {
  ByteBuffer out;
  AppendCompactJson(out, json, escapes);
  return out.ToString();
}

TEST(JsonTextTest, StringsAreEscapedAsGoEscapesThem) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(Quoted("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(Quoted("<a&b>"), R"("\u003ca\u0026b\u003e")");
  EXPECT_EQ(Quoted("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"), "\"\\u2028\\u2029\xe2\x80\xaa\"");
  EXPECT_EQ(Quoted("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
  EXPECT_EQ(Quoted("a\xff\xc3"), R"("a\ufffd\ufffd")");
}

TEST(JsonTextTest, ASpecialCharacterIsFoundAtEveryPlaceInEveryLength) {
  for (size_t length = 1; length < 70; ++length) {
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      text[at] = '<';
      const std::string expected =
          '"' + std::string(at, 'x') + "\\u003c" + std::string(length - at - 1, 'x') + '"';
      ASSERT_EQ(Quoted(text), expected);
    }
  }
}

TEST(JsonTextTest, DoublesPrintInTheShortestFormWithGosExponents) {
  EXPECT_EQ(Number(0), "0");
  EXPECT_EQ(Number(1), "1");
  EXPECT_EQ(Number(-1.5), "-1.5");
  EXPECT_EQ(Number(0.1), "0.1");
  EXPECT_EQ(Number(100000000000000000000.0), "100000000000000000000");
  EXPECT_EQ(Number(1e21), "1e+21");
  EXPECT_EQ(Number(1e-6), "0.000001");
  EXPECT_EQ(Number(1e-7), "1e-7");
  EXPECT_EQ(Number(1.5e-10), "1.5e-10");
  EXPECT_EQ(Number(1.7976931348623157e308), "1.7976931348623157e+308");
}

TEST(JsonTextTest, CompactingRemovesSpaceOutsideStringsOnly) {
  EXPECT_EQ(Compact(" { \"a b\" :\t[ 1 ,\n\"x \\\" y\" ] } ", JsonEscapes::kKeep),
            R"({"a b":[1,"x \" y"]})");
  EXPECT_EQ(Compact(R"({"a":"<"})", JsonEscapes::kKeep), R"({"a":"<"})");
  EXPECT_EQ(Compact(R"({"a":"<é"})", JsonEscapes::kAsGo), R"({"a":"\u003cé"})");
}

TEST(JsonTextTest, OnlyTrueUtf8IsValid) {
  EXPECT_TRUE(IsValidUtf8("plain ascii, longer than a vector of sixteen"));
  EXPECT_TRUE(IsValidUtf8("\xc2\x80\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"));
  for (const char* bad : {"\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(IsValidUtf8(std::string("12345678") + bad));
  }
}

}  // namespace
}  // namespace skiff::object
