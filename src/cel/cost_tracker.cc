#include "cel/cost_tracker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cel/opaque.h"
#include "cel/values/named_formats.h"

namespace skiff::cel {
namespace {

using Args = std::span<const Val>;

constexpr double kString = 0.1;  // per code point that is looked at
constexpr double kRegex = 0.25;  // per code point of a pattern

uint64_t Times(uint64_t size, double factor) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * factor));
}
uint64_t RegexCost(uint64_t text, uint64_t pattern) {
  return static_cast<uint64_t>(std::ceil((1.0 + static_cast<double>(text)) * kString)) *
         Times(pattern, kRegex);
}
// Sizes that Kubernetes' own rules use: an optional is 1, whatever it holds.
uint64_t PlainSize(const Val& value) { return value.kind() == Kind::kOptional ? 1 : SizeOf(value); }

uint64_t Traversal(Arena& arena, const Val& value) {
  switch (value.kind()) {
    case Kind::kString:
    case Kind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(value.AsText().size()) * kString);
    case Kind::kList: {
      uint64_t cost = 0;
      for (size_t i = 0; i < ListSize(value); ++i)
        cost += Traversal(arena, ListAt(arena, value, i));
      return cost;
    }
    case Kind::kMap: {
      uint64_t cost = 0;
      for (size_t i = 0; i < MapSize(value); ++i) {
        const MapItem item = MapAt(arena, value, i);
        cost += Traversal(arena, item.key) + Traversal(arena, item.value);
      }
      return cost;
    }
    default:
      return 1;
  }
}

uint64_t One(Arena&, Args, const Val&) { return 1; }
uint64_t Check(Arena&, Args, const Val&) { return 350'000; }
uint64_t FirstText(Arena&, Args args, const Val&) { return Times(PlainSize(args[0]), kString); }
uint64_t FirstTextTwice(Arena&, Args args, const Val&) {
  return Times(PlainSize(args[0]), 2 * kString);
}
uint64_t FirstTraversal(Arena& arena, Args args, const Val&) { return Traversal(arena, args[0]); }
uint64_t Joined(Arena&, Args, const Val& result) { return Times(PlainSize(result), 2 * kString); }
uint64_t Find(Arena&, Args args, const Val&) {
  return RegexCost(PlainSize(args[0]), PlainSize(args[1]));
}
uint64_t Selector(Arena&, Args args, const Val&) {
  const uint64_t size = PlainSize(args[1]);
  return 10 + Times(size, kString) + Times(Times(size, 0.5), 50);
}
uint64_t ContainsIpCost(Arena&, Args args, const Val&) {
  return Times(2 * PlainSize(args[0]), kString);
}
uint64_t ContainsIpText(Arena&, Args args, const Val&) {
  return Times(2 * PlainSize(args[0]), kString) + Times(PlainSize(args[1]), kString);
}
uint64_t ContainsCidrCost(Arena&, Args args, const Val&) {
  const uint64_t size = PlainSize(args[0]);
  return Times(2 * size, kString) + Times(size, kString) + 1;
}
uint64_t ContainsCidrText(Arena& arena, Args args, const Val& result) {
  return ContainsCidrCost(arena, args, result) + Times(PlainSize(args[1]), kString);
}
uint64_t Validate(Arena&, Args args, const Val&) {
  if (args[0].kind() != Kind::kOpaque || BaseOf(args[0]).kind != OpaqueKind::kFormat) return 1;
  return RegexCost(PlainSize(args[1]), OpaqueValue<const NamedFormat*>(args[0])->max_regex_size);
}

// cel-go's own rules, which know the overload.
uint64_t FirstSize(Arena&, Args args, const Val&) { return Times(SizeOf(args[0]), kString); }
uint64_t InList(Arena&, Args args, const Val&) { return SizeOf(args[1]); }
uint64_t Ordered(Arena&, Args args, const Val&) {
  return Times(std::min(SizeOf(args[0]), SizeOf(args[1])), kString);
}
uint64_t Concatenated(Arena&, Args args, const Val&) {
  return Times(SizeOf(args[0]) + SizeOf(args[1]), kString);
}
uint64_t Matches(Arena&, Args args, const Val&) {
  return RegexCost(SizeOf(args[0]), SizeOf(args[1]));
}
uint64_t Contains(Arena&, Args args, const Val&) {
  return Times(SizeOf(args[0]), kString) * Times(SizeOf(args[1]), kString);
}

// Lists that are made: a call, a list, and something for each item. A depth below zero counts
// backwards, as it does in Go.
uint64_t NewList(double factor, uint64_t size) {
  const double product = static_cast<double>(size) * factor;
  if (product < 0)
    return static_cast<uint64_t>(static_cast<int64_t>(std::max(product, -9e18))) + 11;
  return product >= 1.8e19 ? UINT64_MAX : static_cast<uint64_t>(product) + 11;
}
uint64_t ResultList(Arena&, Args, const Val& result) { return NewList(1, SizeOf(result)); }
uint64_t Flatten(Arena&, Args args, const Val&) {
  const double depth =
      args.size() == 2 && args[1].kind() == Kind::kInt ? static_cast<double>(args[1].AsInt()) : 1;
  return NewList(depth, SizeOf(args[0]));
}
uint64_t SelfCompare(Arena& arena, const Val& list) {
  if (list.kind() != Kind::kList) return 1;
  const uint64_t size = SizeOf(list);
  if (size == 0) return NewList(2, 0);
  const Kind first = ListAt(arena, list, 0).kind();
  return NewList(first == Kind::kString || first == Kind::kBytes ? 2.1 : 2, size * size);
}
uint64_t CompareFirst(Arena& arena, Args args, const Val&) { return SelfCompare(arena, args[0]); }
uint64_t CompareSecond(Arena& arena, Args args, const Val&) { return SelfCompare(arena, args[1]); }
uint64_t SetPair(Arena&, Args args, const Val&) { return SizeOf(args[0]) * SizeOf(args[1]) + 1; }
uint64_t SetPairTwice(Arena&, Args args, const Val&) {
  return 2 * SizeOf(args[0]) * SizeOf(args[1]) + 1;
}

struct Rule {
  std::string_view name;
  CallCost cost;
};

// By overload; these come first.
constexpr std::array kByOverload = std::to_array<Rule>({
    {"list_slice", ResultList},
    {"list_flatten", Flatten},
    {"list_flatten_int", Flatten},
    {"lists_range", ResultList},
    {"list_reverse", ResultList},
    {"list_distinct", CompareFirst},
    {"list_sets_contains_list", SetPair},
    {"list_sets_intersects_list", SetPair},
    {"list_sets_equivalent_list", SetPairTwice},
});

// By function: Kubernetes' rules.
constexpr std::array kByFunction = std::to_array<Rule>({
    {"check", Check},
    {"serviceAccount", One},
    {"path", One},
    {"group", One},
    {"resource", One},
    {"subresource", One},
    {"namespace", One},
    {"name", One},
    {"allowed", One},
    {"reason", One},
    {"error", One},
    {"errored", One},
    {"fieldSelector", Selector},
    {"labelSelector", Selector},
    {"isSorted", FirstTraversal},
    {"sum", FirstTraversal},
    {"max", FirstTraversal},
    {"min", FirstTraversal},
    {"indexOf", FirstTraversal},
    {"lastIndexOf", FirstTraversal},
    {"url", FirstText},
    {"lowerAscii", FirstText},
    {"upperAscii", FirstText},
    {"substring", FirstText},
    {"trim", FirstText},
    {"jsonpatch.escapeKey", FirstText},
    {"replace", FirstTextTwice},
    {"split", FirstTextTwice},
    {"join", Joined},
    {"find", Find},
    {"findAll", Find},
    {"cidr", FirstText},
    {"isIP", FirstText},
    {"isCIDR", FirstText},
    {"ip.isCanonical", FirstTextTwice},
    {"quantity", FirstText},
    {"isQuantity", FirstText},
    {"semver", FirstText},
    {"isSemver", FirstText},
    {"validate", Validate},
});

// By overload: cel-go's rules.
constexpr std::array kStandard = std::to_array<Rule>({
    {"starts_with_string", FirstSize},
    {"ends_with_string", FirstSize},
    {"string_to_bytes", FirstSize},
    {"bytes_to_string", FirstSize},
    {"strings_quote", FirstSize},
    {"string_format", FirstSize},
    {"in_list", InList},
    {"less_string", Ordered},
    {"greater_string", Ordered},
    {"less_equals_string", Ordered},
    {"greater_equals_string", Ordered},
    {"less_bytes", Ordered},
    {"greater_bytes", Ordered},
    {"less_equals_bytes", Ordered},
    {"greater_equals_bytes", Ordered},
    {"add_string", Concatenated},
    {"add_bytes", Concatenated},
    {"matches_string", Matches},
    {"contains_string", Contains},
});

template <size_t N>
CallCost Look(const std::array<Rule, N>& rules, std::string_view name) {
  const auto found = std::ranges::find(rules, name, &Rule::name);
  return found == rules.end() ? nullptr : found->cost;
}

}  // namespace

CallCost CallCostOf(std::string_view function, std::string_view overload) {
  if (const CallCost cost = Look(kByOverload, overload)) return cost;
  if (overload.ends_with("_sortByAssociatedKeys")) return CompareSecond;
  if (overload.starts_with("list_") && overload.ends_with("_sort")) return CompareFirst;
  if (function == "ip") return overload == "cidr_ip" ? One : FirstText;
  if (function == "containsIP") {
    return overload == "cidr_contains_ip_string" ? ContainsIpText : ContainsIpCost;
  }
  if (function == "containsCIDR") {
    return overload == "cidr_contains_cidr_string" ? ContainsCidrText : ContainsCidrCost;
  }
  if (const CallCost cost = Look(kByFunction, function)) return cost;
  return Look(kStandard, overload);
}

uint64_t EqualCost(const Val& a, const Val& b) {
  if (a.kind() == Kind::kOpaque) return 1;
  return Times(std::min(SizeOf(a), SizeOf(b)), kString);
}

}  // namespace skiff::cel
