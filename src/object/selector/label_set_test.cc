#include "object/selector/label_set.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

using Label = LabelSet::Label;

LabelSet Make(SymbolTable& table, std::vector<Label> labels) { return LabelSet(table, labels); }

BoundSelector Bind(SymbolTable& table, std::string_view text) {
  return BoundSelector(table, LabelSelector::Parse(text).value());
}

TEST(LabelSetTest, IsOnePointerWide) { EXPECT_EQ(sizeof(LabelSet), sizeof(void*)); }

TEST(LabelSetTest, EqualSetsShareTheirMemory) {
  SymbolTable table;
  const LabelSet a = Make(table, {{"app", "web"}, {"tier", "front"}});
  const LabelSet b = Make(table, {{"tier", "front"}, {"app", "web"}});
  const LabelSet c = Make(table, {{"tier", "front"}, {"app", "db"}});
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(table.label_set_count(), 2u);
}

TEST(LabelSetTest, LetsGoOfItsSymbolsWithItsLastCopy) {
  SymbolTable table;
  {
    LabelSet a = Make(table, {{"app", "web"}});
    LabelSet b = a;
    const LabelSet c = Make(table, {{"app", "web"}});
    a = LabelSet();
    EXPECT_EQ(b.Find("app"), "web");
    b = std::move(a);
    EXPECT_EQ(table.symbol_count(), 2u);
    EXPECT_EQ(c.Find("app"), "web");
  }
  EXPECT_EQ(table.symbol_count(), 0u);
  EXPECT_EQ(table.label_set_count(), 0u);
}

TEST(LabelSetTest, ReadsTheLabelsOfADocument) {
  SymbolTable table;
  Arena arena;
  Value labels = Value::EmptyMap();
  labels.SetEntry(arena, "b", Value::String("2"));
  labels.SetEntry(arena, "a", Value::String("1"));
  const LabelSet set = LabelSet::FromValue(table, &labels);
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.Find("a"), "1");
  EXPECT_EQ(set.Find("b"), "2");
  EXPECT_EQ(set.Find("c"), std::nullopt);
  EXPECT_TRUE(LabelSet::FromValue(table, nullptr).empty());
}

TEST(BoundSelectorTest, MatchesBySymbolsAsBySelector) {
  SymbolTable table;
  const LabelSet set = Make(table, {{"app", "web"}, {"index", "12"}, {"empty", ""}});
  for (std::string_view good : {"", "app", "app=web", "app==web", "app!=db", "app in (db,web)",
                                "app notin (db)", "!none", "none!=x", "none notin (x)", "index>11",
                                "index<13", "empty=", "empty in ()", "app,index"}) {
    EXPECT_TRUE(Bind(table, good).Matches(set)) << good;
  }
  for (std::string_view bad :
       {"!app", "app=db", "app!=web", "app notin (web)", "none", "none=", "none in ()", "index>12",
        "index<12", "app>1", "none<1", "empty>0", "app=web,none"}) {
    EXPECT_FALSE(Bind(table, bad).Matches(set)) << bad;
  }
}

TEST(BoundSelectorTest, MatchesSetsOfEverySize) {
  SymbolTable table;
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("k" + std::to_string(i));
  for (size_t size = 0; size <= names.size(); ++size) {
    std::vector<Label> labels;
    for (size_t i = 0; i < size; ++i) labels.push_back({names[i], names[(i + 1) % 20]});
    const LabelSet set(table, labels);
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(Bind(table, names[i]).Matches(set), i < size) << size << " " << i;
      EXPECT_EQ(Bind(table, names[i] + "=" + names[(i + 1) % 20]).Matches(set), i < size);
      EXPECT_FALSE(Bind(table, names[i] + "=" + names[i]).Matches(set));
    }
  }
}

TEST(BoundSelectorTest, FindsOneOfManyValues) {
  SymbolTable table;
  std::string text = "a in (v0";
  for (int i = 1; i < 100; ++i) text += ",v" + std::to_string(i);
  const BoundSelector selector = Bind(table, text + ")");
  EXPECT_TRUE(selector.Matches(Make(table, {{"a", "v73"}})));
  EXPECT_FALSE(selector.Matches(Make(table, {{"a", "v100"}})));
}

TEST(BoundSelectorTest, IsRightAboutSymbolsThatAppearAfterIt) {
  SymbolTable table;
  const BoundSelector wanted = Bind(table, "new in (x,y)");
  const BoundSelector unwanted = Bind(table, "new!=x");
  const BoundSelector absent = Bind(table, "!new");
  const LabelSet set = Make(table, {{"new", "x"}});
  EXPECT_TRUE(wanted.Matches(set));
  EXPECT_FALSE(unwanted.Matches(set));
  EXPECT_FALSE(absent.Matches(set));
}

TEST(BoundSelectorTest, ItsSymbolsAreNotReusedWhileItLives) {
  SymbolTable table;
  const BoundSelector selector = Bind(table, "app=web");
  { const LabelSet gone = Make(table, {{"app", "web"}}); }
  const LabelSet other = Make(table, {{"other", "value"}});
  EXPECT_FALSE(selector.Matches(other));
  EXPECT_TRUE(selector.Matches(Make(table, {{"app", "web"}})));
}

TEST(BoundSelectorTest, LetsGoOfItsSymbols) {
  SymbolTable table;
  {
    BoundSelector selector = Bind(table, "a=b,c in (d,e)");
    const BoundSelector moved = std::move(selector);
    EXPECT_EQ(table.symbol_count(), 5u);
  }
  EXPECT_EQ(table.symbol_count(), 0u);
}

TEST(BoundSelectorTest, KnowsWhatMatchesNoLabels) {
  SymbolTable table;
  EXPECT_TRUE(Bind(table, "!a,b!=c").Matches(LabelSet()));
  EXPECT_FALSE(Bind(table, "!a,b").Matches(LabelSet()));
  EXPECT_FALSE(BoundSelector(table, LabelSelector::Nothing()).Matches(LabelSet()));
  EXPECT_FALSE(BoundSelector(table, LabelSelector::Nothing()).Matches(Make(table, {{"a", "b"}})));
}

TEST(BoundSelectorTest, ReportsAllMatchesInOrder) {
  SymbolTable table;
  std::vector<LabelSet> sets;
  for (int i = 0; i < 50; ++i) sets.push_back(Make(table, {{"n", std::to_string(i % 5)}}));
  std::vector<size_t> found;
  Bind(table, "n=3").MatchAll(sets, [&](size_t i) { found.push_back(i); });
  EXPECT_EQ(found, (std::vector<size_t>{3, 8, 13, 18, 23, 28, 33, 38, 43, 48}));
}

TEST(LabelSetTest, ThreadsMayMakeMatchAndDropSetsAtOnce) {
  SymbolTable table;
  const BoundSelector selector = Bind(table, "app in (app-1,app-2),n>3");
  std::vector<std::thread> threads;
  std::atomic<size_t> matches = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      LabelSet kept;
      for (int i = 0; i < 2000; ++i) {
        const std::string app = "app-" + std::to_string(i % 4);
        const std::string number = std::to_string(i % 10);
        const LabelSet set = Make(table, {{"app", app}, {"n", number}});
        if (i % 7 == 0) kept = set;
        if (selector.Matches(set)) ++matches;
        if (set.Find("app") != app) ADD_FAILURE() << app;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(matches, 4u * 600u);
  EXPECT_EQ(table.label_set_count(), 0u);
}

}  // namespace
}  // namespace skiff::object
