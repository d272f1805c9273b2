#include "cel/cases/tagged.h"

#include <charconv>
#include <cmath>

#include "cel/cases/record_text.h"
#include "cel/opaque.h"
#include "cel/types.h"
#include "object/scalar/base64.h"
#include "object/scalar/time.h"

namespace skiff::cel {
namespace {

template <typename T>
T Number(std::string_view text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
double Double(std::string_view text) {
  if (text == "NaN") return std::nan("");
  if (text == "Infinity") return INFINITY;
  if (text == "-Infinity") return -INFINITY;
  return Number<double>(text);
}

// The bytes of a string or bytes value, which may not be UTF-8.
std::string Bytes(const object::Value& tagged) {
  const std::string_view base64 = Text(tagged, Text(tagged, "t") == "bytes" ? "v" : "b64");
  if (base64.empty()) {
    return std::string(Text(tagged, "t") == "bytes" ? "" : Text(tagged, "v"));
  }
  return object::DecodeBase64(base64).value_or("");
}

bool SameAsJson(Arena& arena, const Val& value, const object::Value& json) {
  switch (json.tag()) {
    case object::Tag::kNull:
      return value.kind() == Kind::kNull;
    case object::Tag::kBool:
      return value.is_bool() && value.AsBool() == json.AsBool();
    case object::Tag::kInt:
      if (value.kind() == Kind::kDuration) return value.AsInt() == json.AsInt();
      return Equal(arena, value, Val::Int(json.AsInt()));
    case object::Tag::kDouble:
      return Equal(arena, value, Val::Double(json.AsDouble()));
    case object::Tag::kString:
      if (value.kind() == Kind::kBytes) {
        return object::DecodeBase64(json.AsText()).value_or("") == value.AsText();
      }
      return value.is_string() && value.AsText() == json.AsText();
    case object::Tag::kList: {
      if (value.kind() != Kind::kList || ListSize(value) != json.size()) return false;
      for (size_t i = 0; i < json.size(); ++i) {
        if (!SameAsJson(arena, ListAt(arena, value, i), json.items()[i])) return false;
      }
      return true;
    }
    default:
      break;
  }
  if (value.kind() != Kind::kMap && value.kind() != Kind::kStruct) return false;
  const Val map =
      value.kind() == Kind::kMap ? value : Val::Map(value.map_block(), value.raw_size());
  if (MapSize(map) != json.size()) return false;
  for (const object::MapEntry& entry : json.entries()) {
    const Val found = MapFind(arena, map, Val::String(entry.key));
    if (found.kind() == Kind::kUnset || !SameAsJson(arena, found, entry.value)) return false;
  }
  return true;
}

bool SameMap(Arena& arena, const Val& value, const object::Value& pairs) {
  size_t visible = 0;
  for (size_t i = 0; i < MapSize(value); ++i) {
    const MapItem item = MapAt(arena, value, i);
    if (item.key.kind() == Kind::kUnset) continue;
    ++visible;
    bool found = false;
    for (const object::Value& pair : pairs.items()) {
      if (!SameAsTagged(arena, item.key, pair.items()[0])) continue;
      found = true;
      if (!SameAsTagged(arena, item.value, pair.items()[1])) return false;
    }
    if (!found) return false;
  }
  return visible == pairs.size();
}

}  // namespace

Val FromTagged(Arena& arena, const object::Value& tagged) {
  const std::string_view type = Text(tagged, "t");
  const std::string_view text = Text(tagged, "v");
  const object::Value* value = tagged.Find("v");
  if (type == "null") return Val::Null();
  if (type == "bool") return Val::Bool(value->AsBool());
  if (type == "int") return Val::Int(Number<int64_t>(text));
  if (type == "uint") return Val::Uint(Number<uint64_t>(text));
  if (type == "double") return Val::Double(Double(text));
  if (type == "string") return Val::String(arena.Copy(Bytes(tagged)));
  if (type == "bytes") return Val::Bytes(arena.Copy(Bytes(tagged)));
  if (type == "timestamp") return Val::Time(object::ParseTime(text).value_or(object::Timestamp()));
  if (type == "duration") return Val::Duration(Number<int64_t>(text));
  if (type == "list") {
    ListBuilder list(arena);
    for (const object::Value& item : value->items()) list.Add(FromTagged(arena, item));
    return list.Done();
  }
  if (type == "map") {
    MapBuilder map(arena);
    for (const object::Value& pair : value->items()) {
      map.Set(FromTagged(arena, pair.items()[0]), FromTagged(arena, pair.items()[1]));
    }
    return map.Done();
  }
  if (type == "optional") {
    return value == nullptr || value->is_null() ? Val::OptionalNone()
                                                : Val::OptionalOf(arena, FromTagged(arena, *value));
  }
  return {};
}

bool SameAsTagged(Arena& arena, const Val& value, const object::Value& tagged) {
  const std::string_view type = Text(tagged, "t");
  const std::string_view text = Text(tagged, "v");
  const object::Value* inner = tagged.Find("v");
  switch (value.kind()) {
    case Kind::kNull:
      return type == "null";
    case Kind::kBool:
      return type == "bool" && inner->AsBool() == value.AsBool();
    case Kind::kInt:
      return type == "int" && Number<int64_t>(text) == value.AsInt();
    case Kind::kUint:
      return type == "uint" && Number<uint64_t>(text) == value.AsUint();
    case Kind::kDouble: {
      const double expected = Double(text);
      if (type != "double") return false;
      return std::isnan(expected) ? std::isnan(value.AsDouble()) : expected == value.AsDouble();
    }
    case Kind::kString:
      return type == "string" && Bytes(tagged) == value.AsText();
    case Kind::kBytes:
      return type == "bytes" && Bytes(tagged) == value.AsText();
    case Kind::kTimestamp: {
      const Result<object::Timestamp> time = object::ParseTime(text);
      return type == "timestamp" && time && *time == value.AsTime();
    }
    case Kind::kDuration:
      return type == "duration" && Number<int64_t>(text) == value.AsInt();
    case Kind::kType:
      return type == "type" && text == value.AsType()->name;
    case Kind::kList: {
      if (type != "list" || ListSize(value) != inner->size()) return false;
      for (size_t i = 0; i < inner->size(); ++i) {
        if (!SameAsTagged(arena, ListAt(arena, value, i), inner->items()[i])) return false;
      }
      return true;
    }
    case Kind::kMap:
      return type == "map" && SameMap(arena, value, *inner);
    case Kind::kOptional:
      if (type != "optional") return false;
      if (value.AsOptional() == nullptr) return inner == nullptr || inner->is_null();
      return inner != nullptr && !inner->is_null() &&
             SameAsTagged(arena, *value.AsOptional(), *inner);
    case Kind::kStruct: {
      if (type == "object") return SameAsJson(arena, value, *tagged.Find("json"));
      if (type == "opaque") return Text(tagged, "type") == TypeNameOf(value);
      if (type != "JSONPatch") return false;
      const Val map = Val::Map(value.map_block(), value.raw_size());
      for (const std::string_view field : {"op", "path", "from"}) {
        const Val mine = MapFind(arena, map, Val::String(field));
        if ((mine.is_string() ? mine.AsText() : "") != Text(tagged, field)) return false;
      }
      const object::Value* patch = tagged.Find("value");
      const Val mine = MapFind(arena, map, Val::String("value"));
      return patch == nullptr ? mine.kind() == Kind::kUnset : SameAsTagged(arena, mine, *patch);
    }
    case Kind::kOpaque:
      if (type == "opaque") return Text(tagged, "type") == TypeNameOf(value);
      // Sums of quantities were recorded as plain objects.
      if (type == "object") return Text(tagged, "json") == OpaqueText(*value.AsOpaque());
      return type == TypeNameOf(value) && text == OpaqueText(*value.AsOpaque());
    case Kind::kError:
      return type == "error" && text == value.AsText();
    default:
      return false;
  }
}

}  // namespace skiff::cel
