#include "object/scalar/generate_name.h"

#include <set>

#include <gtest/gtest.h>

#include "object/scalar/names.h"

namespace skiff::object {
namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";

TEST(GenerateNameTest, AddsFiveCharactersOfTheAlphabet) {
  SeededRandom random(7);
  std::set<char> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = GenerateName("web-", random);
    ASSERT_EQ(name.size(), 9u);
    ASSERT_TRUE(name.starts_with("web-"));
    for (const char c : name.substr(4)) {
      ASSERT_NE(kAlphabet.find(c), std::string_view::npos);
      seen.insert(c);
    }
  }
  EXPECT_EQ(seen.size(), kAlphabet.size());
}

TEST(GenerateNameTest, CutsALongBaseToFitALabel) {
  SeededRandom random(7);
  const std::string name = GenerateName(std::string(100, 'a'), random);
  EXPECT_EQ(name.size(), kMaxDnsLabelLength);
  EXPECT_TRUE(name.starts_with(std::string(58, 'a')));
  EXPECT_TRUE(IsDns1123Label(name));
}

TEST(GenerateNameTest, TheSameSeedGivesTheSameName) {
  SeededRandom a(1);
  SeededRandom b(1);
  EXPECT_EQ(GenerateName("x", a), GenerateName("x", b));
  EXPECT_NE(GenerateName("x", a), GenerateName("y", b));
}

}  // namespace
}  // namespace skiff::object
