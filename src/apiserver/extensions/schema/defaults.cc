#include "apiserver/extensions/schema/defaults.h"

namespace skiff::apiserver {
namespace {

bool MissesValue(const object::Value& value, const SchemaNode& schema) {
  return value.is_null() && !schema.nullable() && schema.default_value != nullptr;
}

}  // namespace

void ApplyDefaults(const SchemaNode& schema, object::Value& value, Arena& arena) {
  if (!schema.is(SchemaNode::kDefaults)) return;
  if (value.is_list()) {
    if (schema.items == nullptr) return;
    for (object::Value& item : value.items()) {
      if (MissesValue(item, *schema.items)) item = schema.items->default_value->CopyInto(arena);
      ApplyDefaults(*schema.items, item, arena);
    }
    return;
  }
  if (!value.is_map()) return;
  for (const SchemaProperty& property : schema.properties) {
    if (property.schema->default_value == nullptr) continue;
    const object::Value* present = value.Find(property.name);
    if (present != nullptr && !MissesValue(*present, *property.schema)) continue;
    value.SetEntry(arena, property.name, property.schema->default_value->CopyInto(arena));
  }
  for (object::MapEntry& entry : value.entries()) {
    const SchemaNode* field = schema.FindField(entry.key);
    if (field == nullptr) continue;
    if (MissesValue(entry.value, *field)) entry.value = field->default_value->CopyInto(arena);
    ApplyDefaults(*field, entry.value, arena);
  }
}

}  // namespace skiff::apiserver
