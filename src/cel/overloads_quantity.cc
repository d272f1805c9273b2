#include "cel/overloads_quantity.h"

#include <array>

#include "cel/functions.h"
#include "cel/values/quantity.h"
#include "cel/values/semver.h"

namespace skiff::cel {
namespace {

const object::Quantity& Of(const Val& value) { return OpaqueValue<object::Quantity>(value); }
const Semver& VersionOf(const Val& value) { return OpaqueValue<Semver>(value); }
Val Make(Evaluation& e, object::Quantity quantity) {
  return e.MakeOpaque(types::kQuantity, OpaqueKind::kQuantity, std::move(quantity));
}

Val ToQuantity(Evaluation& e, Args args) {
  Result<object::Quantity> quantity = QuantityFromText(args[0].AsText());
  return quantity ? Make(e, std::move(*quantity)) : ErrorOf(e, quantity);
}
Val IsQuantity(Evaluation&, Args args) {
  return Val::Bool(QuantityFromText(args[0].AsText()).has_value());
}
Val Sign(Evaluation&, Args args) { return Val::Int(Of(args[0]).Sign()); }
Val AsInt(Evaluation& e, Args args) {
  const Result<int64_t> value = AsInteger(Of(args[0]));
  return value ? Val::Int(*value) : ErrorOf(e, value);
}
Val IsInt(Evaluation&, Args args) { return Val::Bool(IsInteger(Of(args[0]))); }
Val AsFloat(Evaluation&, Args args) { return Val::Double(Of(args[0]).AsApproximateDouble()); }
Val Greater(Evaluation&, Args args) { return Val::Bool(Of(args[0]).Compare(Of(args[1])) > 0); }
Val Less(Evaluation&, Args args) { return Val::Bool(Of(args[0]).Compare(Of(args[1])) < 0); }
Val CompareTo(Evaluation&, Args args) {
  const int order = Of(args[0]).Compare(Of(args[1]));
  return Val::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}
Val AddTo(Evaluation& e, Args args) { return Make(e, Sum(Of(args[0]), Of(args[1]))); }
Val AddInt(Evaluation& e, Args args) { return Make(e, Sum(Of(args[0]), args[1].AsInt())); }
Val SubFrom(Evaluation& e, Args args) { return Make(e, Difference(Of(args[0]), Of(args[1]))); }
Val SubInt(Evaluation& e, Args args) { return Make(e, Difference(Of(args[0]), args[1].AsInt())); }

Val ToVersion(Evaluation& e, std::string_view text, bool normalize) {
  Result<Semver> version = SemverFromText(text, normalize);
  return version ? e.MakeOpaque(types::kSemver, OpaqueKind::kSemver, std::move(*version))
                 : ErrorOf(e, version);
}
Val ToSemver(Evaluation& e, Args args) { return ToVersion(e, args[0].AsText(), false); }
Val ToSemverNormal(Evaluation& e, Args args) {
  return ToVersion(e, args[0].AsText(), args[1].AsBool());
}
Val IsSemver(Evaluation&, Args args) {
  return Val::Bool(SemverFromText(args[0].AsText()).has_value());
}
Val IsSemverNormal(Evaluation&, Args args) {
  return Val::Bool(SemverFromText(args[0].AsText(), args[1].AsBool()).has_value());
}
int Order(Args args) { return Compare(VersionOf(args[0]), VersionOf(args[1])); }
Val VersionGreater(Evaluation&, Args args) { return Val::Bool(Order(args) > 0); }
Val VersionLess(Evaluation&, Args args) { return Val::Bool(Order(args) < 0); }
Val VersionCompare(Evaluation&, Args args) { return Val::Int(Order(args)); }
Val Number(uint64_t part) { return Val::Int(static_cast<int64_t>(part)); }
Val Major(Evaluation&, Args args) { return Number(VersionOf(args[0]).major); }
Val Minor(Evaluation&, Args args) { return Number(VersionOf(args[0]).minor); }
Val Patch(Evaluation&, Args args) { return Number(VersionOf(args[0]).patch); }

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"quantity", "string_to_quantity", "(string) -> kubernetes.Quantity", ToQuantity},
    {"isQuantity", "is_quantity_string", "(string) -> bool", IsQuantity},
    {"sign", "quantity_sign", "(kubernetes.Quantity) -> int", Sign},
    {"asInteger", "quantity_get_int", "kubernetes.Quantity.() -> int", AsInt},
    {"isInteger", "quantity_is_integer", "kubernetes.Quantity.() -> bool", IsInt},
    {"asApproximateFloat", "quantity_get_float", "kubernetes.Quantity.() -> double", AsFloat},
    {"isGreaterThan", "quantity_is_greater_than",
     "kubernetes.Quantity.(kubernetes.Quantity) -> bool", Greater},
    {"isLessThan", "quantity_is_less_than", "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
     Less},
    {"compareTo", "quantity_compare_to", "kubernetes.Quantity.(kubernetes.Quantity) -> int",
     CompareTo},
    {"add", "quantity_add", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
     AddTo},
    {"add", "quantity_add_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity", AddInt},
    {"sub", "quantity_sub", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
     SubFrom},
    {"sub", "quantity_sub_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity", SubInt},
    {"semver", "string_to_semver", "(string) -> kubernetes.Semver", ToSemver},
    {"semver", "string_bool_to_semver", "(string, bool) -> kubernetes.Semver", ToSemverNormal},
    {"isSemver", "is_semver_string", "(string) -> bool", IsSemver},
    {"isSemver", "is_semver_string_bool", "(string, bool) -> bool", IsSemverNormal},
    {"isGreaterThan", "semver_is_greater_than", "kubernetes.Semver.(kubernetes.Semver) -> bool",
     VersionGreater},
    {"isLessThan", "semver_is_less_than", "kubernetes.Semver.(kubernetes.Semver) -> bool",
     VersionLess},
    {"compareTo", "semver_compare_to", "kubernetes.Semver.(kubernetes.Semver) -> int",
     VersionCompare},
    {"major", "semver_major", "kubernetes.Semver.() -> int", Major},
    {"minor", "semver_minor", "kubernetes.Semver.() -> int", Minor},
    {"patch", "semver_patch", "kubernetes.Semver.() -> int", Patch},
});

}  // namespace

std::span<const OverloadRow> QuantityFunctions() { return kRows; }

}  // namespace skiff::cel
