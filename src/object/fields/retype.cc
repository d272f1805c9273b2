#include "object/fields/retype.h"

#include <limits>
#include <vector>

#include "base/buffer.h"
#include "object/fields/shape.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/scalar.h"

namespace skiff::object {
namespace {

class Retyper {
 public:
  explicit Retyper(Arena& arena) : arena_(arena) {}

  Result<Value> Struct(const MessageDesc* type, const Value& value) {
    if (!value.is_object()) return FromJson(type, value);
    std::vector<Value> members;
    members.reserve(value.size());
    for (const Value& member : value.members()) {
      if (member.is_null() && !type->fields[member.field()].pointer()) continue;
      SKIFF_ASSIGN_OR_RETURN(const Value typed,
                             Any(FieldShape::OfField(type->fields[member.field()]), member));
      if (!typed.is_null()) members.push_back(typed.WithField(member.field()));
    }
    return Value::Object(arena_, type, members);
  }

 private:
  // Whatever the configuration has alone, by the decoder that reads all other bodies.
  Result<Value> FromJson(const MessageDesc* type, const Value& value) {
    SKIFF_ASSIGN_OR_RETURN(const Document typed, DecodeJson(EncodeJson(value), type));
    return typed.root().CopyInto(arena_);
  }

  Result<Value> Any(const FieldShape& shape, const Value& value) {
    if (value.is_null()) return value;
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
        return Struct(shape.message(), value);
      case FieldShape::Kind::kMap: {
        if (!value.is_map()) return BadRequest("expected a map");
        std::vector<MapEntry> entries;
        entries.reserve(value.size());
        const FieldShape element = shape.Element();
        for (const MapEntry& entry : value.entries()) {
          SKIFF_ASSIGN_OR_RETURN(Value typed, Any(element, entry.value));
          if (typed.is_null()) typed = ZeroElement(element);
          entries.push_back({arena_.Copy(entry.key), typed});
        }
        return Value::Map(arena_, entries);
      }
      case FieldShape::Kind::kList: {
        if (!value.is_list()) return BadRequest("expected a list");
        std::vector<Value> items;
        items.reserve(value.size());
        const FieldShape element = shape.Element();
        for (const Value& item : value.items()) {
          SKIFF_ASSIGN_OR_RETURN(Value typed, Any(element, item));
          if (typed.is_null()) typed = ZeroElement(element);
          items.push_back(typed);
        }
        return Value::List(arena_, items);
      }
      case FieldShape::Kind::kDeduced:
      case FieldShape::Kind::kOpen:
      case FieldShape::Kind::kUnknown:
        return value.CopyInto(arena_);
      case FieldShape::Kind::kScalar:
        break;
    }
    return Scalar(shape, value);
  }

  // A null in a list or map of values is the value's zero.
  Value ZeroElement(const FieldShape& element) {
    if (element.kind() == FieldShape::Kind::kStruct) {
      return Value::EmptyObject(arena_, element.message());
    }
    if (element.kind() == FieldShape::Kind::kList) return Value::EmptyList();
    return element.kind() == FieldShape::Kind::kScalar ? ZeroScalar(element.scalar_type())
                                                       : Value();
  }

  // Whether a value is of the field's type already. Quantities may be written in many ways, and are
  // always read.
  static bool IsTyped(FieldType type, const Value& value) {
    switch (value.tag()) {
      case Tag::kBytes:
      case Tag::kTime:
      case Tag::kMicroTime:
      case Tag::kDuration:
      case Tag::kRawJson:
      case Tag::kUint:
        return true;
      case Tag::kString:
        return type == FieldType::kString || type == FieldType::kStringList ||
               type == FieldType::kIntOrString;
      case Tag::kInt: {
        const int64_t number = value.AsInt();
        if (type == FieldType::kInt64) return true;
        return (type == FieldType::kInt32 || type == FieldType::kIntOrString) &&
               number >= std::numeric_limits<int32_t>::min() &&
               number <= std::numeric_limits<int32_t>::max();
      }
      case Tag::kBool:
        return type == FieldType::kBool;
      case Tag::kDouble:
        return type == FieldType::kDouble;
      default:
        return false;
    }
  }

  Result<Value> Scalar(const FieldShape& shape, const Value& value) {
    const FieldType type = shape.scalar_type();
    if (type == FieldType::kMessage) return Union(shape, value);
    if (IsTyped(type, value)) return value.CopyInto(arena_);
    text_.Clear();
    EncodeJson(value, text_);
    JsonCursor cursor(text_.view());
    JsonScalarReader reader(cursor, arena_, false);
    Value out;
    if (!reader.Read(type, &out)) {
      return BadRequest(reader.message().empty() ? "invalid value" : reader.message());
    }
    return out;
  }

  // A message with a form of its own is read as the member of a message that has it.
  Result<Value> Union(const FieldShape& shape, const Value& value) {
    if (value.is_object()) return value.CopyInto(arena_);
    if (value.is_map()) return FromJson(shape.field()->message, value);
    return value.CopyInto(arena_);
  }

  Arena& arena_;
  ByteBuffer text_;
};

}  // namespace

Result<Document> Retype(const MessageDesc* type, const Value& value) {
  if (type == nullptr) {
    Document out;
    out.root() = value.CopyInto(out.arena());
    return out;
  }
  if (!value.is_object()) return DecodeJson(EncodeJson(value), type);
  Document out;
  SKIFF_ASSIGN_OR_RETURN(out.root(), Retyper(out.arena()).Struct(type, value));
  return out;
}

}  // namespace skiff::object
