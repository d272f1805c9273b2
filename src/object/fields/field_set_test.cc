#include "object/fields/field_set.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "object/fields/testing.h"

namespace skiff::object {
namespace {

constexpr std::string_view kLeft =
    R"({"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{},"f:c":{"f:z":{}}})";
constexpr std::string_view kRight = R"({"f:a":{"f:y":{}},"f:b":{"f:q":{}},"f:c":{}})";

class FieldSetTest : public ::testing::Test {
 protected:
  FieldSet Of(std::string_view json) { return SetOf(arena_, json); }
  Arena arena_;
};

TEST_F(FieldSetTest, UnionHasTheMembersOfBoth) {
  EXPECT_EQ(
      TextOf(Union(arena_, Of(kLeft), Of(kRight))),
      R"({"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{".":{},"f:q":{}},"f:c":{".":{},"f:z":{}}})");
}

TEST_F(FieldSetTest, IntersectionHasOnlyCommonMembers) {
  EXPECT_EQ(TextOf(Intersection(arena_, Of(kLeft), Of(kRight))), R"({"f:a":{"f:y":{}}})");
}

TEST_F(FieldSetTest, DifferenceKeepsWhatIsBelowAMemberThatGoes) {
  EXPECT_EQ(TextOf(Difference(arena_, Of(kLeft), Of(kRight))),
            R"({"f:a":{".":{},"f:x":{}},"f:b":{},"f:c":{"f:z":{}}})");
}

TEST_F(FieldSetTest, RecursiveDifferenceTakesWhatIsBelowToo) {
  EXPECT_EQ(TextOf(RecursiveDifference(arena_, Of(kLeft), Of(kRight))),
            R"({"f:a":{".":{},"f:x":{}},"f:b":{}})");
  EXPECT_EQ(TextOf(RecursiveDifference(arena_, Of(kLeft), Of(R"({"f:a":{}})"))),
            R"({"f:b":{},"f:c":{"f:z":{}}})");
}

TEST_F(FieldSetTest, LeavesHaveNothingBelow) {
  EXPECT_EQ(TextOf(Leaves(arena_, Of(kLeft))),
            R"({"f:a":{"f:x":{},"f:y":{}},"f:b":{},"f:c":{"f:z":{}}})");
}

TEST_F(FieldSetTest, ASubsetHasNoMemberOfItsOwn) {
  EXPECT_TRUE(IsSubset(Of(R"({"f:a":{"f:x":{}}})"), Of(kLeft)));
  EXPECT_FALSE(IsSubset(Of(R"({"f:c":{}})"), Of(kLeft)));
  EXPECT_TRUE(IsSubset({}, Of(kLeft)));
  EXPECT_FALSE(IsSubset(Of(kLeft), {}));
}

TEST_F(FieldSetTest, NamedFieldsOnTheWayBecomeMembersButKeysDoNot) {
  const FieldShape shape = FieldShape::OfMessage(FindKind("v1", "Pod"));
  EXPECT_EQ(TextOf(WithNamedFields(
                arena_,
                Of(R"({"f:metadata":{"f:labels":{"f:a":{}}},)"
                   R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:image":{}}}}})"),
                shape)),
            R"({"f:metadata":{".":{},"f:labels":{".":{},"f:a":{}}},)"
            R"("f:spec":{".":{},"f:containers":{".":{},"k:{\"name\":\"c\"}":{"f:image":{}}}}})");
}

TEST_F(FieldSetTest, PathsReadAsInMessages) {
  std::string out;
  ForEachMember(Of(R"({"f:spec":{"f:l":{"k:{\"a\":1,\"b\":\"x\"}":{},"v:\"y\"":{},"i:3":{}}}})"),
                [&](std::span<const PathElement> path) { out += PathText(path) + "\n"; });
  EXPECT_EQ(out, ".spec.l[a=1,b=\"x\"]\n.spec.l[=\"y\"]\n.spec.l[3]\n");
}

// The laws of sets, on sets that a generator makes.
class RandomSets {
 public:
  explicit RandomSets(uint64_t seed) : random_(seed) {}

  std::string Json(int depth) {
    std::string out = "{";
    const uint64_t count = random_.Next() % 4;
    for (uint64_t i = 0; i < count; ++i) {
      if (out.size() > 1) out += ',';
      const std::string digit(1, static_cast<char>('0' + random_.Next() % 5));
      switch (random_.Next() % 4) {
        case 0:
          out += "\"k:{\\\"name\\\":\\\"" + digit + "\\\"}\":";
          break;
        case 1:
          out += "\"v:" + digit + "\":";
          break;
        default:
          out += "\"f:" + digit + "\":";
      }
      out += depth == 0 ? "{}" : Json(depth - 1);
    }
    if (random_.Next() % 2 == 0) out += out.size() > 1 ? R"(,".":{})" : R"(".":{})";
    return out + "}";
  }

 private:
  SeededRandom random_;
};

TEST_F(FieldSetTest, TheLawsOfSetsHold) {
  RandomSets random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::string a_json = random.Json(3);
    const std::string b_json = random.Json(3);
    const FieldSet a = Of(a_json);
    const FieldSet b = Of(b_json);
    SCOPED_TRACE(a_json + " and " + b_json);
    const FieldSet both = Union(arena_, a, b);
    EXPECT_TRUE(SameFields(both, Union(arena_, b, a)));
    EXPECT_TRUE(IsSubset(a, both) && IsSubset(b, both));
    const FieldSet common = Intersection(arena_, a, b);
    EXPECT_TRUE(SameFields(common, Intersection(arena_, b, a)));
    EXPECT_TRUE(IsSubset(common, a) && IsSubset(common, b));
    const FieldSet rest = Difference(arena_, a, b);
    EXPECT_TRUE(Intersection(arena_, rest, b).empty());
    EXPECT_TRUE(SameFields(Union(arena_, rest, common), a));
    EXPECT_TRUE(IsSubset(RecursiveDifference(arena_, a, b), rest));
    EXPECT_TRUE(Difference(arena_, a, a).empty());
    const std::string text = TextOf(both);
    EXPECT_TRUE(SameFields(Of(text), both));
    EXPECT_EQ(TextOf(Of(text)), text);
  }
}

// Sets of names of one letter and a number, of which the second has many more.
FieldSet RandomSet(Arena& arena, Random& random, size_t size) {
  FieldSetBuilder builder(arena);
  for (size_t i = 0; i < size; ++i) {
    const std::string name = "f" + std::to_string(random.Uniform(300));
    builder.Add(PathElement::Field(arena.Copy(name)), true, {});
  }
  return builder.Close(0);
}

TEST_F(FieldSetTest, FewFieldsAreFoundAmongMany) {
  SeededRandom random(7);
  for (int round = 0; round < 200; ++round) {
    const FieldSet few = RandomSet(arena_, random, random.Uniform(12));
    const FieldSet many = RandomSet(arena_, random, random.Uniform(200));
    const FieldSet common = Intersection(arena_, few, many);
    for (const FieldNode& node : few.nodes()) {
      EXPECT_EQ(common.Find(node.element) != nullptr, many.Find(node.element) != nullptr);
    }
    EXPECT_TRUE(SameFields(common, Intersection(arena_, many, few)));
    EXPECT_TRUE(SameFields(Union(arena_, common, Difference(arena_, few, many)), few));
    EXPECT_EQ(IsSubset(few, many), Difference(arena_, few, many).empty());
  }
}

TEST_F(FieldSetTest, TheUnionOfManyIsThatOfEachWithTheNext) {
  SeededRandom random(8);
  for (size_t count = 0; count < 20; ++count) {
    std::vector<FieldSet> sets;
    FieldSet expected;
    for (size_t i = 0; i < count; ++i) {
      sets.push_back(RandomSet(arena_, random, random.Uniform(9)));
      expected = Union(arena_, expected, sets.back());
    }
    EXPECT_TRUE(SameFields(UnionOfAll(arena_, std::move(sets)), expected)) << count;
  }
}

}  // namespace
}  // namespace skiff::object
