#include "cel/protobuf_types.h"

#include <array>

#include "cel/functions.h"

namespace skiff::cel {
namespace {

Val Field(const MapBlock& fields, std::string_view name) {
  for (uint32_t i = 0; i < fields.count; ++i) {
    if (fields.items[i].key.AsText() == name) return fields.items[i].value;
  }
  return {};
}

Val Wrapped(Evaluation& e, const StructDecl& decl, const MapBlock& fields) {
  const Val value = Field(fields, "value");
  if (value.kind() != Kind::kUnset) return value;
  switch (decl.type->kind) {
    case TypeKind::kBool:
      return Val::Bool(false);
    case TypeKind::kInt:
      return Val::Int(0);
    case TypeKind::kUint:
      return Val::Uint(0);
    case TypeKind::kDouble:
      return Val::Double(0);
    case TypeKind::kBytes:
      return Val::Bytes("");
    default:
      return e.String("");
  }
}
Val Narrow(Evaluation& e, const StructDecl& decl, const MapBlock& fields) {
  const Val value = Wrapped(e, decl, fields);
  const bool fits = value.kind() == Kind::kInt
                        ? value.AsInt() == static_cast<int32_t>(value.AsInt())
                        : value.AsUint() <= UINT32_MAX;
  if (fits) return value;
  return e.Error("field type conversion error for google.protobuf." +
                 std::string(value.kind() == Kind::kInt ? "Int32Value" : "UInt32Value") +
                 ".value value type: " + (value.kind() == Kind::kInt ? "" : "unsigned ") +
                 "integer overflow");
}
Val AnyValue(Evaluation&, const StructDecl&, const MapBlock& fields) {
  if (fields.count == 0 || Field(fields, "null_value").kind() != Kind::kUnset) return Val::Null();
  return fields.items[fields.count - 1].value;
}
Val ListOfValues(Evaluation& e, const StructDecl&, const MapBlock& fields) {
  const Val values = Field(fields, "values");
  return values.kind() == Kind::kUnset ? ListBuilder(e.arena(), 0).Done() : values;
}
Val MapOfValues(Evaluation& e, const StructDecl&, const MapBlock& fields) {
  const Val values = Field(fields, "fields");
  return values.kind() == Kind::kUnset ? MapBuilder(e.arena(), 0).Done() : values;
}
Val Seconds(Evaluation& e, const StructDecl& decl, const MapBlock& fields) {
  const Val seconds = Field(fields, "seconds");
  const Val nanos = Field(fields, "nanos");
  const int64_t whole = seconds.kind() == Kind::kInt ? seconds.AsInt() : 0;
  const int64_t fraction = nanos.kind() == Kind::kInt ? nanos.AsInt() : 0;
  if (decl.type->kind == TypeKind::kTimestamp)
    return Val::Time(object::MakeTimestamp(whole, fraction));
  int64_t total = 0;
  if (__builtin_mul_overflow(whole, int64_t{1'000'000'000}, &total) ||
      __builtin_add_overflow(total, fraction, &total)) {
    return e.Error("duration overflow");
  }
  return Val::Duration(total);
}

constexpr Type Wrapper(TypeKind kind, std::string_view name) {
  Type type;
  type.kind = kind;
  type.name = name;
  type.wrapper = true;
  return type;
}
const Type kBoolValue = Wrapper(TypeKind::kBool, "bool");
const Type kIntValue = Wrapper(TypeKind::kInt, "int");
const Type kUintValue = Wrapper(TypeKind::kUint, "uint");
const Type kDoubleValue = Wrapper(TypeKind::kDouble, "double");
const Type kStringValue = Wrapper(TypeKind::kString, "string");
const Type kBytesValue = Wrapper(TypeKind::kBytes, "bytes");

// The Go name of what a field of a JSON patch may not be.
std::string_view GoKind(const Val& value) {
  switch (value.kind()) {
    case Kind::kInt:
      return "int64";
    case Kind::kUint:
      return "uint64";
    case Kind::kDouble:
      return "float64";
    case Kind::kBool:
      return "bool";
    case Kind::kBytes:
      return "[]uint8";
    default:
      return GoTypeNameOf(value);
  }
}

}  // namespace

Val MakeJsonPatch(Evaluation& evaluation, const StructDecl& decl, const MapBlock& fields) {
  for (const std::string_view name : {"op", "path", "from"}) {
    const Val value = Field(fields, name);
    if (value.kind() != Kind::kUnset && !value.is_string()) {
      return evaluation.Error("unexpected type " + std::string(GoKind(value)) +
                              " for JSONPatchType '" + std::string(name) + "' field");
    }
  }
  return Val::Struct(&fields, decl.type);
}

void AddProtobufTypes(Environment& environment) {
  Types& types = environment.types();
  const auto add = [&](const char* name, const Type* type, MakeStruct make,
                       std::initializer_list<std::pair<const char*, const Type*>> fields) {
    StructDecl& decl = types.Struct(name);
    if (type != nullptr) decl.type = type;
    decl.make = make;
    for (const auto& [field, of] : fields) decl.fields[field] = of;
    environment.AddStruct(name, decl);
  };
  add("google.protobuf.BoolValue", &kBoolValue, Wrapped, {{"value", &types::kBool}});
  add("google.protobuf.Int32Value", &kIntValue, Narrow, {{"value", &types::kInt}});
  add("google.protobuf.Int64Value", &kIntValue, Wrapped, {{"value", &types::kInt}});
  add("google.protobuf.UInt32Value", &kUintValue, Narrow, {{"value", &types::kUint}});
  add("google.protobuf.UInt64Value", &kUintValue, Wrapped, {{"value", &types::kUint}});
  add("google.protobuf.FloatValue", &kDoubleValue, Wrapped, {{"value", &types::kDouble}});
  add("google.protobuf.DoubleValue", &kDoubleValue, Wrapped, {{"value", &types::kDouble}});
  add("google.protobuf.StringValue", &kStringValue, Wrapped, {{"value", &types::kString}});
  add("google.protobuf.BytesValue", &kBytesValue, Wrapped, {{"value", &types::kBytes}});
  add("google.protobuf.Timestamp", &types::kTimestamp, Seconds,
      {{"seconds", &types::kInt}, {"nanos", &types::kInt}});
  add("google.protobuf.Duration", &types::kDuration, Seconds,
      {{"seconds", &types::kInt}, {"nanos", &types::kInt}});
  add("google.protobuf.Empty", nullptr, nullptr, {});
  const Type* values = types.List(&types::kDyn);
  const Type* fields = types.Map(&types::kString, &types::kDyn);
  add("google.protobuf.ListValue", values, ListOfValues, {{"values", values}});
  add("google.protobuf.Struct", fields, MapOfValues, {{"fields", fields}});
  add("google.protobuf.Value", &types::kDyn, AnyValue,
      {{"null_value", &types::kInt},
       {"number_value", &types::kDouble},
       {"string_value", &types::kString},
       {"bool_value", &types::kBool},
       {"struct_value", fields},
       {"list_value", values}});
  environment.AddConstant("google.protobuf.NullValue.NULL_VALUE", &types::kInt, Val::Int(0));
}

}  // namespace skiff::cel
