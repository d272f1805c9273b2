#include "cel/schema_types.h"

#include <algorithm>

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

const SchemaType::Property* SchemaType::Find(std::string_view escaped) const {
  for (const auto& [name, property] : properties) {
    if (property.escaped == escaped) return &property;
  }
  return nullptr;
}

const SchemaType* SchemaTypes::Declare(const Schema& schema, bool root, std::string_view name,
                                       Types& types) {
  return Make(schema, root, std::string(name), types);
}

const SchemaType* SchemaTypes::Make(const Schema& schema, bool root, const std::string& name,
                                    Types& types) {
  SchemaType& out = New();
  out.nullable = schema.nullable;
  if (schema.int_or_string) {
    out.read = SchemaType::Read::kIntOrString;
    out.type = &types::kDyn;
    out.min_serialized = 1;
    out.max_elements = schema.max_length ? NotNegative(*schema.max_length) * 4 : kMaxTextBytes;
  } else if (schema.type == "array") {
    out.read = SchemaType::Read::kList;
    if (schema.list_type == "set") out.list_type = SchemaType::ListType::kSet;
    if (schema.list_type == "map") out.list_type = SchemaType::ListType::kMap;
    out.list_keys = schema.list_map_keys;
    out.min_serialized = 2;
    if (schema.items != nullptr) {
      out.items = Make(*schema.items, schema.items->embedded_resource, name + ".@idx", types);
      if (out.items->type != nullptr) out.type = types.List(out.items->type);
      out.max_elements = schema.max_items ? NotNegative(*schema.max_items)
                                          : kMaxTextBytes / (out.items->min_serialized + 1);
    }
  } else if (schema.type == "object" || (root && schema.type.empty())) {
    MakeObject(schema, root, name, types, out);
  } else if (schema.type == "string") {
    MakeString(schema, out);
  } else if (schema.type == "boolean") {
    out.read = SchemaType::Read::kBool;
    out.type = &types::kBool;
    out.min_serialized = 4;
  } else if (schema.type == "number") {
    out.read = SchemaType::Read::kDouble;
    out.type = &types::kDouble;
    out.min_serialized = 1;
  } else if (schema.type == "integer") {
    out.read = SchemaType::Read::kInt;
    out.type = &types::kInt;
    out.min_serialized = 1;
  } else if (schema.preserve_unknown_fields) {
    out.read = SchemaType::Read::kPreserved;
  }
  return &out;
}

void SchemaTypes::MakeString(const Schema& schema, SchemaType& out) {
  out.read = SchemaType::Read::kString;
  out.type = &types::kString;
  out.min_serialized = 2;
  if (schema.format == "byte") {
    out.read = SchemaType::Read::kBytes;
    out.type = &types::kBytes;
    out.max_elements = schema.max_length ? NotNegative(*schema.max_length) : kMaxTextBytes;
  } else if (schema.format == "duration") {
    out.read = SchemaType::Read::kDuration;
    out.type = &types::kDuration;
    out.min_serialized = 3;
    out.max_elements = 32;
  } else if (schema.format == "date") {
    out.read = SchemaType::Read::kDate;
    out.type = &types::kTimestamp;
    out.min_serialized = out.max_elements = 12;
  } else if (schema.format == "date-time") {
    out.read = SchemaType::Read::kDateTime;
    out.type = &types::kTimestamp;
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

void SchemaTypes::MakeObject(const Schema& schema, bool root, const std::string& name, Types& types,
                             SchemaType& out) {
  out.min_serialized = 2;
  if (schema.additional_properties != nullptr) {
    const Schema& values = *schema.additional_properties;
    out.read = SchemaType::Read::kMap;
    out.items = Make(values, values.embedded_resource, name + ".@elem", types);
    if (out.items->type != nullptr) out.type = types.Map(&types::kString, out.items->type);
    out.max_elements = schema.max_properties ? NotNegative(*schema.max_properties)
                                             : kMaxTextBytes / (out.items->min_serialized + 6);
    return;
  }
  out.read = SchemaType::Read::kObject;
  StructDecl& decl = types.Struct(name);
  out.type = decl.type;
  out.has_properties = schema.has_properties || root;
  const auto add = [&](const std::string& property, const Schema& of) {
    const std::optional<std::string> escaped = EscapeName(property);
    const SchemaType* type =
        Make(of, of.embedded_resource, name + "." + escaped.value_or(property), types);
    out.properties[property] = {escaped.value_or(""), type};
    if (type->type == nullptr) return;
    if (escaped) decl.fields[*escaped] = type->type;
    // A keyword that can stand behind a dot may be written as it is.
    if (escaped && IsReservedWord(property)) decl.fields[property] = type->type;
    if (std::ranges::find(schema.required, property) != schema.required.end() && !of.has_default) {
      out.min_serialized += static_cast<int64_t>(property.size()) + type->min_serialized + 4;
    }
  };
  for (const auto& [property, of] : schema.properties) {
    if (root && (property == "apiVersion" || property == "kind" || property == "metadata")) {
      continue;
    }
    add(property, of);
  }
  if (!root) return;
  add("apiVersion", OfType("string"));
  add("kind", OfType("string"));
  Schema metadata = OfType("object");
  metadata.has_properties = true;
  metadata.properties.emplace("name", OfType("string"));
  metadata.properties.emplace("generateName", OfType("string"));
  // What the schema says of other metadata is not seen.
  add("metadata", metadata);
}

}  // namespace skiff::cel
