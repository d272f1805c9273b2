#include "object/selector/symbols.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

TEST(SymbolTableTest, GivesEqualTextsOneSymbol) {
  SymbolTable table;
  const Symbol a = table.Intern("app");
  const Symbol b = table.Intern("web");
  EXPECT_NE(a, b);
  EXPECT_EQ(table.Intern("app"), a);
  EXPECT_EQ(table.Text(a), "app");
  EXPECT_EQ(table.Text(b), "web");
  const Symbol all[] = {a, a, b};
  table.Release(all);
  EXPECT_EQ(table.symbol_count(), 0u);
}

TEST(SymbolTableTest, ReusesTheIdsOfTextsThatNobodyHolds) {
  SymbolTable table;
  for (int i = 0; i < 10'000; ++i) table.Release(table.Intern("pod-" + std::to_string(i)));
  EXPECT_EQ(table.id_limit(), 1u);
  EXPECT_EQ(table.symbol_count(), 0u);
}

TEST(SymbolTableTest, FindsEveryTextUnderChurn) {
  SymbolTable table;
  std::map<std::string, Symbol> held;
  uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1664525 + 1013904223;
    const std::string text = "value-" + std::to_string((state >> 8) % 3000);
    if (auto found = held.find(text); found != held.end()) {
      EXPECT_EQ(table.Text(found->second), text);
      table.Release(found->second);
      held.erase(found);
    } else {
      held[text] = table.Intern(text);
    }
  }
  EXPECT_EQ(table.symbol_count(), held.size());
  for (const auto& [text, symbol] : held) {
    EXPECT_EQ(table.Intern(text), symbol);
    table.Release(symbol);
    table.Release(symbol);
  }
  EXPECT_LE(table.id_limit(), 3000u);
}

TEST(SymbolTableTest, HoldsTheEmptyText) {
  SymbolTable table;
  const Symbol empty = table.Intern("");
  EXPECT_EQ(table.Text(empty), "");
  table.Release(empty);
}

TEST(SymbolTableTest, KnowsTheNumbersAmongTexts) {
  SymbolTable table;
  const Symbol number = table.Intern("42");
  const Symbol word = table.Intern("42a");
  EXPECT_EQ(table.Number(number), 42);
  EXPECT_EQ(table.Number(word), std::nullopt);
  table.Release(number);
  table.Release(word);
}

TEST(ParseDecimalTest, TakesWhatGoTakes) {
  EXPECT_EQ(ParseDecimal("0"), 0);
  EXPECT_EQ(ParseDecimal("007"), 7);
  EXPECT_EQ(ParseDecimal("+5"), 5);
  EXPECT_EQ(ParseDecimal("-9223372036854775808"), INT64_MIN);
  for (std::string_view bad :
       {"", "+", "-", "+-1", "1_0", "0x1", " 1", "1 ", "1.0", "1e3", "9223372036854775808"}) {
    EXPECT_EQ(ParseDecimal(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace skiff::object
