#include "apiserver/convert/copier.h"

#include <vector>

#include "apiserver/convert/conversion_rule.h"
#include "object/zero.h"

namespace skiff::apiserver {

object::Value Copier::Message(const object::Value& from, const object::MessageDesc* to) {
  if (to->form != object::MessageForm::kPlain) return SchemaOr(from, to);
  if (!from.is_object() || from.type() == to) return from.CopyInto(arena_);
  object::Value out = object::Value::EmptyObject(arena_, to);
  CopyMembers(from, out);
  if (const ConversionRule* rule = FindConversionRule(from.type(), to); rule != nullptr) {
    rule->apply(from, out, *this);
  }
  return out;
}

// A schema, a list of schemas or of strings, or a boolean.
object::Value Copier::SchemaOr(const object::Value& from, const object::MessageDesc* to) {
  const object::MessageDesc* const schema = to->fields[to->FindField("schema")].message;
  if (from.is_object()) return Message(from, schema);
  if (!from.is_list()) return from.CopyInto(arena_);
  std::vector<object::Value> items;
  items.reserve(from.size());
  for (const object::Value& item : from.items()) items.push_back(Message(item, schema));
  return object::Value::List(arena_, items);
}

void Copier::CopyMembers(const object::Value& from, object::Value& out) {
  const object::MessageDesc& to = *out.type();
  for (const object::Value& member : from.members()) {
    const object::FieldDesc& field = member.field_desc(*from.type());
    const uint16_t index = to.FindField(field.name());
    if (index == object::MessageDesc::kNoField) continue;
    if (field.pointer() && !to.fields[index].pointer() && object::IsZeroScalar(member)) continue;
    out.SetMember(arena_, index, Field(member, to.fields[index]));
  }
}

object::Value Copier::Field(const object::Value& value, const object::FieldDesc& to) {
  if (to.type != object::FieldType::kMessage) return value.CopyInto(arena_);
  if (to.cardinality == object::Cardinality::kList && value.is_list()) {
    std::vector<object::Value> items;
    items.reserve(value.size());
    for (const object::Value& item : value.items()) items.push_back(Message(item, to.message));
    return object::Value::List(arena_, items);
  }
  if (to.cardinality == object::Cardinality::kMap && value.is_map()) {
    std::vector<object::MapEntry> entries;
    entries.reserve(value.size());
    for (const object::MapEntry& entry : value.entries()) {
      entries.push_back({arena_.Copy(entry.key), Message(entry.value, to.message)});
    }
    return object::Value::Map(arena_, entries);
  }
  return Message(value, to.message);
}

void Copier::Put(object::Value& out, std::string_view field, const object::Value* value) {
  if (value == nullptr) return;
  const uint16_t index = out.type()->FindField(field);
  out.SetMember(arena_, index, Field(*value, out.type()->fields[index]));
}

void Copier::PutText(object::Value& out, std::string_view field, std::string_view text) {
  out.Set(arena_, field, object::Value::String(arena_.Copy(text)));
}

object::Value& Copier::Make(object::Value& out, std::string_view field) {
  const uint16_t index = out.type()->FindField(field);
  return out.SetMember(arena_, index,
                       object::Value::EmptyObject(arena_, out.type()->fields[index].message));
}

object::Value& Copier::Obtain(object::Value& out, std::string_view field) {
  object::Value* const present = out.Find(field);
  return present != nullptr && present->is_object() ? *present : Make(out, field);
}

std::string_view TextIn(const object::Value& object, std::string_view name) {
  const object::Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace skiff::apiserver
