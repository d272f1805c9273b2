#include "object/fields/contains.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "object/fields/testing.h"

namespace skiff::object {
namespace {

constexpr std::string_view kText =
    R"({"f:metadata":{"f:labels":{".":{},"f:a":{},"f:b/c":{}}},)"
    R"("f:spec":{"f:list":{"k:{\"name\":\"x\",\"port\":80}":{".":{},"f:image":{}}},)"
    R"("f:set":{"v:\"one\"":{}},"f:empty":{}}})";

class TextContainsTest : public ::testing::Test {
 protected:
  bool Holds(std::string_view part) { return TextContains(kText, SetOf(arena_, part)); }
  Arena arena_;
};

TEST_F(TextContainsTest, MembersOfEveryKindAreFound) {
  EXPECT_TRUE(Holds(kText));
  EXPECT_TRUE(Holds("{}"));
  EXPECT_TRUE(Holds(R"({"f:metadata":{"f:labels":{}}})"));
  EXPECT_TRUE(Holds(R"({"f:metadata":{"f:labels":{"f:b/c":{}}},"f:spec":{"f:empty":{}}})"));
  EXPECT_TRUE(Holds(R"({"f:spec":{"f:list":{"k:{\"name\":\"x\",\"port\":80}":{"f:image":{}}}}})"));
  EXPECT_TRUE(Holds(R"({"f:spec":{"f:set":{"v:\"one\"":{}}}})"));
}

TEST_F(TextContainsTest, WhatOnlyLeadsToMembersOrIsNotThereIsNoMember) {
  EXPECT_FALSE(Holds(R"({"f:metadata":{}})"));
  EXPECT_FALSE(Holds(R"({"f:spec":{"f:list":{}}})"));
  EXPECT_FALSE(Holds(R"({"f:spec":{"f:empty":{"f:more":{}}}})"));
  EXPECT_FALSE(Holds(R"({"f:metadata":{"f:labels":{"f:c":{}}}})"));
  EXPECT_FALSE(Holds(R"({"f:spec":{"f:list":{"k:{\"name\":\"y\",\"port\":80}":{}}}})"));
  EXPECT_FALSE(Holds(R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:status":{}})"));
}

TEST_F(TextContainsTest, AStepThatIsThereTwiceCountsOnce) {
  EXPECT_FALSE(TextContains(R"({"f:a":{},"f:a":{}})", SetOf(arena_, R"({"f:a":{},"f:b":{}})")));
  EXPECT_FALSE(
      TextContains(R"({"f:a":{".":{},".":{},"f:x":{}}})", SetOf(arena_, R"({"f:a":{},"f:b":{}})")));
}

TEST_F(TextContainsTest, TextThatIsNoSetHoldsNothing) {
  const FieldSet part = SetOf(arena_, R"({"f:a":{}})");
  for (const std::string_view text :
       {"", "null", "[]", "{", R"({"f:a")", R"({"f:a":)", R"({"f:a":null})"}) {
    EXPECT_FALSE(TextContains(text, part)) << text;
  }
}

// A random set of fields a to d, three levels deep, with few members.
std::string RandomSet(Random& random, int depth) {
  std::string out = "{";
  for (const char name : {'a', 'b', 'c', 'd'}) {
    if (random.Next() % 2 == 0) continue;
    if (out.size() > 1) out += ',';
    out += std::string("\"f:") + name + "\":";
    std::string below = depth == 0 ? "{}" : RandomSet(random, depth - 1);
    if (below != "{}" && random.Next() % 2 == 0) below.insert(1, "\".\":{},");
    out += below;
  }
  return out + "}";
}

TEST_F(TextContainsTest, AgreesWithSubsetsOfSetsThatAreRead) {
  SeededRandom random(7);
  int held = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string whole = RandomSet(random, 2);
    const std::string other = RandomSet(random, 2);
    const FieldSet set = SetOf(arena_, whole);
    // Often a part of the whole, so that both answers come up.
    const FieldSet part = random.Next() % 2 == 0 ? Intersection(arena_, set, SetOf(arena_, other))
                                                 : SetOf(arena_, other);
    const bool expected = IsSubset(part, set);
    held += expected ? 1 : 0;
    ASSERT_EQ(TextContains(whole, part), expected) << whole << " " << TextOf(part);
  }
  EXPECT_GT(held, 500);
  EXPECT_LT(held, 2500);
}

}  // namespace
}  // namespace skiff::object
