#include "cel/schema_types.h"

#include <algorithm>
#include <new>
#include <set>

#include "cel/values/escape.h"

namespace skiff::cel {
namespace {

constexpr int64_t kMaxRequestBytes = 3 * 1024 * 1024;
constexpr int64_t kMaxTextBytes = kMaxRequestBytes - 2;

int64_t NotNegative(int64_t value) { return std::max<int64_t>(value, 0); }

const object::Value* Get(const object::Value& json, std::string_view name) {
  return json.Find(name);
}
std::string Text(const object::Value& json, std::string_view name) {
  const object::Value* value = Get(json, name);
  return value != nullptr && value->is_string() ? std::string(value->AsText()) : std::string();
}
bool Flag(const object::Value& json, std::string_view name) {
  const object::Value* value = Get(json, name);
  return value != nullptr && value->tag() == object::Tag::kBool && value->AsBool();
}
std::optional<int64_t> Number(const object::Value& json, std::string_view name) {
  const object::Value* value = Get(json, name);
  if (value == nullptr) return {};
  if (value->tag() == object::Tag::kInt) return value->AsInt();
  if (value->tag() == object::Tag::kDouble) return static_cast<int64_t>(value->AsDouble());
  return {};
}
std::vector<std::string> Texts(const object::Value& json, std::string_view name) {
  std::vector<std::string> out;
  const object::Value* list = Get(json, name);
  if (list == nullptr || !list->is_list()) return out;
  for (const object::Value& item : list->items()) {
    if (item.is_string()) out.emplace_back(item.AsText());
  }
  return out;
}

Schema OfType(std::string type) {
  Schema schema;
  schema.type = std::move(type);
  return schema;
}

void MakeString(const Schema& schema, SchemaType& out) {
  out.read = SchemaType::Read::kString;
  out.min_serialized = 2;
  if (schema.format == "byte") {
    out.read = SchemaType::Read::kBytes;
    out.max_elements = schema.max_length ? NotNegative(*schema.max_length) : kMaxTextBytes;
  } else if (schema.format == "duration") {
    out.read = SchemaType::Read::kDuration;
    out.min_serialized = 3;
    out.max_elements = 32;
  } else if (schema.format == "date") {
    out.read = SchemaType::Read::kDate;
    out.min_serialized = out.max_elements = 12;
  } else if (schema.format == "date-time") {
    out.read = SchemaType::Read::kDateTime;
    out.min_serialized = 21;
    out.max_elements = 32;
  } else if (schema.max_length) {
    out.max_elements = NotNegative(*schema.max_length) * 4;
  } else if (schema.has_enum) {
    for (const std::string& value : schema.string_enum) {
      out.max_elements = std::max<int64_t>(out.max_elements, static_cast<int64_t>(value.size()));
    }
  } else {
    out.max_elements = kMaxTextBytes;
  }
}

bool HasTexts(const Schema& schema, std::string_view a, std::string_view b) {
  const auto is_text = [&](std::string_view name) {
    const auto found = schema.properties.find(std::string(name));
    return found != schema.properties.end() && found->second.type == "string";
  };
  return is_text(a) && is_text(b);
}

// Whether it says of a resource all that is seen of one anyway. Then what it says holds.
bool DescribesResource(const Schema& schema) {
  const auto metadata = schema.properties.find("metadata");
  return metadata != schema.properties.end() && metadata->second.type == "object" &&
         HasTexts(schema, "apiVersion", "kind") &&
         HasTexts(metadata->second, "name", "generateName");
}

template <typename T>
std::span<T> AllocateSpan(Arena& arena, size_t count) {
  T* const at = arena.AllocateArray<T>(count);
  for (size_t i = 0; i < count; ++i) new (at + i) T{};
  return {at, count};
}

}  // namespace

Schema ReadSchema(const object::Value& json) {
  Schema schema;
  if (!json.is_map()) return schema;
  schema.type = Text(json, "type");
  schema.format = Text(json, "format");
  schema.nullable = Flag(json, "nullable");
  schema.int_or_string = Flag(json, "x-kubernetes-int-or-string");
  schema.preserve_unknown_fields = Flag(json, "x-kubernetes-preserve-unknown-fields");
  schema.embedded_resource = Flag(json, "x-kubernetes-embedded-resource");
  schema.list_type = Text(json, "x-kubernetes-list-type");
  schema.list_map_keys = Texts(json, "x-kubernetes-list-map-keys");
  schema.required = Texts(json, "required");
  schema.string_enum = Texts(json, "enum");
  const object::Value* values = Get(json, "enum");
  schema.has_enum = values != nullptr && values->size() > 0;
  schema.max_length = Number(json, "maxLength");
  schema.max_items = Number(json, "maxItems");
  schema.max_properties = Number(json, "maxProperties");
  schema.has_default = Get(json, "default") != nullptr;
  schema.map_type = Text(json, "x-kubernetes-map-type");
  if (const object::Value* rules = Get(json, "x-kubernetes-validations");
      rules != nullptr && rules->is_list()) {
    for (const object::Value& rule : rules->items()) {
      schema.validations.push_back({Text(rule, "rule"), Text(rule, "message"),
                                    Text(rule, "messageExpression"), Text(rule, "reason"),
                                    Text(rule, "fieldPath"), Flag(rule, "optionalOldSelf")});
    }
  }
  if (const object::Value* all = Get(json, "allOf"); all != nullptr && all->is_list()) {
    for (const object::Value& one : all->items()) schema.all_of.push_back(ReadSchema(one));
  }
  if (const object::Value* properties = Get(json, "properties");
      properties != nullptr && properties->is_map()) {
    schema.has_properties = true;
    for (const object::MapEntry& entry : properties->entries()) {
      schema.properties.emplace(std::string(entry.key), ReadSchema(entry.value));
    }
  }
  if (const object::Value* items = Get(json, "items"); items != nullptr && items->is_map()) {
    schema.items = std::make_unique<Schema>(ReadSchema(*items));
  }
  if (const object::Value* other = Get(json, "additionalProperties");
      other != nullptr && other->is_map()) {
    schema.additional_properties = std::make_unique<Schema>(ReadSchema(*other));
  }
  return schema;
}

const SchemaType::Property* SchemaType::FindProperty(std::string_view name) const {
  const auto at = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return at != properties.end() && at->name == name ? &*at : nullptr;
}

const SchemaType::Property* SchemaType::Find(std::string_view identifier) const {
  const Property* property = nullptr;
  if (identifier.find("__") == std::string_view::npos) {
    property = FindProperty(identifier);
  } else if (const std::optional<std::string> name = UnescapeName(identifier)) {
    property = FindProperty(*name);
  }
  return property != nullptr && property->escaped == identifier ? property : nullptr;
}

// Names and keys repeat themselves all over a schema.
std::string_view SchemaTypes::Pooled(std::string_view text) {
  const auto found = texts_.find(text);
  return found != texts_.end() ? *found : *texts_.insert(arena_.Copy(text)).first;
}

const SchemaType* SchemaTypes::Declare(const Schema& schema, bool root) {
  SchemaType& out = *new (arena_.AllocateArray<SchemaType>(1)) SchemaType();
  out.nullable = schema.nullable;
  out.is_visible = true;
  if (schema.int_or_string) {
    out.read = SchemaType::Read::kIntOrString;
    out.min_serialized = 1;
    out.max_elements = schema.max_length ? NotNegative(*schema.max_length) * 4 : kMaxTextBytes;
  } else if (schema.type == "array") {
    MakeList(schema, out);
  } else if (schema.type == "object" || (root && schema.type.empty())) {
    MakeObject(schema, root, out);
  } else if (schema.type == "string") {
    MakeString(schema, out);
  } else if (schema.type == "boolean") {
    out.read = SchemaType::Read::kBool;
    out.min_serialized = 4;
  } else if (schema.type == "number") {
    out.read = SchemaType::Read::kDouble;
    out.min_serialized = 1;
  } else if (schema.type == "integer") {
    out.read = SchemaType::Read::kInt;
    out.min_serialized = 1;
  } else {
    out.is_visible = false;
    if (schema.preserve_unknown_fields) out.read = SchemaType::Read::kPreserved;
  }
  return &out;
}

void SchemaTypes::MakeList(const Schema& schema, SchemaType& out) {
  out.read = SchemaType::Read::kList;
  if (schema.list_type == "set") out.list_type = SchemaType::ListType::kSet;
  if (schema.list_type == "map") out.list_type = SchemaType::ListType::kMap;
  const auto keys = AllocateSpan<std::string_view>(arena_, schema.list_map_keys.size());
  std::ranges::transform(schema.list_map_keys, keys.begin(),
                         [&](const std::string& key) { return Pooled(key); });
  out.list_keys = keys;
  out.min_serialized = 2;
  out.is_visible = false;
  if (schema.items == nullptr) return;
  out.items = Declare(*schema.items, schema.items->embedded_resource);
  out.is_visible = out.items->is_visible;
  out.max_elements = schema.max_items ? NotNegative(*schema.max_items)
                                      : kMaxTextBytes / (out.items->min_serialized + 1);
}

SchemaType::Property SchemaTypes::MakeProperty(std::string_view name, const Schema& schema) {
  const std::optional<std::string> escaped = EscapeName(name);
  return {.name = Pooled(name),
          .escaped = escaped ? Pooled(*escaped) : std::string_view(),
          .type = Declare(schema, schema.embedded_resource)};
}

// What the schema says of other metadata is not seen.
SchemaType::Property SchemaTypes::MetadataProperty() {
  Schema metadata = OfType("object");
  metadata.has_properties = true;
  metadata.properties.emplace("name", OfType("string"));
  metadata.properties.emplace("generateName", OfType("string"));
  return MakeProperty("metadata", metadata);
}

void SchemaTypes::MakeObject(const Schema& schema, bool root, SchemaType& out) {
  root = root && !DescribesResource(schema);
  out.min_serialized = 2;
  if (schema.additional_properties != nullptr) {
    const Schema& values = *schema.additional_properties;
    out.read = SchemaType::Read::kMap;
    out.items = Declare(values, values.embedded_resource);
    out.is_visible = out.items->is_visible;
    out.max_elements = schema.max_properties ? NotNegative(*schema.max_properties)
                                             : kMaxTextBytes / (out.items->min_serialized + 6);
    return;
  }
  out.read = SchemaType::Read::kObject;
  out.has_properties = schema.has_properties || root;
  const std::set<std::string_view> required(schema.required.begin(), schema.required.end());
  std::vector<SchemaType::Property> properties;
  properties.reserve(schema.properties.size() + 3);
  for (const auto& [name, of] : schema.properties) {
    if (root && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
    const SchemaType::Property& property = properties.emplace_back(MakeProperty(name, of));
    if (!property.type->is_visible || of.has_default) continue;
    if (required.contains(name)) {
      out.min_serialized += static_cast<int64_t>(name.size()) + property.type->min_serialized + 4;
    }
  }
  if (root) {
    const Schema text = OfType("string");
    for (const char* name : {"apiVersion", "kind"}) properties.push_back(MakeProperty(name, text));
    properties.push_back(MetadataProperty());
    for (SchemaType::Property& added : std::span(properties).last(3)) {
      added.is_added = !schema.properties.contains(std::string(added.name));
    }
    std::ranges::sort(properties, {}, &SchemaType::Property::name);
  }
  const auto kept = AllocateSpan<SchemaType::Property>(arena_, properties.size());
  std::ranges::copy(properties, kept.begin());
  out.properties = kept;
}

namespace {

const Type* DeclareStruct(const SchemaType& schema, std::string_view name, Types& types) {
  StructDecl& decl = types.Struct(name);
  decl.find = [&schema, &types, type = decl.type](std::string_view identifier) -> const Type* {
    const SchemaType::Property* property = schema.Find(identifier);
    // A keyword that can stand behind a dot may be written as it is.
    if (property == nullptr && IsReservedWord(identifier)) {
      property = schema.FindProperty(identifier);
    }
    if (property == nullptr || !property->type->is_visible) return nullptr;
    return DeclareType(*property->type,
                       std::string(type->name) + "." + std::string(property->escaped), types);
  };
  return decl.type;
}

}  // namespace

const Type* DeclareType(const SchemaType& schema, std::string_view name, Types& types) {
  if (!schema.is_visible) return nullptr;
  switch (schema.read) {
    case SchemaType::Read::kObject:
      return DeclareStruct(schema, name, types);
    case SchemaType::Read::kMap:
      return types.Map(&types::kString,
                       DeclareType(*schema.items, std::string(name) + ".@elem", types));
    case SchemaType::Read::kList:
      return types.List(DeclareType(*schema.items, std::string(name) + ".@idx", types));
    case SchemaType::Read::kString:
      return &types::kString;
    case SchemaType::Read::kBytes:
      return &types::kBytes;
    case SchemaType::Read::kDuration:
      return &types::kDuration;
    case SchemaType::Read::kDate:
    case SchemaType::Read::kDateTime:
      return &types::kTimestamp;
    case SchemaType::Read::kBool:
      return &types::kBool;
    case SchemaType::Read::kInt:
      return &types::kInt;
    case SchemaType::Read::kDouble:
      return &types::kDouble;
    case SchemaType::Read::kIntOrString:
      return &types::kDyn;
    case SchemaType::Read::kPreserved:
    case SchemaType::Read::kInvalid:
      break;
  }
  return nullptr;
}

}  // namespace skiff::cel
