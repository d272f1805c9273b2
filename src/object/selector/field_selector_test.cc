#include "object/selector/field_selector.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::object {
namespace {

FieldSelector Parsed(std::string_view text) {
  auto selector = FieldSelector::Parse(text);
  EXPECT_TRUE(selector.has_value()) << text << ": " << selector.error().message();
  return selector ? *selector : FieldSelector::Nothing();
}

std::string Canonical(std::string_view text) { return Parsed(text).ToString(); }

TEST(FieldSelectorTest, PrintsTermsInOrderWithOneKindOfEquals) {
  EXPECT_EQ(Canonical("status.phase!=Running,metadata.name==web"),
            "metadata.name=web,status.phase!=Running");
  EXPECT_EQ(Canonical("a=,b!="), "a=,b!=");
}

TEST(FieldSelectorTest, OrdersTermsByTheTextThatWasGiven) {
  EXPECT_EQ(Canonical("a=x,a==y"), "a=y,a=x");
}

TEST(FieldSelectorTest, SkipsEmptyTermsAndTermsOfNothing) {
  EXPECT_TRUE(Parsed("").empty());
  EXPECT_TRUE(Parsed(",,").empty());
  EXPECT_TRUE(Parsed("=").empty());
  EXPECT_TRUE(Parsed("!=,==").empty());
  EXPECT_EQ(Canonical(",a=b,"), "a=b");
}

TEST(FieldSelectorTest, KeepsSpacesAsTheyStand) {
  EXPECT_EQ(Parsed(" a = b ").terms()[0], (FieldTerm{" a ", " b ", false}));
}

TEST(FieldSelectorTest, ReadsAndWritesEscapedValues) {
  const FieldSelector selector = Parsed(R"(a=b\,c\=d\\e)");
  EXPECT_EQ(selector.terms()[0].value, R"(b,c=d\e)");
  EXPECT_EQ(selector.ToString(), R"(a=b\,c\=d\\e)");
}

TEST(FieldSelectorTest, RefusesTermsWithoutOperator) {
  auto selector = FieldSelector::Parse("a=b,phase");
  ASSERT_FALSE(selector.has_value());
  EXPECT_EQ(selector.error().code(), 400);
  EXPECT_EQ(selector.error().message(), "invalid selector: 'a=b,phase'; can't understand 'phase'");
}

TEST(FieldSelectorTest, RefusesUnescapedAndWronglyEscapedCharacters) {
  EXPECT_FALSE(FieldSelector::Parse("a=b=c").has_value());
  EXPECT_FALSE(FieldSelector::Parse("a===b").has_value());
  EXPECT_FALSE(FieldSelector::Parse(R"(a=\n)").has_value());
  auto trailing = FieldSelector::Parse("a=b\\");
  ASSERT_FALSE(trailing.has_value());
  EXPECT_EQ(trailing.error().message(), "invalid field selector: invalid escape sequence: \\");
}

TEST(FieldSelectorTest, BoundsItsInput) {
  EXPECT_FALSE(FieldSelector::Parse("a=" + std::string(limits::kMaxSelectorBytes, 'b')));
  std::string many;
  for (size_t i = 0; i <= limits::kMaxSelectorRequirements; ++i) many += "a=b,";
  EXPECT_FALSE(FieldSelector::Parse(many));
}

TEST(FieldSelectorTest, MatchesAbsentFieldsAsEmpty) {
  const FieldSelector::Field fields[] = {{"metadata.name", "web"}, {"status.phase", "Running"}};
  EXPECT_TRUE(Parsed("metadata.name=web").Matches(fields));
  EXPECT_FALSE(Parsed("metadata.name=web,status.phase!=Running").Matches(fields));
  EXPECT_TRUE(Parsed("spec.nodeName=").Matches(fields));
  EXPECT_FALSE(Parsed("spec.nodeName!=").Matches(fields));
  EXPECT_TRUE(FieldSelector::Everything().Matches(fields));
  EXPECT_FALSE(FieldSelector::Nothing().Matches(fields));
}

TEST(FieldSelectorTest, TellsWhichValueAFieldMustHave) {
  const FieldSelector selector = Parsed("a!=x,b=y");
  EXPECT_EQ(selector.RequiresExactMatch("b"), "y");
  EXPECT_EQ(selector.RequiresExactMatch("a"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("c"), std::nullopt);
}

TEST(FieldSelectorTest, AndMatchesWhatAllMatch) {
  const FieldSelector parts[] = {FieldSelector::Equals("a", "1"),
                                 FieldSelector::NotEquals("b", "2")};
  const FieldSelector both = FieldSelector::And(parts);
  EXPECT_EQ(both.ToString(), "a=1,b!=2");
  const FieldSelector with_nothing[] = {both, FieldSelector::Nothing()};
  EXPECT_TRUE(FieldSelector::And(with_nothing).matches_nothing());
  EXPECT_TRUE(FieldSelector::And({}).empty());
}

TEST(FieldSelectorTest, TransformRenamesDropsAndRefusesTerms) {
  auto renamed = Parsed("name=web,drop=x").Transform([](FieldTerm& term) -> Result<void> {
    if (term.field == "drop") {
      term = {};
    } else {
      term.field = "metadata." + term.field;
    }
    return {};
  });
  ASSERT_TRUE(renamed.has_value());
  EXPECT_EQ(renamed->ToString(), "metadata.name=web");
  auto refused = Parsed("a=b").Transform(
      [](FieldTerm& term) -> Result<void> { return BadRequest("unknown field " + term.field); });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(), "unknown field a");
}

}  // namespace
}  // namespace skiff::object
