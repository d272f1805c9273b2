#include "object/selector/label_selector.h"

#include <initializer_list>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::object {
namespace {

using namespace std::string_literals;

std::string Canonical(std::string_view text) {
  auto selector = LabelSelector::Parse(text);
  return selector ? selector->ToString() : "error: " + selector.error().message();
}

Value Labels(Arena& arena,
             std::initializer_list<std::pair<std::string_view, std::string_view>> all) {
  Value map = Value::EmptyMap();
  for (const auto& [key, value] : all) map.SetEntry(arena, key, Value::String(value));
  return map;
}

Value Strings(Arena& arena, std::initializer_list<std::string_view> all) {
  Value list = Value::EmptyList();
  for (std::string_view text : all) list.Append(arena, Value::String(text));
  return list;
}

Value Expression(Arena& arena, std::string_view key, std::string_view op,
                 std::initializer_list<std::string_view> values) {
  Value map = Labels(arena, {{"key", key}, {"operator", op}});
  if (values.size() != 0) map.SetEntry(arena, "values", Strings(arena, values));
  return map;
}

TEST(LabelSelectorTest, PrintsRequirementsByKeyAndValuesInOrder) {
  EXPECT_EQ(Canonical("x=a,a=x"), "a=x,x=a");
  EXPECT_EQ(Canonical("z in (c,a,b,a),!y"), "!y,z in (a,b,c)");
  EXPECT_EQ(Canonical(" a  ==  b ,\tc != d\r\n, e"), "a==b,c!=d,e");
  EXPECT_EQ(Canonical("x>1,z<5"), "x>1,z<5");
  EXPECT_EQ(Canonical("example.com/a notin(b)"), "example.com/a notin (b)");
}

TEST(LabelSelectorTest, KeepsRequirementsOfOneKeyInTheOrderGiven) {
  EXPECT_EQ(Canonical("a!=c,a!=b,a"), "a!=c,a!=b,a");
}

TEST(LabelSelectorTest, ReadsMissingValuesAsEmpty) {
  EXPECT_EQ(Canonical("a="), "a=");
  EXPECT_EQ(Canonical("a= ,b== "), "a=,b==");
  EXPECT_EQ(Canonical("a!="), "a!=");
  EXPECT_EQ(Canonical("a in ()"), "a in ()");
  EXPECT_EQ(Canonical("a in (,)"), "a in ()");
  EXPECT_EQ(Canonical("a in (,b)"), "a in (,b)");
  EXPECT_EQ(Canonical("a in (b,)"), "a in (,b)");
  EXPECT_EQ(Canonical("a in (c,,b)"), "a in (,b,c)");
}

TEST(LabelSelectorTest, TakesKeywordsAsKeysAndValues) {
  EXPECT_EQ(Canonical("notin=in"), "notin=in");
  EXPECT_EQ(Canonical("in"), "in");
  EXPECT_EQ(Canonical("!in"), "!in");
  EXPECT_EQ(Canonical("in in (in,notin)"), "in in (in,notin)");
}

TEST(LabelSelectorTest, EndsAtAZeroByteBetweenTokens) {
  EXPECT_EQ(Canonical("a=b \0 nonsense((("s), "a=b");
  EXPECT_EQ(Canonical("a=\0b"s), "a=b");
  EXPECT_EQ(Canonical("\0x"s), "");
}

TEST(LabelSelectorTest, RefusesWhatIsNoSelector) {
  for (std::string_view bad : {"x=a||y=b",
                               "x==a==b",
                               "!x=a",
                               "x<a",
                               "x>",
                               "x in a",
                               "x in (a",
                               "x in (a b)",
                               "x in (a=b)",
                               "x in",
                               "x notin",
                               ",",
                               "a,",
                               "a,,b",
                               "=a",
                               "(",
                               "!",
                               "!!a",
                               "a b",
                               "a=(b)",
                               "a<>1",
                               "a<1.5",
                               "a>9223372036854775808",
                               "a===b"}) {
    EXPECT_FALSE(LabelSelector::Parse(bad).has_value()) << bad;
  }
}

TEST(LabelSelectorTest, ErrorsSayWhatWasFound) {
  EXPECT_EQ(Canonical("a,"), "error: found '', expected: identifier after ','");
  EXPECT_EQ(Canonical("a=b c"), "error: found 'c', expected: ',' or 'end of string'");
  EXPECT_EQ(Canonical("=a"), "error: found '=', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(
      Canonical("a b"),
      "error: unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(Canonical("a in b"), "error: unable to parse requirement: found 'b' expected: '('");
  EXPECT_EQ(Canonical("a>b"),
            "error: unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' "
            "operators, the value must be an integer");
  EXPECT_EQ(LabelSelector::Parse("a b").error().code(), 400);
}

TEST(LabelSelectorTest, RefusesInvalidKeysAndValues) {
  for (std::string_view bad : {"-a", "a/b/c", "/a", "a/", "Ex.com/a", "a_", "a=b_", "a=-1", "a=b/c",
                               "a in (b,c@)", "x>-5", "\xc3\xa4"}) {
    EXPECT_FALSE(LabelSelector::Parse(bad).has_value()) << bad;
  }
  EXPECT_FALSE(LabelSelector::Parse("a=" + std::string(64, 'b')));
  EXPECT_TRUE(LabelSelector::Parse("a=" + std::string(63, 'b')));
  EXPECT_TRUE(LabelSelector::Parse("a.b-c.example/A_b.c=X_y.z"));
}

TEST(LabelSelectorTest, BoundsItsInput) {
  EXPECT_FALSE(LabelSelector::Parse(std::string(limits::kMaxSelectorBytes + 1, ' ')));
  std::string many = "a";
  for (size_t i = 1; i < limits::kMaxSelectorRequirements; ++i) many += ",a";
  EXPECT_TRUE(LabelSelector::Parse(many));
  EXPECT_FALSE(LabelSelector::Parse(many + ",a"));
}

TEST(LabelSelectorTest, MatchesTheLabelsOfADocument) {
  Arena arena;
  const Value labels = Labels(arena, {{"app", "web"}, {"index", "12"}, {"empty", ""}});
  auto matches = [&](std::string_view text) {
    return LabelSelector::Parse(text).value().Matches(&labels);
  };
  for (std::string_view good : {"", "app", "app=web", "app==web", "app!=db", "app in (db,web)",
                                "app notin (db)", "!none", "none!=x", "none notin (x)", "index>11",
                                "index<13", "empty=", "empty in ()", "app,index"}) {
    EXPECT_TRUE(matches(good)) << good;
  }
  for (std::string_view bad :
       {"!app", "app=db", "app!=web", "app notin (web)", "none", "none=", "none in ()", "index>12",
        "index<12", "app>1", "none<1", "empty>0", "app=web,none"}) {
    EXPECT_FALSE(matches(bad)) << bad;
  }
}

TEST(LabelSelectorTest, MatchesObjectsWithoutLabels) {
  EXPECT_TRUE(LabelSelector::Parse("!a,b!=c").value().Matches(nullptr));
  EXPECT_FALSE(LabelSelector::Parse("a").value().Matches(nullptr));
  EXPECT_TRUE(LabelSelector::Everything().Matches(nullptr));
  EXPECT_FALSE(LabelSelector::Nothing().Matches(nullptr));
}

TEST(LabelSelectorTest, NoSelectorSelectsNothingAndAnEmptyOneEverything) {
  const Value empty = Value::EmptyMap();
  const Value null{};
  EXPECT_TRUE(LabelSelector::FromValue(nullptr).value().matches_nothing());
  EXPECT_TRUE(LabelSelector::FromValue(&null).value().matches_nothing());
  EXPECT_TRUE(LabelSelector::FromValue(&empty).value().empty());
  EXPECT_NE(LabelSelector::Everything(), LabelSelector::Nothing());
}

TEST(LabelSelectorTest, JoinsMatchLabelsAndExpressions) {
  Arena arena;
  Value selector = Value::EmptyMap();
  selector.SetEntry(arena, "matchLabels", Labels(arena, {{"b", "1"}}));
  const Value expressions[] = {
      Expression(arena, "d", "NotIn", {"y", "x"}), Expression(arena, "a", "Exists", {}),
      Expression(arena, "c", "DoesNotExist", {}), Expression(arena, "b", "In", {"1", "2"})};
  selector.SetEntry(arena, "matchExpressions", Value::List(arena, expressions));
  EXPECT_EQ(LabelSelector::FromValue(&selector).value().ToString(),
            "a,b=1,b in (1,2),!c,d notin (x,y)");
}

TEST(LabelSelectorTest, RefusesWrongExpressions) {
  Arena arena;
  const Value wrong[] = {
      Expression(arena, "a", "Gt", {"1"}),     Expression(arena, "a", "In", {}),
      Expression(arena, "a", "Exists", {"b"}), Expression(arena, "-", "Exists", {}),
      Expression(arena, "a", "In", {"b@"}),    Value::Int(1)};
  for (const Value& expression : wrong) {
    Value selector = Value::EmptyMap();
    selector.SetEntry(arena, "matchExpressions", Value::List(arena, {&expression, 1}));
    EXPECT_FALSE(LabelSelector::FromValue(&selector).has_value());
  }
}

TEST(LabelSelectorTest, ServiceSelectorsAskForEachLabel) {
  Arena arena;
  const Value labels = Labels(arena, {{"b", "1"}, {"a", ""}});
  EXPECT_EQ(LabelSelector::FromLabels(&labels).value().ToString(), "a=,b=1");
  EXPECT_TRUE(LabelSelector::FromLabels(nullptr).value().empty());
}

TEST(LabelSelectorTest, TellsWhichValueAKeyMustHave) {
  const LabelSelector selector = LabelSelector::Parse("a=1,b in (2),c in (3,4),d!=5,d=6").value();
  EXPECT_EQ(selector.RequiresExactMatch("a"), "1");
  EXPECT_EQ(selector.RequiresExactMatch("b"), "2");
  EXPECT_EQ(selector.RequiresExactMatch("c"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("d"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("e"), std::nullopt);
}

TEST(LabelSelectorTest, EqualityIsThatOfTheCanonicalText) {
  EXPECT_EQ(LabelSelector::Parse("b,a in (y,x)").value(),
            LabelSelector::Parse("a in (x,y,x),b").value());
  EXPECT_NE(LabelSelector::Parse("a=b").value(), LabelSelector::Parse("a==b").value());
}

TEST(LabelSelectorTest, NothingStaysNothingWhenRequirementsAreAdded) {
  LabelSelector nothing = LabelSelector::Nothing();
  nothing.Add(LabelSelector::Parse("a").value().requirements());
  EXPECT_TRUE(nothing.matches_nothing());
  EXPECT_EQ(nothing.ToString(), "");
}

}  // namespace
}  // namespace skiff::object
