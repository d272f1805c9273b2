#include "apiserver/defaults/code_rules.h"

namespace skiff {

bool NeverCertain(std::string_view, const RuleSettings&) { return false; }

std::string_view TextOf(const Value& object, std::string_view name) {
  const Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

std::span<Value> ItemsOf(Value& object, std::string_view name) {
  Value* found = object.Find(name);
  return found != nullptr && found->is_list() ? found->items() : std::span<Value>();
}

Value* PartOf(Value& object, std::string_view name) {
  Value* found = object.Find(name);
  return found != nullptr && (found->is_object() || found->is_map()) ? found : nullptr;
}

Value& MakePart(Value& object, std::string_view name, Arena& arena) {
  if (Value* present = PartOf(object, name)) return *present;
  const uint16_t index = object.type()->FindField(name);
  const FieldDesc& field = object.type()->fields[index];
  return object.SetMember(arena, index,
                          field.cardinality == Cardinality::kMap
                              ? Value::EmptyMap()
                              : Value::EmptyObject(arena, field.message));
}

void AddMissingEntries(const Value* from, Value& to, Arena& arena) {
  if (from == nullptr || !from->is_map()) return;
  for (const MapEntry& entry : from->entries()) {
    if (to.Find(entry.key) == nullptr) {
      to.SetEntry(arena, entry.key, entry.value.CopyInto(arena));
    }
  }
}

}  // namespace skiff
