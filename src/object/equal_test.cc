#include "object/equal.h"

#include <gtest/gtest.h>

#include "object/testing.h"

namespace skiff::object {
namespace {

using testing::Workload;

bool Equal(const Document& a, const Document& b) {
  const bool equal = DeepEqual(a.root(), b.root());
  EXPECT_EQ(DeepEqual(b.root(), a.root()), equal);
  EXPECT_TRUE(DeepEqual(a.root(), a.root()));
  return equal;
}

TEST(DeepEqualTest, AbsentMembersEqualZerosOfFieldsThatAreNoPointers) {
  const Document empty = Workload({});
  EXPECT_TRUE(Equal(empty, Workload({{"metadata.name", Value::String("")}})));
  EXPECT_TRUE(Equal(empty, Workload({{"spec.paused", Value::Bool(false)}})));
  EXPECT_TRUE(Equal(empty, Workload({{"spec.ratio", Value::Double(0)}})));
  EXPECT_TRUE(Equal(empty, Workload({{"spec.port", Value::Int(0)}})));
  EXPECT_TRUE(Equal(empty, Workload({{"metadata.created", Value::Time(kZeroTimestamp)}})));
  EXPECT_FALSE(Equal(empty, Workload({{"spec.paused", Value::Bool(true)}})));
  EXPECT_FALSE(Equal(empty, Workload({{"spec.port", Value::String("")}})));
  EXPECT_FALSE(Equal(empty, Workload({{"metadata.created", Value::Time({0, 0})}})));
}

TEST(DeepEqualTest, PointersThatAreThereDifferFromAbsentOnes) {
  EXPECT_FALSE(Equal(Workload({}), Workload({{"spec.replicas", Value::Int(0)}})));
  EXPECT_FALSE(Equal(Workload({}), Workload({{"spec.strategy.host", Value::Int(0)}})));
  EXPECT_TRUE(Equal(Workload({{"spec.strategy.host", Value::Int(0)}}),
                    Workload({{"spec.strategy.port", Value::Int(0)}})));
}

TEST(DeepEqualTest, NilAndEmptyListsAndMapsAreEqual) {
  EXPECT_TRUE(Equal(Workload({}), Workload({{"spec.nodes", Value::EmptyList()},
                                            {"spec.limits", Value::EmptyMap()}})));
  EXPECT_TRUE(Equal(Workload({{"spec.rules.a", Value::EmptyList()}}),
                    Workload({{"spec.rules.a[0]", Value::String("x")}})) == false);
}

TEST(DeepEqualTest, QuantitiesCompareByAmount) {
  EXPECT_TRUE(Equal(Workload({{"spec.limits.memory", Value::String("1Gi")}}),
                    Workload({{"spec.limits.memory", Value::String("1024Mi")}})));
  EXPECT_TRUE(Equal(Workload({{"spec.limits.cpu", Value::String("1")}}),
                    Workload({{"spec.limits.cpu", Value::String("1000m")}})));
  EXPECT_FALSE(Equal(Workload({{"spec.limits.cpu", Value::String("1")}}),
                     Workload({{"spec.limits.cpu", Value::String("2")}})));
  EXPECT_FALSE(Equal(Workload({}), Workload({{"spec.limits.cpu", Value::String("0")}})));
  EXPECT_FALSE(Equal(Workload({{"metadata.name", Value::String("1Gi")}}),
                     Workload({{"metadata.name", Value::String("1024Mi")}})));
}

TEST(DeepEqualTest, ListsCompareInOrder) {
  const auto nodes = [](std::string_view a, std::string_view b) {
    return Workload({{"spec.nodes[0]", Value::String(a)}, {"spec.nodes[1]", Value::String(b)}});
  };
  EXPECT_TRUE(Equal(nodes("a", "b"), nodes("a", "b")));
  EXPECT_FALSE(Equal(nodes("a", "b"), nodes("b", "a")));
  EXPECT_FALSE(Equal(nodes("a", "b"), Workload({{"spec.nodes[0]", Value::String("a")}})));
}

TEST(DeepEqualTest, NumbersCompareByValue) {
  EXPECT_TRUE(DeepEqual(Value::Int(1), Value::Double(1)));
  EXPECT_TRUE(DeepEqual(Value::Uint(7), Value::Int(7)));
  EXPECT_FALSE(DeepEqual(Value::Int(-1), Value::Uint(UINT64_MAX)));
  EXPECT_FALSE(DeepEqual(Value::Int(1), Value::Double(1.5)));
  EXPECT_FALSE(DeepEqual(Value::Int(INT64_MAX), Value::Double(9223372036854775808.0)));
  EXPECT_FALSE(DeepEqual(Value::Uint(UINT64_MAX), Value::Double(18446744073709551616.0)));
  EXPECT_FALSE(DeepEqual(Value::Int(0), Value::Bool(false)));
}

TEST(DeepEqualTest, UntypedTreesTellNullFromEmptyAndAbsent) {
  Arena arena;
  Value with_null = Value::EmptyMap(), with_list = Value::EmptyMap();
  with_null.SetEntry(arena, "a", Value());
  with_list.SetEntry(arena, "a", Value::EmptyList());
  EXPECT_FALSE(DeepEqual(with_null, with_list));
  EXPECT_FALSE(DeepEqual(with_null, Value::EmptyMap()));
  EXPECT_TRUE(DeepEqual(with_null, with_null));
  EXPECT_FALSE(Equal(Workload({}), Workload({{"spec.extra", Value::EmptyMap()}})));
}

TEST(DeepEqualTest, TypedObjectsNeverEqualMapsOrOtherTypes) {
  const Document workload = Workload({});
  EXPECT_FALSE(DeepEqual(workload.root(), Value::EmptyMap()));
  const Document meta = Document::OfType(workload.type()->fields[2].message);
  EXPECT_FALSE(DeepEqual(workload.root(), meta.root()));
}

TEST(DeepEqualTest, TimesCompareByInstantAndRawJsonByText) {
  EXPECT_TRUE(DeepEqual(Value::Time({5, 0}), Value::MicroTime({5, 0})));
  EXPECT_FALSE(DeepEqual(Value::Time({5, 0}), Value::Time({5, 1})));
  EXPECT_TRUE(DeepEqual(Value::RawJson("{}"), Value::RawJson("{}")));
  EXPECT_FALSE(DeepEqual(Value::RawJson("1"), Value::RawJson("1.0")));
  EXPECT_FALSE(DeepEqual(Value::String("x"), Value::Bytes("x")));
}

TEST(IdenticalTest, TellsEveryBitThatDiffers) {
  const auto one = [] {
    return Workload({{"metadata.name", Value::String("a")},
                     {"spec.ratio", Value::Double(1)},
                     {"spec.nodes", Value::EmptyList()}});
  };
  EXPECT_TRUE(Identical(one().root(), one().root()));
  EXPECT_FALSE(Identical(one().root(), Workload({}).root()));
  EXPECT_FALSE(Identical(Value::Int(1), Value::Double(1)));
  EXPECT_FALSE(Identical(Workload({{"metadata.name", Value::String("a")}}).root(),
                         Workload({{"metadata.name", Value::String("b")}}).root()));
  // Equal, but not the same.
  EXPECT_FALSE(Identical(Workload({{"spec.paused", Value::Bool(false)}}).root(),
                         Workload({{"spec.replicas", Value::Int(0)}}).root()));
}

}  // namespace
}  // namespace skiff::object
