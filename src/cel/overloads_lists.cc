#include "cel/overloads_lists.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cel/functions.h"
#include "cel/values/numbers.h"
#include "cel/values/time.h"

namespace skiff::cel {
namespace {

// ---- Kubernetes.

Val IsSorted(Evaluation& e, Args args) {
  Val before;
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    const Val item = ListAt(e.arena(), args[0], i);
    if (!HasOrder(item)) return item.is_error() ? item : NoSuchOverload();
    if (i > 0 && Compare(before, item) == 1) return Val::Bool(false);
    before = item;
  }
  return Val::Bool(true);
}

Val Sum(Evaluation& e, Args args) {
  Val total;
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    const Val item = ListAt(e.arena(), args[0], i);
    if (item.is_error()) return item;
    if (i == 0) {
      total = item;
      continue;
    }
    if (item.kind() != total.kind()) return NoSuchOverload();
    switch (item.kind()) {
      case Kind::kDouble:
        total = Val::Double(total.AsDouble() + item.AsDouble());
        break;
      case Kind::kUint: {
        const Result<uint64_t> sum = Add(total.AsUint(), item.AsUint());
        if (!sum) return ErrorOf(e, sum);
        total = Val::Uint(*sum);
        break;
      }
      case Kind::kDuration: {
        const Result<int64_t> sum = AddDurations(total.AsInt(), item.AsInt());
        if (!sum) return ErrorOf(e, sum);
        total = Val::Duration(*sum);
        break;
      }
      case Kind::kInt: {
        const Result<int64_t> sum = Add(total.AsInt(), item.AsInt());
        if (!sum) return ErrorOf(e, sum);
        total = Val::Int(*sum);
        break;
      }
      default:
        return NoSuchOverload();
    }
  }
  return total;
}
template <typename Zero>
Val SumOr(Evaluation& e, Args args, Zero zero) {
  return ListSize(args[0]) == 0 ? zero() : Sum(e, args);
}
Val SumInt(Evaluation& e, Args args) {
  return SumOr(e, args, [] { return Val::Int(0); });
}
Val SumUint(Evaluation& e, Args args) {
  return SumOr(e, args, [] { return Val::Uint(0); });
}
Val SumDouble(Evaluation& e, Args args) {
  return SumOr(e, args, [] { return Val::Double(0); });
}
Val SumDuration(Evaluation& e, Args args) {
  return SumOr(e, args, [] { return Val::Duration(0); });
}

Val Extreme(Evaluation& e, Args args, int replaces, std::string_view name) {
  Val best;
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    const Val item = ListAt(e.arena(), args[0], i);
    if (!HasOrder(item)) return item.is_error() ? item : NoSuchOverload();
    if (i == 0 || Compare(best, item) == replaces) best = item;
  }
  if (best.kind() != Kind::kUnset) return best;
  return e.Error(std::string(name) + " called on empty list");
}
Val Max(Evaluation& e, Args args) { return Extreme(e, args, -1, "max"); }
Val Min(Evaluation& e, Args args) { return Extreme(e, args, 1, "min"); }

Val IndexOfItem(Evaluation& e, Args args) {
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    if (Equal(e.arena(), ListAt(e.arena(), args[0], i), args[1])) {
      return Val::Int(static_cast<int64_t>(i));
    }
  }
  return Val::Int(-1);
}
Val LastIndexOfItem(Evaluation& e, Args args) {
  for (size_t i = ListSize(args[0]); i-- > 0;) {
    if (Equal(e.arena(), ListAt(e.arena(), args[0], i), args[1])) {
      return Val::Int(static_cast<int64_t>(i));
    }
  }
  return Val::Int(-1);
}

// ---- cel-go.

Val Slice(Evaluation& e, Args args) {
  const int64_t start = args[1].AsInt();
  const int64_t end = args[2].AsInt();
  const size_t size = ListSize(args[0]);
  const std::string call =
      "cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), ";
  if (start < 0 || end < 0) return e.Error(call + "negative indexes not supported");
  if (start > end) return e.Error(call + "start index must be less than or equal to end index");
  if (static_cast<uint64_t>(end) > size) {
    return e.Error(call + "list is length " + std::to_string(size));
  }
  ListBuilder out(e.arena(), static_cast<size_t>(end - start));
  for (int64_t i = start; i < end; ++i) {
    out.Add(ListAt(e.arena(), args[0], static_cast<size_t>(i)));
  }
  return out.Done();
}

void FlattenInto(Evaluation& e, const Val& list, int64_t depth, ListBuilder& out) {
  for (size_t i = 0; i < ListSize(list); ++i) {
    const Val item = ListAt(e.arena(), list, i);
    if (item.kind() == Kind::kList && depth > 0) {
      FlattenInto(e, item, depth - 1, out);
    } else {
      out.Add(item);
    }
  }
}
Val Flatten(Evaluation& e, Args args) {
  if (args[0].kind() != Kind::kList) return NoSuchOverload();
  ListBuilder out(e.arena());
  FlattenInto(e, args[0], 1, out);
  return out.Done();
}
Val FlattenDepth(Evaluation& e, Args args) {
  if (args[0].kind() != Kind::kList) return NoSuchOverload();
  if (args[1].kind() != Kind::kInt) {
    return e.Error("internal error: interface conversion: ref.Val is " +
                   std::string(GoTypeNameOf(args[1])) + ", not types.Int");
  }
  if (args[1].AsInt() < 0) return Val::ErrorLiteral("level must be non-negative");
  ListBuilder out(e.arena());
  FlattenInto(e, args[0], args[1].AsInt(), out);
  return out.Done();
}

Val Range(Evaluation& e, Args args) {
  const int64_t size = args[0].AsInt();
  if (size > 0 && static_cast<uint64_t>(size) > e.budget_left()) {
    // The run ends with the cost of this call, so nobody reads the items.
    const Val none = ListBuilder(e.arena(), 0).Done();
    return Val::List(none.list_block(), static_cast<size_t>(std::min<int64_t>(size, UINT32_MAX)));
  }
  ListBuilder out(e.arena(), size > 0 ? static_cast<size_t>(size) : 0);
  for (int64_t i = 0; i < size; ++i) out.Add(Val::Int(i));
  return out.Done();
}

Val ReverseList(Evaluation& e, Args args) {
  const size_t size = ListSize(args[0]);
  ListBuilder out(e.arena(), size);
  for (size_t i = size; i-- > 0;) out.Add(ListAt(e.arena(), args[0], i));
  return out.Done();
}

Val Distinct(Evaluation& e, Args args) {
  if (ListSize(args[0]) * ListSize(args[0]) > e.budget_left()) return args[0];
  ListBuilder out(e.arena());
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    const Val item = ListAt(e.arena(), args[0], i);
    const Val so_far = out.Done();
    if (!ListContains(e.arena(), so_far, item).is_true()) out.Add(item);
  }
  return out.Done();
}

Val SortBy(Evaluation& e, const Val& list, const Val& keys) {
  const size_t size = ListSize(list);
  const size_t key_count = ListSize(keys);
  if (size != key_count) {
    return e.Error(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but "
        "got " +
        std::to_string(size) + " and " + std::to_string(key_count) + " elements respectively");
  }
  if (size == 0) return list;
  std::vector<std::pair<Val, size_t>> order;
  for (size_t i = 0; i < size; ++i) {
    order.emplace_back(ListAt(e.arena(), keys, i), i);
    if (!HasOrder(order.front().first)) {
      return Val::ErrorLiteral("list elements must be comparable");
    }
    if (order.back().first.kind() != order.front().first.kind()) {
      return Val::ErrorLiteral("list elements must have the same type");
    }
  }
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return Compare(a.first, b.first).value_or(0) < 0;
  });
  ListBuilder out(e.arena(), size);
  for (const auto& [key, place] : order) out.Add(ListAt(e.arena(), list, place));
  return out.Done();
}
Val Sort(Evaluation& e, Args args) { return SortBy(e, args[0], args[0]); }
Val SortByKeys(Evaluation& e, Args args) {
  return args[1].kind() == Kind::kList ? SortBy(e, args[0], args[1]) : NoSuchOverload();
}
bool IsList(const Val& v) { return v.kind() == Kind::kList; }

// ---- Sets.

Val Contains(Evaluation& e, const Val& set, const Val& subset) {
  // It will cost this much, and be stopped for it.
  if (ListSize(set) * ListSize(subset) > e.budget_left()) return Val::Bool(false);
  for (size_t i = 0; i < ListSize(subset); ++i) {
    const Val found = ListContains(e.arena(), set, ListAt(e.arena(), subset, i));
    if (!found.is_true()) return found;
  }
  return Val::Bool(true);
}
Val SetsContains(Evaluation& e, Args args) { return Contains(e, args[0], args[1]); }
Val SetsEquivalent(Evaluation& e, Args args) {
  const Val contained = Contains(e, args[0], args[1]);
  return contained.is_true() ? Contains(e, args[1], args[0]) : contained;
}
Val SetsIntersects(Evaluation& e, Args args) {
  if (ListSize(args[0]) * ListSize(args[1]) > e.budget_left()) return Val::Bool(false);
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    if (ListContains(e.arena(), args[1], ListAt(e.arena(), args[0], i)).is_true()) {
      return Val::Bool(true);
    }
  }
  return Val::Bool(false);
}

// One row for each type of items.
#define SKIFF_CEL_FOR_COMPARABLE(ROW)                                                             \
  ROW("int", "int"), ROW("uint", "uint"), ROW("double", "double"), ROW("bool", "bool"),           \
      ROW("duration", "google.protobuf.Duration"), ROW("timestamp", "google.protobuf.Timestamp"), \
      ROW("string", "string"), ROW("bytes", "bytes")
#define SKIFF_CEL_SORTED(name, type) \
  { "isSorted", "list_" name "_is_sorted_bool", "list(" type ").() -> bool", IsSorted }
#define SKIFF_CEL_MAX(name, type) \
  { "max", "list_" name "_max_" name, "list(" type ").() -> " type, Max }
#define SKIFF_CEL_MIN(name, type) \
  { "min", "list_" name "_min_" name, "list(" type ").() -> " type, Min }
#define SKIFF_CEL_SORT(name, type) \
  { "sort", "list_" type "_sort", "list(" type ").() -> list(" type ")" }
#define SKIFF_CEL_SORT_BY(name, type)                              \
  {                                                                \
    "@sortByAssociatedKeys", "list_" type "_sortByAssociatedKeys", \
        "list(<T>).(list(" type ")) -> list(<T>)"                  \
  }

constexpr std::array kRows = std::to_array<OverloadRow>({
    SKIFF_CEL_FOR_COMPARABLE(SKIFF_CEL_SORTED),
    {"sum", "list_int_sum_int", "list(int).() -> int", SumInt},
    {"sum", "list_uint_sum_uint", "list(uint).() -> uint", SumUint},
    {"sum", "list_double_sum_double", "list(double).() -> double", SumDouble},
    {"sum", "list_duration_sum_duration", "list(duration).() -> duration", SumDuration},
    SKIFF_CEL_FOR_COMPARABLE(SKIFF_CEL_MAX),
    SKIFF_CEL_FOR_COMPARABLE(SKIFF_CEL_MIN),
    {"indexOf", "list_a_index_of_int", "list(<A>).(<A>) -> int", IndexOfItem},
    {"lastIndexOf", "list_a_last_index_of_int", "list(<A>).(<A>) -> int", LastIndexOfItem},
    {"slice", "list_slice", "list(<T>).(int, int) -> list(<T>)", Slice},
    {"flatten", "list_flatten", "list(list(<T>)).() -> list(<T>)", Flatten},
    {"flatten", "list_flatten_int", "list(dyn).(int) -> list(dyn)", FlattenDepth},
    {"lists.range", "lists_range", "(int) -> list(int)", Range},
    {"reverse", "list_reverse", "list(<T>).() -> list(<T>)", ReverseList},
    {"distinct", "list_distinct", "list(<T>).() -> list(<T>)", Distinct},
    SKIFF_CEL_FOR_COMPARABLE(SKIFF_CEL_SORT),
    SKIFF_CEL_FOR_COMPARABLE(SKIFF_CEL_SORT_BY),
    {"sets.contains", "list_sets_contains_list", "(list(<T>), list(<T>)) -> bool", SetsContains},
    {"sets.equivalent", "list_sets_equivalent_list", "(list(<T>), list(<T>)) -> bool",
     SetsEquivalent},
    {"sets.intersects", "list_sets_intersects_list", "(list(<T>), list(<T>)) -> bool",
     SetsIntersects},
});
constexpr std::array kShared = std::to_array<SharedImpl>({
    {"sort", Sort, IsList},
    {"@sortByAssociatedKeys", SortByKeys, IsList},
});

}  // namespace

std::span<const OverloadRow> ListFunctions() { return kRows; }
std::span<const SharedImpl> ListImplementations() { return kShared; }

}  // namespace skiff::cel
