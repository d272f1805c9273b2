#include "apiserver/registry/apiextensions/schema_tree.h"

namespace skiff {

const Value* SchemaOf(const Value* schema, std::string_view field) {
  const Value* value = FieldOf(schema, field);
  return value != nullptr && value->is_object() ? value : nullptr;
}

const Value* PropertyOf(const Value* schema, std::string_view name) {
  const Value* properties = FieldOf(schema, "properties");
  return properties != nullptr && properties->is_map() ? properties->Find(name) : nullptr;
}

bool AnySchema(const Value* schema, const std::function<bool(const Value&)>& is_so) {
  if (schema == nullptr || !schema->is_object()) return false;
  if (is_so(*schema)) return true;
  const Value* items = FieldOf(schema, "items");
  if (items != nullptr && items->is_list()) {
    for (const Value& each : items->items()) {
      if (AnySchema(&each, is_so)) return true;
    }
  } else if (AnySchema(items, is_so)) {
    return true;
  }
  for (const std::string_view field : kSchemaLists) {
    for (const Value* each : ItemsOf(schema, field)) {
      if (AnySchema(each, is_so)) return true;
    }
  }
  for (const std::string_view field : kSchemaFields) {
    if (AnySchema(FieldOf(schema, field), is_so)) return true;
  }
  for (const std::string_view field : kSchemaMaps) {
    const Value* map = FieldOf(schema, field);
    if (map == nullptr || !map->is_map()) continue;
    for (const MapEntry& entry : map->entries()) {
      if (AnySchema(&entry.value, is_so)) return true;
    }
  }
  return false;
}

}  // namespace skiff
