#include "object/fields/members.h"

#include <cassert>

#include "object/equal.h"
#include "object/fields/path_element.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/zero.h"

namespace skiff::object {
namespace {

// What a field that is not set shows.
Value UnsetValue(Arena& arena, const FieldDesc& field) {
  if (field.pointer() || field.cardinality != Cardinality::kSingle) return {};
  switch (field.type) {
    case FieldType::kMessage:
      if (field.message->form != MessageForm::kPlain) return {};
      return Value::EmptyObject(arena, field.message);
    case FieldType::kString:
      return Value::String("");
    case FieldType::kBool:
      return Value::Bool(false);
    case FieldType::kDuration:
      return Value::Duration(0);
    case FieldType::kQuantity:
      return Value::String("0");
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kUint64:
    case FieldType::kDouble:
    case FieldType::kIntOrString:
      return Value::Int(0);
    default:
      return {};
  }
}

// True if a member says no more than that its field is not set.
bool SaysNothing(const FieldDesc& field, const Value& value) {
  switch (value.tag()) {
    case Tag::kNull:
      return true;
    case Tag::kList:
    case Tag::kMap:
      return field.omit_empty() && value.size() == 0 && !field.pointer();
    case Tag::kObject:
      return !field.pointer() && field.cardinality == Cardinality::kSingle && value.size() == 0;
    default:
      break;
  }
  if (field.pointer() || field.cardinality != Cardinality::kSingle) return false;
  const bool is_text = value.tag() == Tag::kString || value.tag() == Tag::kBytes;
  return IsZeroScalar(value) && !(is_text && field.type == FieldType::kIntOrString);
}

bool IsNumber(const Value& value) {
  return value.tag() == Tag::kInt || value.tag() == Tag::kUint || value.tag() == Tag::kDouble;
}

// Leaves that are no plain scalars: compared as the JSON that they are.
bool SameOpaque(const Value& a, const Value& b) {
  const std::string left = EncodeJson(a);
  const std::string right = EncodeJson(b);
  if (left == right) return true;
  const Result<Document> first = DecodeJson(left, nullptr);
  const Result<Document> second = DecodeJson(right, nullptr);
  return first && second && CompareUntyped(first->root(), second->root()) == 0;
}

bool SameScalar(const Value& a, const Value& b) {
  if (a.tag() == Tag::kRawJson || b.tag() == Tag::kRawJson || !IsScalar(a) || !IsScalar(b)) {
    return SameOpaque(a, b);
  }
  if (IsNumber(a) && IsNumber(b)) return CompareUntyped(a, b) == 0;
  if (a.tag() == b.tag()) {
    switch (a.tag()) {
      case Tag::kTime:
      case Tag::kMicroTime:
        return a.AsTime() == b.AsTime();
      case Tag::kDuration:
        return a.AsInt() == b.AsInt();
      default:
        return CompareUntyped(a, b) == 0;
    }
  }
  if (a.is_null() || b.is_null()) return false;
  // One of the two is typed: a time, bytes, a duration.
  return EncodeJson(a) == EncodeJson(b);
}

bool SameStruct(Arena& arena, const MessageDesc& type, const Value& a, const Value& b) {
  bool same = true;
  size_t shown = 0;
  ForEachShown(arena, type, a, [&](uint16_t index, const Value& value) {
    ++shown;
    if (!same) return;
    const std::optional<Value> other = ShownMember(arena, b, type, index);
    same = other && SameInJson(arena, FieldShape::OfField(type.fields[index]), value, *other);
  });
  if (!same) return false;
  size_t others = 0;
  ForEachShown(arena, type, b, [&](uint16_t, const Value&) { ++others; });
  return shown == others;
}

bool SameMap(Arena& arena, const FieldShape& shape, const Value& a, const Value& b) {
  if (!a.is_map() || !b.is_map() || a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const MapEntry& left = a.entries()[i];
    const MapEntry& right = b.entries()[i];
    if (left.key != right.key ||
        !SameInJson(arena, shape.Entry(left.key), left.value, right.value)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Value> ShownMember(Arena& arena, const FieldDesc& field, const Value* member) {
  if (member != nullptr && !SaysNothing(field, *member)) return *member;
  if (!field.shown_unset()) return std::nullopt;
  return UnsetValue(arena, field);
}

std::optional<Value> ShownMember(Arena& arena, const Value& object, const MessageDesc& type,
                                 uint16_t field) {
  if (object.is_map()) {
    const Value* found = object.Find(type.fields[field].name());
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }
  if (!object.is_object()) return std::nullopt;
  return ShownMember(arena, type.fields[field], object.Member(field));
}

bool ShowsNothing(Arena& arena, const FieldShape& shape, const Value& value) {
  if (value.is_null()) return true;
  if (!value.is_object()) return value.tag() >= Tag::kList && value.size() == 0;
  bool empty = true;
  static_cast<void>(shape);
  ForEachShown(arena, *value.type(), value, [&](uint16_t, const Value&) { empty = false; });
  return empty;
}

bool SameInJson(Arena& arena, const FieldShape& shape, const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  switch (shape.kind()) {
    case FieldShape::Kind::kStruct:
      return SameStruct(arena, *shape.message(), a, b);
    case FieldShape::Kind::kMap:
    case FieldShape::Kind::kOpen:
      return SameMap(arena, shape, a, b);
    case FieldShape::Kind::kList: {
      if (!a.is_list() || !b.is_list() || a.size() != b.size()) return false;
      const FieldShape element = shape.Element();
      for (size_t i = 0; i < a.size(); ++i) {
        if (!SameInJson(arena, element, a.items()[i], b.items()[i])) return false;
      }
      return true;
    }
    case FieldShape::Kind::kDeduced:
      return CompareUntyped(a, b) == 0;
    case FieldShape::Kind::kScalar:
    case FieldShape::Kind::kUnknown:
      break;
  }
  return SameScalar(a, b);
}

}  // namespace skiff::object
