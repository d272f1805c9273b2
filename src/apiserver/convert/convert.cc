#include "apiserver/convert/convert.h"

#include <string>
#include <utility>
#include <vector>

#include "apiserver/convert/rules.h"
#include "object/zero.h"

namespace skiff {
namespace {

bool IsEvent(const MessageDesc* type) {
  return (type->name == "Event" || type->name == "EventList") &&
         (type->group_version->path == "core/v1" || type->group_version->group == "events.k8s.io");
}

// Kinds of the group `extensions` have moved to others.
bool HasMoved(const MessageDesc* from, const MessageDesc* to) {
  const std::string_view group = to->group_version->group;
  return from->group_version->group == "extensions" &&
         (group == "apps" || group == "networking.k8s.io");
}

}  // namespace

const ConversionRule* FindConversionRule(const MessageDesc* from, const MessageDesc* to) {
  for (const auto& rules :
       {AutoscalingRules(), EventRules(), DeviceRules(), DefinitionRules(), OldVersionRules()}) {
    for (const ConversionRule& rule : rules) {
      if (rule.from() == from && rule.to() == to) return &rule;
    }
  }
  return nullptr;
}

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

bool CanConvert(const MessageDesc* from, const MessageDesc* to) {
  if (from == to) return true;
  if (from == nullptr || to == nullptr || !from->is_kind || !to->is_kind) return false;
  if (from->name != to->name) return false;
  if (from->group_version->group == to->group_version->group) return true;
  return (IsEvent(from) && IsEvent(to)) || HasMoved(from, to);
}

Result<Document> Convert(const Document& object, const MessageDesc* to) {
  if (!CanConvert(object.type(), to)) {
    return Fail(StatusReason::kInternalError, "no conversion from " +
                                                  std::string(object.api_version()) + " " +
                                                  std::string(object.kind()) + " to another kind");
  }
  Document out = Document::OfType(to);
  Copier copier(out.arena());
  out.root() = copier.Message(object.root(), to);
  copier.PutText(out.root(), "kind", object.kind().empty() ? to->name : object.kind());
  copier.PutText(out.root(), "apiVersion", to->group_version->api_version);
  return out;
}

Result<Document> Convert(Document&& object, const MessageDesc* to) {
  if (object.type() != to || to == nullptr) {
    return Convert(static_cast<const Document&>(object), to);
  }
  Copier copier(object.arena());
  if (object.kind().empty()) copier.PutText(object.root(), "kind", to->name);
  copier.PutText(object.root(), "apiVersion", to->group_version->api_version);
  return std::move(object);
}

}  // namespace skiff
