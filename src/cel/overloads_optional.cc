#include "cel/overloads_optional.h"

#include <array>

#include "cel/functions.h"

namespace skiff::cel {
namespace {

Val Of(Evaluation& e, Args args) { return Val::OptionalOf(e.arena(), args[0]); }
Val OfNonZero(Evaluation& e, Args args) {
  return IsZeroValue(args[0]) ? Val::OptionalNone() : Val::OptionalOf(e.arena(), args[0]);
}
Val None(Evaluation&, Args) { return Val::OptionalNone(); }
Val ValueOf(Evaluation&, Args args) {
  const Val* value = args[0].AsOptional();
  return value == nullptr ? Val::ErrorLiteral("optional.none() dereference") : *value;
}
Val HasValue(Evaluation&, Args args) { return Val::Bool(args[0].AsOptional() != nullptr); }

Val Unwrap(Evaluation& e, Args args) {
  ListBuilder out(e.arena());
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    const Val item = ListAt(e.arena(), args[0], i);
    if (item.kind() != Kind::kOptional) {
      return e.Error("value " + GoText(e.arena(), item) + " is not optional");
    }
    if (item.AsOptional() != nullptr) out.Add(*item.AsOptional());
  }
  return out.Done();
}

Val First(Evaluation& e, Args args) {
  if (ListSize(args[0]) == 0) return Val::OptionalNone();
  return Val::OptionalOf(e.arena(), ListAt(e.arena(), args[0], 0));
}
Val Last(Evaluation& e, Args args) {
  const size_t size = ListSize(args[0]);
  if (size == 0) return Val::OptionalNone();
  return Val::OptionalOf(e.arena(), ListAt(e.arena(), args[0], size - 1));
}

Val Insert(Evaluation& e, const Val& map, const Val& key, const Val& value) {
  const Val result = MapInsert(e.arena(), map, key, value);
  if (result.kind() != Kind::kUnset) return result;
  return e.Error("insert failed: key " + GoText(e.arena(), key) + " already exists");
}
Val InsertEntry(Evaluation& e, Args args) { return Insert(e, args[0], args[1], args[2]); }
Val InsertMap(Evaluation& e, Args args) {
  Val map = args[0];
  for (size_t i = 0; i < MapSize(args[1]); ++i) {
    const MapItem item = MapAt(e.arena(), args[1], i);
    map = Insert(e, map, item.key, item.value);
    if (map.is_error()) break;
  }
  return map;
}

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"optional.of", "optional_of", "(<V>) -> optional_type(<V>)", Of},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(<V>) -> optional_type(<V>)",
     OfNonZero},
    {"optional.none", "optional_none", "() -> optional_type(<V>)", None},
    {"value", "optional_value", "optional_type(<V>).() -> <V>", ValueOf},
    {"hasValue", "optional_hasValue", "optional_type(<V>).() -> bool", HasValue},
    {"or", "optional_or_optional", "optional_type(<V>).(optional_type(<V>)) -> optional_type(<V>)"},
    {"orValue", "optional_orValue_value", "optional_type(<V>).(<V>) -> <V>"},
    {"_?._", "select_optional_field", "(dyn, string) -> optional_type(<V>)"},
    {"_[?_]", "list_optindex_optional_int", "(list(<V>), int) -> optional_type(<V>)"},
    {"_[?_]", "optional_list_optindex_optional_int",
     "(optional_type(list(<V>)), int) -> optional_type(<V>)"},
    {"_[?_]", "map_optindex_optional_value", "(map(<K>, <V>), <K>) -> optional_type(<V>)"},
    {"_[?_]", "optional_map_optindex_optional_value",
     "(optional_type(map(<K>, <V>)), <K>) -> optional_type(<V>)"},
    {"_[_]", "optional_list_index_int", "(optional_type(list(<V>)), int) -> optional_type(<V>)"},
    {"_[_]", "optional_map_index_value",
     "(optional_type(map(<K>, <V>)), <K>) -> optional_type(<V>)"},
    {"first", "list_first", "list(<V>).() -> optional_type(<V>)", First},
    {"last", "list_last", "list(<V>).() -> optional_type(<V>)", Last},
    {"optional.unwrap", "optional_unwrap", "(list(optional_type(<V>))) -> list(<V>)", Unwrap},
    {"unwrapOpt", "optional_unwrapOpt", "list(optional_type(<V>)).() -> list(<V>)", Unwrap},
    {"cel.@mapInsert", "@mapInsert_map_key_value", "(map(<K>, <V>), <K>, <V>) -> map(<K>, <V>)",
     InsertEntry},
    {"cel.@mapInsert", "@mapInsert_map_map", "(map(<K>, <V>), map(<K>, <V>)) -> map(<K>, <V>)",
     InsertMap},
});

}  // namespace

std::span<const OverloadRow> OptionalFunctions() { return kRows; }

}  // namespace skiff::cel
