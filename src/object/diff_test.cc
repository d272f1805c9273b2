#include "object/diff.h"

#include <gtest/gtest.h>

#include "object/equal.h"
#include "object/testing.h"

namespace skiff::object {
namespace {

using testing::Workload;

std::string Diff(const Document& a, const Document& b) {
  const DocumentDiff diff = DiffValues(a.root(), b.root());
  EXPECT_EQ(diff.empty(), DeepEqual(a.root(), b.root()));
  return diff.ToString();
}

TEST(DiffTest, EqualDocumentsHaveNoDifferences) {
  EXPECT_EQ(Diff(Workload({}), Workload({{"spec.nodes", Value::EmptyList()}})), "");
  EXPECT_EQ(Diff(Workload({{"spec.limits.cpu", Value::String("1")}}),
                 Workload({{"spec.limits.cpu", Value::String("1000m")}})),
            "");
}

TEST(DiffTest, NamesWhatWasAddedRemovedAndChanged) {
  EXPECT_EQ(Diff(Workload({{"spec.replicas", Value::Int(1)},
                           {"spec.paused", Value::Bool(true)},
                           {"metadata.labels.app", Value::String("web")}}),
                 Workload({{"spec.replicas", Value::Int(2)},
                           {"metadata.labels.app", Value::String("web")},
                           {"metadata.labels['example.com/tier']", Value::String("front")}})),
            "+ metadata.labels['example.com/tier']: \"front\"\n"
            "~ spec.replicas: 1 -> 2\n"
            "- spec.paused: true\n");
}

TEST(DiffTest, PairsListItemsByKey) {
  EXPECT_EQ(Diff(Workload({{"spec.containers[name=web].image", Value::String("a:1")},
                           {"spec.containers[name=log].image", Value::String("b:1")}}),
                 Workload({{"spec.containers[name=new].image", Value::String("c:1")},
                           {"spec.containers[name=web].image", Value::String("a:2")}})),
            "~ spec.containers[name=web].image: \"a:1\" -> \"a:2\"\n"
            "- spec.containers[name=log]: {\"name\":\"log\",\"image\":\"b:1\"}\n"
            "+ spec.containers[name=new]: {\"name\":\"new\",\"image\":\"c:1\"}\n");
}

TEST(DiffTest, NamesItemsByAllOfTheirKeys) {
  const std::string path = "spec.containers[name=web].ports[port=80,protocol=UDP].host";
  EXPECT_EQ(Diff(Workload({{path, Value::Int(1)}}), Workload({{path, Value::Int(2)}})),
            "~ " + path + ": 1 -> 2\n");
}

TEST(DiffTest, ReportsANewOrderOfKeyedItems) {
  EXPECT_EQ(Diff(Workload({{"spec.containers[name=a].image", Value::String("x")},
                           {"spec.containers[name=b].image", Value::String("y")}}),
                 Workload({{"spec.containers[name=b].image", Value::String("y")},
                           {"spec.containers[name=a].image", Value::String("x")}})),
            "~ spec.containers: order [name=a][name=b] -> order [name=b][name=a]\n");
}

TEST(DiffTest, ComparesOtherListsByIndex) {
  EXPECT_EQ(
      Diff(Workload({{"spec.nodes[0]", Value::String("a")}, {"spec.nodes[1]", Value::String("b")}}),
           Workload({{"spec.nodes[0]", Value::String("b")}})),
      "~ spec.nodes[0]: \"a\" -> \"b\"\n"
      "- spec.nodes[1]: \"b\"\n");
}

TEST(DiffTest, FallsBackToIndexesWhereKeysAreMissingOrRepeated) {
  const auto twins = [](std::string_view image) {
    return Workload({{"spec.containers[0].name", Value::String("a")},
                     {"spec.containers[1].name", Value::String("a")},
                     {"spec.containers[1].image", Value::String(image)}});
  };
  EXPECT_EQ(Diff(twins("x"), twins("y")), "~ spec.containers[1].image: \"x\" -> \"y\"\n");
}

TEST(DiffTest, WorksOnUntypedTrees) {
  Arena arena;
  Value a = Value::EmptyMap(), b = Value::EmptyMap();
  a.SetEntry(arena, "x", Value::Int(1));
  b.SetEntry(arena, "x", Value());
  EXPECT_EQ(DiffValues(a, b).ToString(), "~ x: 1 -> null\n");
  EXPECT_EQ(DiffValues(a, Value::Int(3)).ToString(), "~ (document): {\"x\":1} -> 3\n");
}

TEST(DiffTest, ListsNoMoreThanTheLimitButCountsAll) {
  Arena arena;
  Value a = Value::EmptyMap(), b = Value::EmptyMap();
  for (char c = 'a'; c <= 'e'; ++c) b.SetEntry(arena, std::string_view(&c, 1), Value::Int(1));
  const DocumentDiff diff = DiffValues(a, b, 2);
  EXPECT_EQ(diff.total, 5u);
  EXPECT_EQ(diff.ToString(), "+ a: 1\n+ b: 1\n… and 3 more\n");
}

TEST(ShortJsonTest, CutsLongValuesAtACharacter) {
  EXPECT_EQ(ShortJson(Value::String("abcdef"), 4), "\"abc…");
  EXPECT_EQ(ShortJson(Value::String("ab\xc3\xa4z"), 4), "\"ab…");
  const std::string large(1 << 20, 'x');
  EXPECT_LT(ShortJson(Value::String(large)).size(), limits::kMaxShownValueBytes + 4);
}

TEST(ShortJsonTest, ShowsEveryKindOfValue) {
  EXPECT_EQ(ShortJson(Value::String("a\"\n\x01")), R"("a\"\n\u0001")");
  EXPECT_EQ(ShortJson(Value::Double(1.5)), "1.5");
  EXPECT_EQ(ShortJson(Value::Bytes("abc")), "<3 bytes>");
  EXPECT_EQ(ShortJson(Value::Time({0, 0})), "\"1970-01-01T00:00:00Z\"");
  EXPECT_EQ(ShortJson(Value::Duration(1'500'000'000)), "\"1.5s\"");
  EXPECT_EQ(ShortJson(Value::RawJson("{\"a\":1}")), "{\"a\":1}");
  EXPECT_EQ(ShortJson(Value::EmptyList()), "[]");
  EXPECT_EQ(ShortJson(Workload({}).root()), "{}");
}

}  // namespace
}  // namespace skiff::object
