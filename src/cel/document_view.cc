#include "cel/document_view.h"

#include <string>

#include "cel/schema_types.h"
#include "cel/schema_values.h"
#include "cel/values/escape.h"
#include "object/json/decode.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/unset.h"

namespace skiff::cel {
namespace {

Val TimeText(Arena& arena, const object::Value& value) {
  char text[object::kMaxTimeBytes];
  const size_t size = value.tag() == object::Tag::kTime
                          ? object::FormatTime(value.AsTime(), text)
                          : object::FormatMicroTime(value.AsTime(), text);
  return Val::String(arena.Copy({text, size}));
}

Val Untyped(Arena& arena, const object::Value& value);

// Raw JSON was kept as text; whoever looks into it has it read.
Val RawJson(Arena& arena, std::string_view json) {
  const Result<object::Document> document = object::DecodeJson(json, nullptr);
  if (!document) return Val::Error(arena, document.error().message());
  auto* root = arena.AllocateArray<object::Value>(1);
  return Untyped(arena, *new (root) object::Value(document->root().CopyInto(arena)));
}

// What the JSON of a value is.
Val Untyped(Arena& arena, const object::Value& value) {
  switch (value.tag()) {
    case object::Tag::kNull:
      return Val::Null();
    case object::Tag::kBool:
      return Val::Bool(value.AsBool());
    case object::Tag::kInt:
      return Val::Int(value.AsInt());
    case object::Tag::kUint:
      // JSON numbers beyond int are doubles, as Kubernetes reads them.
      return value.AsUint() > static_cast<uint64_t>(INT64_MAX)
                 ? Val::Double(static_cast<double>(value.AsUint()))
                 : Val::Int(static_cast<int64_t>(value.AsUint()));
    case object::Tag::kDouble:
      return Val::Double(value.AsDouble());
    case object::Tag::kString:
      return Val::String(value.AsText());
    case object::Tag::kBytes: {
      std::string text;
      object::AppendBase64(value.AsText(), text);
      return Val::String(arena.Copy(text));
    }
    case object::Tag::kTime:
    case object::Tag::kMicroTime:
      return TimeText(arena, value);
    case object::Tag::kDuration: {
      char text[object::kMaxDurationBytes];
      return Val::String(arena.Copy({text, object::FormatDuration(value.AsInt(), text)}));
    }
    case object::Tag::kRawJson:
      return RawJson(arena, value.AsText());
    case object::Tag::kList:
      return Val::DocumentList(&value, nullptr);
    case object::Tag::kMap:
    case object::Tag::kObject:
      return Val::DocumentMap(&value, nullptr);
  }
  return {};
}

// What the JSON of a typed object shows for a field that is not set; unset: nothing.
Val UnsetField(Arena& arena, const object::FieldDesc& field) {
  using object::FieldType;
  if (!field.shown_unset()) return {};
  if (field.pointer() || field.cardinality != object::Cardinality::kSingle) return Val::Null();
  switch (field.type) {
    case FieldType::kMessage: {
      auto* empty = arena.AllocateArray<object::Value>(1);
      return Val::DocumentMap(
          new (empty) object::Value(object::Value::EmptyObject(arena, field.message)), nullptr);
    }
    case FieldType::kString:
      return Val::String("");
    case FieldType::kDuration:
      return Val::String("0s");
    case FieldType::kQuantity:
      return Val::String("0");
    case FieldType::kBool:
      return Val::Bool(false);
    case FieldType::kDouble:
      return Val::Double(0);
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kUint64:
    case FieldType::kIntOrString:
      return Val::Int(0);
    default:
      return Val::Null();
  }
}

// A member of a typed object as its JSON has it: some are shown when they are not set, and others
// left out when they are set to nothing.
Val TypedMember(Arena& arena, const object::Value& object, uint16_t index) {
  const object::FieldDesc& field = object.type()->fields[index];
  const object::Value* member = object.Member(index);
  const bool is_set = member != nullptr && !object::PrintsAsUnset(field, *member);
  return is_set ? Untyped(arena, *member) : UnsetField(arena, field);
}

// The index of the nth member that JSON shows; the number of fields: there are not as many.
uint16_t ShownField(const object::Value& object, size_t n) {
  const object::MessageDesc& type = *object.type();
  const std::span<const object::Value> members = object.members();
  size_t next = 0;
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const bool is_there = next < members.size() && members[next].field() == i;
    const bool is_set = is_there && !object::PrintsAsUnset(type.fields[i], members[next]);
    if (is_there) ++next;
    if ((is_set || type.fields[i].shown_unset()) && n-- == 0) return static_cast<uint16_t>(i);
  }
  return static_cast<uint16_t>(type.fields.size());
}

// Whether a member counts: null is absent in objects of a schema.
bool Counts(const object::Value& value, const SchemaType* schema) {
  return schema == nullptr || !schema->has_properties || !value.is_null();
}

// The schema of a member by its name in JSON; null: not visible.
const SchemaType* MemberSchema(const SchemaType& schema, std::string_view name) {
  if (schema.has_properties || schema.read == SchemaType::Read::kObject) {
    const SchemaType::Property* property = schema.FindProperty(name);
    return property == nullptr ? nullptr : property->type;
  }
  return schema.items;
}

// Names and values of maps and typed objects alike.
struct Member {
  std::string_view name;
  const object::Value* value;
};
Member MemberAt(const object::Value& object, size_t index) {
  if (object.is_map()) {
    const object::MapEntry& entry = object.entries()[index];
    return {entry.key, &entry.value};
  }
  const object::Value& member = object.members()[index];
  return {member.field_desc(*object.type()).name(), &member};
}

}  // namespace

Val FromDocument(Arena& arena, const object::Value& value, const SchemaType* schema) {
  return schema == nullptr ? Untyped(arena, value) : ReadBySchema(arena, value, *schema);
}

size_t DocumentMapSize(const Val& map) {
  const object::Value& object = *map.document();
  if (!object.is_object() || map.schema() != nullptr) return object.size();
  const object::MessageDesc& type = *object.type();
  size_t size = 0;
  size_t next = 0;
  const std::span<const object::Value> members = object.members();
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const bool is_there = next < members.size() && members[next].field() == i;
    const bool is_set = is_there && !object::PrintsAsUnset(type.fields[i], members[next]);
    if (is_there) ++next;
    if (is_set || type.fields[i].shown_unset()) ++size;
  }
  return size;
}

MapItem DocumentMapAt(Arena& arena, const Val& map, size_t index) {
  if (map.schema() == nullptr && map.document()->is_object()) {
    const object::Value& object = *map.document();
    const uint16_t field = ShownField(object, index);
    return {Val::String(object.type()->fields[field].name()), TypedMember(arena, object, field)};
  }
  const auto [name, value] = MemberAt(*map.document(), index);
  const SchemaType* schema = map.schema();
  if (schema == nullptr) return {Val::String(name), Untyped(arena, *value)};
  const SchemaType* member = MemberSchema(*schema, name);
  // What the schema does not show is left out of folds by the key that is no value.
  if (member == nullptr) return {};
  std::string_view key = name;
  if (schema->has_properties) {
    const SchemaType::Property* property = schema->FindProperty(name);
    if (property != nullptr && !property->escaped.empty()) key = property->escaped;
  }
  return {Val::String(key), ReadBySchema(arena, *value, *member)};
}

Val DocumentMapFind(Arena& arena, const Val& map, const Val& key) {
  const SchemaType* schema = map.schema();
  if (key.kind() != Kind::kString) {
    return schema == nullptr ? Val() : Val::ErrorLiteral("no such overload");
  }
  std::string_view name = key.AsText();
  std::string unescaped;
  if (schema != nullptr && schema->has_properties && name.find("__") != std::string_view::npos) {
    const std::optional<std::string> plain = UnescapeName(name);
    if (!plain) return {};
    unescaped = *plain;
    name = unescaped;
  }
  if (schema == nullptr && map.document()->is_object()) {
    const uint16_t field = map.document()->type()->FindField(name);
    return field == object::MessageDesc::kNoField ? Val()
                                                  : TypedMember(arena, *map.document(), field);
  }
  const object::Value* value = map.document()->Find(name);
  if (value == nullptr || !Counts(*value, schema)) return {};
  if (schema == nullptr) return Untyped(arena, *value);
  const SchemaType* member = MemberSchema(*schema, name);
  return member == nullptr ? Val() : ReadBySchema(arena, *value, *member);
}

Val DocumentMapEqual(Arena& arena, const Val& map, const Val& other) {
  if (other.kind() != Kind::kMap) return Val::ErrorLiteral("no such overload");
  const object::Value& object = *map.document();
  if (MapSize(map) != MapSize(other)) return Val::Bool(false);
  for (size_t i = 0; i < object.size(); ++i) {
    const auto [name, value] = MemberAt(object, i);
    if (MemberSchema(*map.schema(), name) != nullptr) {
      const Val key = Val::String(name);
      const Val mine = DocumentMapFind(arena, map, key);
      const Val theirs = MapFind(arena, other, key);
      if ((mine.kind() == Kind::kUnset) != (theirs.kind() == Kind::kUnset)) {
        return Val::Bool(false);
      }
      if (mine.kind() == Kind::kUnset) continue;
      const Val equal = EqualVals(arena, mine, theirs);
      if (!equal.is_true()) return equal;
    } else {
      if (!other.in_document()) return Val::ErrorLiteral("no such overload");
      const object::Value* theirs = other.document()->Find(name);
      if (theirs != nullptr && !object::DeepEqual(*value, *theirs)) return Val::Bool(false);
    }
  }
  return Val::Bool(true);
}

}  // namespace skiff::cel
