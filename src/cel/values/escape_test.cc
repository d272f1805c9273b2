#include "cel/values/escape.h"

#include <gtest/gtest.h>

#include "cel/values/encoders.h"

namespace skiff::cel {
namespace {

TEST(CelEscapeTest, NamesAreEscapedAndBack) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"a_b", "a_b"},
      {"namespace", "__namespace__"},
      {"In", "In"},
      {"___", "__underscores___"},
      {"____", "__underscores____underscores__"},
      {"a.b/c-d__e", "a__dot__b__slash__c__dash__d__underscores__e"},
      {"__in__", "__underscores__in__underscores__"},
      {"__-__", "__underscores____dash____underscores__"},
  };
  for (const auto& [name, escaped] : kCases) {
    EXPECT_EQ(EscapeName(name), escaped);
    EXPECT_EQ(UnescapeName(escaped), name);
  }
}

TEST(CelEscapeTest, SomeNamesHaveNoIdentifier) {
  for (const std::string_view name : {"", "1a", "a b", "é", "$a", "a:b"}) {
    EXPECT_EQ(EscapeName(name), std::nullopt) << name;
  }
  for (const std::string_view identifier : {"x__in__", "__int__", "a__foo__b", "__for__x"}) {
    EXPECT_EQ(UnescapeName(identifier), std::nullopt) << identifier;
  }
  EXPECT_EQ(UnescapeName("____"), "____");
  EXPECT_EQ(UnescapeName("_____"), "_____");
}

TEST(CelEncodersTest, Base64MayLackItsPadding) {
  EXPECT_EQ(Base64Encode("hello"), "aGVsbG8=");
  EXPECT_EQ(Base64Decode("aGVsbG8="), "hello");
  EXPECT_EQ(Base64Decode("aGVsbG8"), "hello");
  EXPECT_FALSE(Base64Decode("a"));
  EXPECT_FALSE(Base64Decode("a*=="));
}

}  // namespace
}  // namespace skiff::cel
