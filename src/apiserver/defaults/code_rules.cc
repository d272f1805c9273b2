#include "apiserver/defaults/code_rules.h"

namespace skiff::apiserver {

bool NeverCertain(std::string_view, const RuleSettings&) { return false; }

std::string_view TextOf(const object::Value& object, std::string_view name) {
  const object::Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

std::span<object::Value> ItemsOf(object::Value& object, std::string_view name) {
  object::Value* found = object.Find(name);
  return found != nullptr && found->is_list() ? found->items() : std::span<object::Value>();
}

object::Value* PartOf(object::Value& object, std::string_view name) {
  object::Value* found = object.Find(name);
  return found != nullptr && (found->is_object() || found->is_map()) ? found : nullptr;
}

object::Value& MakePart(object::Value& object, std::string_view name, Arena& arena) {
  if (object::Value* present = PartOf(object, name)) return *present;
  const uint16_t index = object.type()->FindField(name);
  const object::FieldDesc& field = object.type()->fields[index];
  return object.SetMember(arena, index,
                          field.cardinality == object::Cardinality::kMap
                              ? object::Value::EmptyMap()
                              : object::Value::EmptyObject(arena, field.message));
}

void AddMissingEntries(const object::Value* from, object::Value& to, Arena& arena) {
  if (from == nullptr || !from->is_map()) return;
  for (const object::MapEntry& entry : from->entries()) {
    if (to.Find(entry.key) == nullptr) {
      to.SetEntry(arena, entry.key, entry.value.CopyInto(arena));
    }
  }
}

}  // namespace skiff::apiserver
