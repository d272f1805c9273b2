#include "apiserver/convert/copier.h"

#include <vector>

#include "apiserver/convert/conversion_rule.h"
#include "object/zero.h"

namespace skiff {

Value Copier::Message(const Value& from, const MessageDesc* to) {
  if (to->form != MessageForm::kPlain) return SchemaOr(from, to);
  if (!from.is_object() || from.type() == to) return from.CopyInto(arena_);
  Value out = Value::EmptyObject(arena_, to);
  CopyMembers(from, out);
  if (const ConversionRule* rule = FindConversionRule(from.type(), to); rule != nullptr) {
    rule->apply(from, out, *this);
  }
  return out;
}

// A schema, a list of schemas or of strings, or a boolean.
Value Copier::SchemaOr(const Value& from, const MessageDesc* to) {
  const MessageDesc* const schema = to->fields[to->FindField("schema")].message;
  if (from.is_object()) return Message(from, schema);
  if (!from.is_list()) return from.CopyInto(arena_);
  std::vector<Value> items;
  items.reserve(from.size());
  for (const Value& item : from.items()) items.push_back(Message(item, schema));
  return Value::List(arena_, items);
}

void Copier::CopyMembers(const Value& from, Value& out) {
  const MessageDesc& to = *out.type();
  for (const Value& member : from.members()) {
    const FieldDesc& field = member.field_desc(*from.type());
    const uint16_t index = to.FindField(field.name());
    if (index == MessageDesc::kNoField) continue;
    if (field.pointer() && !to.fields[index].pointer() && IsZeroScalar(member)) continue;
    out.SetMember(arena_, index, Field(member, to.fields[index]));
  }
}

Value Copier::Field(const Value& value, const FieldDesc& to) {
  if (to.type != FieldType::kMessage) return value.CopyInto(arena_);
  if (to.cardinality == Cardinality::kList && value.is_list()) {
    std::vector<Value> items;
    items.reserve(value.size());
    for (const Value& item : value.items()) items.push_back(Message(item, to.message));
    return Value::List(arena_, items);
  }
  if (to.cardinality == Cardinality::kMap && value.is_map()) {
    std::vector<MapEntry> entries;
    entries.reserve(value.size());
    for (const MapEntry& entry : value.entries()) {
      entries.push_back({arena_.Copy(entry.key), Message(entry.value, to.message)});
    }
    return Value::Map(arena_, entries);
  }
  return Message(value, to.message);
}

void Copier::Put(Value& out, std::string_view field, const Value* value) {
  if (value == nullptr) return;
  const uint16_t index = out.type()->FindField(field);
  out.SetMember(arena_, index, Field(*value, out.type()->fields[index]));
}

void Copier::PutText(Value& out, std::string_view field, std::string_view text) {
  out.Set(arena_, field, Value::String(arena_.Copy(text)));
}

Value& Copier::Make(Value& out, std::string_view field) {
  const uint16_t index = out.type()->FindField(field);
  return out.SetMember(arena_, index,
                       Value::EmptyObject(arena_, out.type()->fields[index].message));
}

Value& Copier::Obtain(Value& out, std::string_view field) {
  Value* const present = out.Find(field);
  return present != nullptr && present->is_object() ? *present : Make(out, field);
}

std::string_view TextIn(const Value& object, std::string_view name) {
  const Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace skiff
