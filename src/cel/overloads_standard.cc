#include "cel/overloads_standard.h"

#include <array>
#include <cmath>

#include "base/utf8.h"
#include "cel/functions.h"
#include "cel/values/ip.h"
#include "cel/values/numbers.h"
#include "cel/values/time.h"

namespace skiff::cel {
namespace {

ZonedTime Zoned(const Val& time) { return {time.AsTime(), time.time_offset()}; }
Val TimeOf(const ZonedTime& time) { return Val::Time(time.at, time.offset_seconds); }

Val IntOr(Evaluation& e, const Result<int64_t>& value) {
  return value ? Val::Int(*value) : ErrorOf(e, value);
}
Val UintOr(Evaluation& e, const Result<uint64_t>& value) {
  return value ? Val::Uint(*value) : ErrorOf(e, value);
}
Val DurationOr(Evaluation& e, const Result<int64_t>& value) {
  return value ? Val::Duration(*value) : ErrorOf(e, value);
}
Val TimeOr(Evaluation& e, const Result<ZonedTime>& value) {
  return value ? TimeOf(*value) : ErrorOf(e, value);
}

// ---- Arithmetic.

bool Adds(const Val& v) {
  switch (v.kind()) {
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kTimestamp:
    case Kind::kDuration:
    case Kind::kList:
      return true;
    default:
      return false;
  }
}
bool IsNumeric(const Val& v) {
  return v.kind() == Kind::kInt || v.kind() == Kind::kUint || v.kind() == Kind::kDouble;
}
bool Subtracts(const Val& v) {
  return IsNumeric(v) || v.kind() == Kind::kTimestamp || v.kind() == Kind::kDuration;
}
bool TakesModulo(const Val& v) { return v.kind() == Kind::kInt || v.kind() == Kind::kUint; }
bool Negates(const Val& v) {
  return v.kind() == Kind::kInt || v.kind() == Kind::kDouble || v.kind() == Kind::kBool ||
         v.kind() == Kind::kDuration;
}
bool HasSize(const Val& v) {
  return v.kind() == Kind::kString || v.kind() == Kind::kBytes || v.kind() == Kind::kList ||
         v.kind() == Kind::kMap;
}
bool IsText(const Val& v) { return v.is_string(); }

std::string_view Concatenate(Arena& arena, std::string_view a, std::string_view b) {
  char* out = arena.AllocateChars(a.size() + b.size());
  std::copy(a.begin(), a.end(), out);
  std::copy(b.begin(), b.end(), out + a.size());
  return {out, a.size() + b.size()};
}

Val PlusOp(Evaluation& e, Args args) {
  const Val& a = args[0];
  const Val& b = args[1];
  if (a.kind() == Kind::kTimestamp && b.kind() == Kind::kDuration) {
    return TimeOr(e, AddDuration(Zoned(a), b.AsInt()));
  }
  if (a.kind() == Kind::kDuration && b.kind() == Kind::kTimestamp) {
    return TimeOr(e, AddDuration(Zoned(b), a.AsInt()));
  }
  if (a.kind() != b.kind()) return NoSuchOverload();
  switch (a.kind()) {
    case Kind::kInt:
      return IntOr(e, Add(a.AsInt(), b.AsInt()));
    case Kind::kUint:
      return UintOr(e, Add(a.AsUint(), b.AsUint()));
    case Kind::kDouble:
      return Val::Double(a.AsDouble() + b.AsDouble());
    case Kind::kString:
      return Val::String(Concatenate(e.arena(), a.AsText(), b.AsText()));
    case Kind::kBytes:
      return Val::Bytes(Concatenate(e.arena(), a.AsText(), b.AsText()));
    case Kind::kDuration:
      return DurationOr(e, AddDurations(a.AsInt(), b.AsInt()));
    case Kind::kList:
      return AddLists(e.arena(), a, b);
    default:
      return NoSuchOverload();
  }
}

Val MinusOp(Evaluation& e, Args args) {
  const Val& a = args[0];
  const Val& b = args[1];
  if (a.kind() == Kind::kTimestamp && b.kind() == Kind::kDuration) {
    return TimeOr(e, SubtractDuration(Zoned(a), b.AsInt()));
  }
  if (a.kind() != b.kind()) return NoSuchOverload();
  switch (a.kind()) {
    case Kind::kInt:
      return IntOr(e, Subtract(a.AsInt(), b.AsInt()));
    case Kind::kUint:
      return UintOr(e, Subtract(a.AsUint(), b.AsUint()));
    case Kind::kDouble:
      return Val::Double(a.AsDouble() - b.AsDouble());
    case Kind::kDuration:
      return DurationOr(e, SubtractDurations(a.AsInt(), b.AsInt()));
    case Kind::kTimestamp:
      return DurationOr(e, SubtractTimestamps(Zoned(a), Zoned(b)));
    default:
      return NoSuchOverload();
  }
}

Val TimesOp(Evaluation& e, Args args) {
  const Val& a = args[0];
  const Val& b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload();
  switch (a.kind()) {
    case Kind::kInt:
      return IntOr(e, Multiply(a.AsInt(), b.AsInt()));
    case Kind::kUint:
      return UintOr(e, Multiply(a.AsUint(), b.AsUint()));
    default:
      return Val::Double(a.AsDouble() * b.AsDouble());
  }
}

Val DivideOp(Evaluation& e, Args args) {
  const Val& a = args[0];
  const Val& b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload();
  switch (a.kind()) {
    case Kind::kInt:
      return IntOr(e, Divide(a.AsInt(), b.AsInt()));
    case Kind::kUint:
      return UintOr(e, Divide(a.AsUint(), b.AsUint()));
    default:
      return Val::Double(a.AsDouble() / b.AsDouble());
  }
}

Val ModuloOp(Evaluation& e, Args args) {
  const Val& a = args[0];
  const Val& b = args[1];
  if (a.kind() != b.kind()) return NoSuchOverload();
  return a.kind() == Kind::kInt ? IntOr(e, Modulo(a.AsInt(), b.AsInt()))
                                : UintOr(e, Modulo(a.AsUint(), b.AsUint()));
}

Val NegateOp(Evaluation& e, Args args) {
  if (args[0].kind() == Kind::kInt) return IntOr(e, Negate(args[0].AsInt()));
  if (args[0].kind() == Kind::kDouble) return Val::Double(-args[0].AsDouble());
  if (args[0].kind() == Kind::kDuration) return DurationOr(e, Negate(args[0].AsInt()));
  return NoSuchOverload();
}

Val NotOp(Evaluation&, Args args) {
  return args[0].is_bool() ? Val::Bool(!args[0].AsBool()) : NoSuchOverload();
}

template <typename Holds>
Val Ordered(Args args, Holds holds) {
  bool nan = false;
  const std::optional<int> order = Compare(args[0], args[1], &nan);
  if (order) return Val::Bool(holds(*order));
  return nan ? Val::ErrorLiteral(kNanOrdered) : NoSuchOverload();
}
Val LessOp(Evaluation&, Args args) {
  return Ordered(args, [](int o) { return o < 0; });
}
Val LessEqualOp(Evaluation&, Args args) {
  return Ordered(args, [](int o) { return o <= 0; });
}
Val GreaterOp(Evaluation&, Args args) {
  return Ordered(args, [](int o) { return o > 0; });
}
Val GreaterEqualOp(Evaluation&, Args args) {
  return Ordered(args, [](int o) { return o >= 0; });
}

Val InOp(Evaluation& e, Args args) {
  const Val& container = args[1];
  if (container.kind() == Kind::kList) return ListContains(e.arena(), container, args[0]);
  if (container.kind() == Kind::kMap) {
    const Val found = MapFind(e.arena(), container, args[0]);
    return found.is_error() ? found : Val::Bool(found.kind() != Kind::kUnset);
  }
  return NoSuchOverload();
}

Val SizeOp(Evaluation&, Args args) { return Val::Int(static_cast<int64_t>(SizeOf(args[0]))); }

// ---- Text.

Val ContainsText(Evaluation&, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return NoSuchOverload();
  return Val::Bool(args[0].AsText().find(args[1].AsText()) != std::string_view::npos);
}
Val StartsWith(Evaluation&, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return NoSuchOverload();
  return Val::Bool(args[0].AsText().starts_with(args[1].AsText()));
}
Val EndsWith(Evaluation&, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return NoSuchOverload();
  return Val::Bool(args[0].AsText().ends_with(args[1].AsText()));
}
Val MatchesText(Evaluation& e, Args args) {
  if (!args[1].is_string()) return NoSuchOverload();
  const Result<Regex> regex = Regex::Compile(args[1].AsText());
  return regex ? Val::Bool(regex->Matches(args[0].AsText())) : ErrorOf(e, regex);
}

// ---- Conversions.

Val Same(Evaluation&, Args args) { return args[0]; }
Val TypeOfValue(Evaluation&, Args args) { return Val::OfType(RuntimeType(args[0])); }

Val BoolFromString(Evaluation& e, Args args) {
  const Result<bool> value = BoolFromText(args[0].AsText());
  return value ? Val::Bool(*value) : ErrorOf(e, value);
}
Val BytesFromString(Evaluation&, Args args) { return Val::Bytes(args[0].AsText()); }
Val StringFromBytes(Evaluation&, Args args) {
  if (!IsValidUtf8(args[0].AsText())) {
    return Val::ErrorLiteral("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Val::String(args[0].AsText());
}
Val DoubleFromInt(Evaluation&, Args args) {
  return Val::Double(static_cast<double>(args[0].AsInt()));
}
Val DoubleFromUint(Evaluation&, Args args) {
  return Val::Double(static_cast<double>(args[0].AsUint()));
}
Val DoubleFromString(Evaluation& e, Args args) {
  const Result<double> value = DoubleFromText(args[0].AsText());
  return value ? Val::Double(*value) : ErrorOf(e, value);
}
Val DurationFromInt(Evaluation&, Args) {
  return Val::ErrorLiteral("type conversion error from 'int' to 'google.protobuf.Duration'");
}
Val DurationFromString(Evaluation& e, Args args) {
  return DurationOr(e, DurationFromText(args[0].AsText()));
}
Val IntFromDouble(Evaluation& e, Args args) { return IntOr(e, IntFrom(args[0].AsDouble())); }
Val IntFromDuration(Evaluation&, Args args) { return Val::Int(args[0].AsInt()); }
Val IntFromString(Evaluation& e, Args args) { return IntOr(e, IntFromText(args[0].AsText())); }
Val IntFromTime(Evaluation&, Args args) { return Val::Int(args[0].AsTime().seconds); }
Val IntFromUint(Evaluation& e, Args args) { return IntOr(e, IntFrom(args[0].AsUint())); }
Val UintFromDouble(Evaluation& e, Args args) { return UintOr(e, UintFrom(args[0].AsDouble())); }
Val UintFromInt(Evaluation& e, Args args) { return UintOr(e, UintFrom(args[0].AsInt())); }
Val UintFromString(Evaluation& e, Args args) { return UintOr(e, UintFromText(args[0].AsText())); }
Val TimeFromInt(Evaluation& e, Args args) {
  return TimeOr(e, TimestampFromSeconds(args[0].AsInt()));
}
Val TimeFromString(Evaluation& e, Args args) {
  return TimeOr(e, TimestampFromText(args[0].AsText()));
}
Val StringFromBool(Evaluation&, Args args) {
  return Val::String(args[0].AsBool() ? "true" : "false");
}
Val StringFromDouble(Evaluation& e, Args args) { return e.String(Text(args[0].AsDouble())); }
Val StringFromInt(Evaluation& e, Args args) { return e.String(Text(args[0].AsInt())); }
Val StringFromUint(Evaluation& e, Args args) { return e.String(Text(args[0].AsUint())); }
Val StringFromDuration(Evaluation& e, Args args) { return e.String(DurationText(args[0].AsInt())); }
Val StringFromTime(Evaluation& e, Args args) { return e.String(Text(Zoned(args[0]))); }
Val StringFromOpaque(Evaluation& e, Args args) { return e.String(OpaqueText(*args[0].AsOpaque())); }

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"_?_:_", "conditional", "(bool, <A>, <A>) -> <A>"},
    {"_&&_", "logical_and", "(bool, bool) -> bool"},
    {"_||_", "logical_or", "(bool, bool) -> bool"},
    {"!_", "logical_not", "(bool) -> bool"},
    {"@not_strictly_false", "not_strictly_false", "(bool) -> bool"},
    {"_==_", "equals", "(<A>, <A>) -> bool"},
    {"_!=_", "not_equals", "(<A>, <A>) -> bool"},
    {"_+_", "add_bytes", "(bytes, bytes) -> bytes"},
    {"_+_", "add_double", "(double, double) -> double"},
    {"_+_", "add_duration_duration", "(duration, duration) -> duration"},
    {"_+_", "add_duration_timestamp", "(duration, timestamp) -> timestamp"},
    {"_+_", "add_timestamp_duration", "(timestamp, duration) -> timestamp"},
    {"_+_", "add_int64", "(int, int) -> int"},
    {"_+_", "add_list", "(list(<A>), list(<A>)) -> list(<A>)"},
    {"_+_", "add_string", "(string, string) -> string"},
    {"_+_", "add_uint64", "(uint, uint) -> uint"},
    {"_/_", "divide_double", "(double, double) -> double"},
    {"_/_", "divide_int64", "(int, int) -> int"},
    {"_/_", "divide_uint64", "(uint, uint) -> uint"},
    {"_%_", "modulo_int64", "(int, int) -> int"},
    {"_%_", "modulo_uint64", "(uint, uint) -> uint"},
    {"_*_", "multiply_double", "(double, double) -> double"},
    {"_*_", "multiply_int64", "(int, int) -> int"},
    {"_*_", "multiply_uint64", "(uint, uint) -> uint"},
    {"-_", "negate_double", "(double) -> double"},
    {"-_", "negate_int64", "(int) -> int"},
    {"_-_", "subtract_double", "(double, double) -> double"},
    {"_-_", "subtract_duration_duration", "(duration, duration) -> duration"},
    {"_-_", "subtract_int64", "(int, int) -> int"},
    {"_-_", "subtract_timestamp_duration", "(timestamp, duration) -> timestamp"},
    {"_-_", "subtract_timestamp_timestamp", "(timestamp, timestamp) -> duration"},
    {"_-_", "subtract_uint64", "(uint, uint) -> uint"},
    {"_<_", "less_bool", "(bool, bool) -> bool"},
    {"_<_", "less_int64", "(int, int) -> bool"},
    {"_<_", "less_int64_double", "(int, double) -> bool"},
    {"_<_", "less_int64_uint64", "(int, uint) -> bool"},
    {"_<_", "less_uint64", "(uint, uint) -> bool"},
    {"_<_", "less_uint64_double", "(uint, double) -> bool"},
    {"_<_", "less_uint64_int64", "(uint, int) -> bool"},
    {"_<_", "less_double", "(double, double) -> bool"},
    {"_<_", "less_double_int64", "(double, int) -> bool"},
    {"_<_", "less_double_uint64", "(double, uint) -> bool"},
    {"_<_", "less_string", "(string, string) -> bool"},
    {"_<_", "less_bytes", "(bytes, bytes) -> bool"},
    {"_<_", "less_timestamp", "(timestamp, timestamp) -> bool"},
    {"_<_", "less_duration", "(duration, duration) -> bool"},
    {"_<=_", "less_equals_bool", "(bool, bool) -> bool"},
    {"_<=_", "less_equals_int64", "(int, int) -> bool"},
    {"_<=_", "less_equals_int64_double", "(int, double) -> bool"},
    {"_<=_", "less_equals_int64_uint64", "(int, uint) -> bool"},
    {"_<=_", "less_equals_uint64", "(uint, uint) -> bool"},
    {"_<=_", "less_equals_uint64_double", "(uint, double) -> bool"},
    {"_<=_", "less_equals_uint64_int64", "(uint, int) -> bool"},
    {"_<=_", "less_equals_double", "(double, double) -> bool"},
    {"_<=_", "less_equals_double_int64", "(double, int) -> bool"},
    {"_<=_", "less_equals_double_uint64", "(double, uint) -> bool"},
    {"_<=_", "less_equals_string", "(string, string) -> bool"},
    {"_<=_", "less_equals_bytes", "(bytes, bytes) -> bool"},
    {"_<=_", "less_equals_timestamp", "(timestamp, timestamp) -> bool"},
    {"_<=_", "less_equals_duration", "(duration, duration) -> bool"},
    {"_>_", "greater_bool", "(bool, bool) -> bool"},
    {"_>_", "greater_int64", "(int, int) -> bool"},
    {"_>_", "greater_int64_double", "(int, double) -> bool"},
    {"_>_", "greater_int64_uint64", "(int, uint) -> bool"},
    {"_>_", "greater_uint64", "(uint, uint) -> bool"},
    {"_>_", "greater_uint64_double", "(uint, double) -> bool"},
    {"_>_", "greater_uint64_int64", "(uint, int) -> bool"},
    {"_>_", "greater_double", "(double, double) -> bool"},
    {"_>_", "greater_double_int64", "(double, int) -> bool"},
    {"_>_", "greater_double_uint64", "(double, uint) -> bool"},
    {"_>_", "greater_string", "(string, string) -> bool"},
    {"_>_", "greater_bytes", "(bytes, bytes) -> bool"},
    {"_>_", "greater_timestamp", "(timestamp, timestamp) -> bool"},
    {"_>_", "greater_duration", "(duration, duration) -> bool"},
    {"_>=_", "greater_equals_bool", "(bool, bool) -> bool"},
    {"_>=_", "greater_equals_int64", "(int, int) -> bool"},
    {"_>=_", "greater_equals_int64_double", "(int, double) -> bool"},
    {"_>=_", "greater_equals_int64_uint64", "(int, uint) -> bool"},
    {"_>=_", "greater_equals_uint64", "(uint, uint) -> bool"},
    {"_>=_", "greater_equals_uint64_double", "(uint, double) -> bool"},
    {"_>=_", "greater_equals_uint64_int64", "(uint, int) -> bool"},
    {"_>=_", "greater_equals_double", "(double, double) -> bool"},
    {"_>=_", "greater_equals_double_int64", "(double, int) -> bool"},
    {"_>=_", "greater_equals_double_uint64", "(double, uint) -> bool"},
    {"_>=_", "greater_equals_string", "(string, string) -> bool"},
    {"_>=_", "greater_equals_bytes", "(bytes, bytes) -> bool"},
    {"_>=_", "greater_equals_timestamp", "(timestamp, timestamp) -> bool"},
    {"_>=_", "greater_equals_duration", "(duration, duration) -> bool"},
    {"_[_]", "index_list", "(list(<A>), int) -> <A>"},
    {"_[_]", "index_map", "(map(<A>, <B>), <A>) -> <B>"},
    {"@in", "in_list", "(<A>, list(<A>)) -> bool"},
    {"@in", "in_map", "(<A>, map(<A>, <B>)) -> bool"},
    {"size", "size_bytes", "(bytes) -> int"},
    {"size", "bytes_size", "bytes.() -> int"},
    {"size", "size_list", "(list(<A>)) -> int"},
    {"size", "list_size", "list(<A>).() -> int"},
    {"size", "size_map", "(map(<A>, <B>)) -> int"},
    {"size", "map_size", "map(<A>, <B>).() -> int"},
    {"size", "size_string", "(string) -> int"},
    {"size", "string_size", "string.() -> int"},
    {"type", "type", "(<A>) -> type(<A>)", TypeOfValue},
    {"dyn", "to_dyn", "(<A>) -> dyn", Same},
    {"bool", "bool_to_bool", "(bool) -> bool", Same},
    {"bool", "string_to_bool", "(string) -> bool", BoolFromString},
    {"bytes", "bytes_to_bytes", "(bytes) -> bytes", Same},
    {"bytes", "string_to_bytes", "(string) -> bytes", BytesFromString},
    {"double", "double_to_double", "(double) -> double", Same},
    {"double", "int64_to_double", "(int) -> double", DoubleFromInt},
    {"double", "string_to_double", "(string) -> double", DoubleFromString},
    {"double", "uint64_to_double", "(uint) -> double", DoubleFromUint},
    {"duration", "duration_to_duration", "(duration) -> duration", Same},
    {"duration", "int64_to_duration", "(int) -> duration", DurationFromInt},
    {"duration", "string_to_duration", "(string) -> duration", DurationFromString},
    {"int", "int64_to_int64", "(int) -> int", Same},
    {"int", "double_to_int64", "(double) -> int", IntFromDouble},
    {"int", "duration_to_int64", "(duration) -> int", IntFromDuration},
    {"int", "string_to_int64", "(string) -> int", IntFromString},
    {"int", "timestamp_to_int64", "(timestamp) -> int", IntFromTime},
    {"int", "uint64_to_int64", "(uint) -> int", IntFromUint},
    {"string", "string_to_string", "(string) -> string", Same},
    {"string", "bool_to_string", "(bool) -> string", StringFromBool},
    {"string", "bytes_to_string", "(bytes) -> string", StringFromBytes},
    {"string", "double_to_string", "(double) -> string", StringFromDouble},
    {"string", "duration_to_string", "(duration) -> string", StringFromDuration},
    {"string", "int64_to_string", "(int) -> string", StringFromInt},
    {"string", "timestamp_to_string", "(timestamp) -> string", StringFromTime},
    {"string", "uint64_to_string", "(uint) -> string", StringFromUint},
    {"string", "ip_to_string", "(net.IP) -> string", StringFromOpaque},
    {"string", "cidr_to_string", "(net.CIDR) -> string", StringFromOpaque},
    {"timestamp", "timestamp_to_timestamp", "(timestamp) -> timestamp", Same},
    {"timestamp", "int64_to_timestamp", "(int) -> timestamp", TimeFromInt},
    {"timestamp", "string_to_timestamp", "(string) -> timestamp", TimeFromString},
    {"uint", "uint64_to_uint64", "(uint) -> uint", Same},
    {"uint", "double_to_uint64", "(double) -> uint", UintFromDouble},
    {"uint", "int64_to_uint64", "(int) -> uint", UintFromInt},
    {"uint", "string_to_uint64", "(string) -> uint", UintFromString},
    {"contains", "contains_string", "string.(string) -> bool"},
    {"endsWith", "ends_with_string", "string.(string) -> bool"},
    {"startsWith", "starts_with_string", "string.(string) -> bool"},
    {"matches", "matches", "(string, string) -> bool"},
    {"matches", "matches_string", "string.(string) -> bool"},
});

constexpr std::array kShared = std::to_array<SharedImpl>({
    {"!_", NotOp, nullptr},
    {"_+_", PlusOp, Adds},
    {"_-_", MinusOp, Subtracts},
    {"_*_", TimesOp, IsNumeric},
    {"_/_", DivideOp, IsNumeric},
    {"_%_", ModuloOp, TakesModulo},
    {"-_", NegateOp, Negates},
    {"_<_", LessOp, HasOrder},
    {"_<=_", LessEqualOp, HasOrder},
    {"_>_", GreaterOp, HasOrder},
    {"_>=_", GreaterEqualOp, HasOrder},
    {"@in", InOp, nullptr},
    {"size", SizeOp, HasSize},
    {"contains", ContainsText, nullptr},
    {"startsWith", StartsWith, nullptr},
    {"endsWith", EndsWith, nullptr},
    {"matches", MatchesText, IsText},
});

}  // namespace

std::span<const OverloadRow> StandardFunctions() { return kRows; }
std::span<const SharedImpl> StandardImplementations() { return kShared; }

}  // namespace skiff::cel
