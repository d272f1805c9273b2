#include "apiserver/registry/apiextensions/schema_tree.h"

#include "cel/rule_path.h"

namespace skiff::apiserver {

const object::Value* SchemaOf(const object::Value* schema, std::string_view field) {
  const object::Value* value = FieldOf(schema, field);
  return value != nullptr && value->is_object() ? value : nullptr;
}

const object::Value* PropertyOf(const object::Value* schema, std::string_view name) {
  const object::Value* properties = FieldOf(schema, "properties");
  return properties != nullptr && properties->is_map() ? properties->Find(name) : nullptr;
}

const object::Value* SchemaAt(const object::Value* schema, std::string_view path,
                              bool with_brackets) {
  const auto steps = cel::ParseRulePath(path);
  if (!steps || steps->empty()) return nullptr;
  for (const cel::RulePathStep& step : *steps) {
    if (step.is_bracketed && !with_brackets) return nullptr;
    const object::Value* properties = FieldOf(schema, "properties");
    const bool has_properties = properties != nullptr && properties->size() != 0;
    schema =
        has_properties ? PropertyOf(schema, step.name) : SchemaOf(schema, "additionalProperties");
    if (schema == nullptr) return nullptr;
  }
  return schema;
}

bool AnySchema(const object::Value* schema,
               const std::function<bool(const object::Value&)>& is_so) {
  if (schema == nullptr || !schema->is_object()) return false;
  if (is_so(*schema)) return true;
  const object::Value* items = FieldOf(schema, "items");
  if (items != nullptr && items->is_list()) {
    for (const object::Value& each : items->items()) {
      if (AnySchema(&each, is_so)) return true;
    }
  } else if (AnySchema(items, is_so)) {
    return true;
  }
  for (const std::string_view field : kSchemaLists) {
    for (const object::Value* each : ItemsOf(schema, field)) {
      if (AnySchema(each, is_so)) return true;
    }
  }
  for (const std::string_view field : kSchemaFields) {
    if (AnySchema(FieldOf(schema, field), is_so)) return true;
  }
  for (const std::string_view field : kSchemaMaps) {
    const object::Value* map = FieldOf(schema, field);
    if (map == nullptr || !map->is_map()) continue;
    for (const object::MapEntry& entry : map->entries()) {
      if (AnySchema(&entry.value, is_so)) return true;
    }
  }
  return false;
}

}  // namespace skiff::apiserver
