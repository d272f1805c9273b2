#include "apiserver/extensions/schema/correlation.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "object/equal.h"

namespace skiff::apiserver {
namespace {

// False when the item lacks one of the keys, or has none that can be compared.
bool KeysOf(const SchemaNode& list, const object::Value& item, std::string& out) {
  if (!item.is_map()) return false;
  return std::ranges::all_of(list.list_map_keys(), [&](std::string_view key) {
    const object::Value* value = item.Find(key);
    return value != nullptr && AppendScalarKey(*value, out);
  });
}

bool IsUnchangedList(const SchemaNode& schema, const object::Value& now, const object::Value& old) {
  if (now.size() != old.size()) return false;
  if (now.size() == 0) return true;
  if (schema.list_type != object::ListType::kMap) return object::Identical(now, old);
  if (schema.items == nullptr) return false;
  const OldItems items(schema, old);
  return std::ranges::all_of(now.items(), [&](const object::Value& item) {
    const object::Value* before = items.Find(item);
    return before != nullptr && IsUnchanged(*schema.items, item, *before);
  });
}

// Metadata, when it is typed.
bool IsUnchangedMessage(const SchemaNode& schema, const object::Value& now,
                        const object::Value& old) {
  return now.type() == old.type() &&
         std::ranges::equal(now.members(), old.members(), [&](const auto& a, const auto& b) {
           const SchemaNode* field = a.field() == b.field()
                                         ? schema.FindField(a.field_desc(*now.type()).name())
                                         : nullptr;
           return field != nullptr && IsUnchanged(*field, a, b);
         });
}

}  // namespace

bool AppendScalarKey(const object::Value& value, std::string& out) {
  switch (value.tag()) {
    case object::Tag::kBool:
      out += value.AsBool() ? "b1" : "b0";
      break;
    case object::Tag::kInt:
      (out += 'i') += std::to_string(value.AsInt());
      break;
    case object::Tag::kDouble:
      // Zero has two forms that are equal.
      (out += 'd') += std::to_string(std::bit_cast<uint64_t>(value.AsDouble() + 0.0));
      break;
    case object::Tag::kString:
      ((out += 's') += std::to_string(value.AsText().size()) + ':') += value.AsText();
      break;
    default:
      return false;
  }
  out += ';';
  return true;
}

OldItems::OldItems(const SchemaNode& list, const object::Value& old) : list_(list) {
  const bool is_keyed = list.type == SchemaType::kArray &&
                        list.list_type == object::ListType::kMap && !list.list_map_keys().empty() &&
                        old.is_list();
  if (!is_keyed) return;
  by_keys_.reserve(old.size());
  for (const object::Value& item : old.items()) {
    std::string keys;
    if (KeysOf(list, item, keys)) by_keys_.try_emplace(std::move(keys), &item);
  }
}

const object::Value* OldItems::Find(const object::Value& item) const {
  if (by_keys_.empty()) return nullptr;
  std::string keys;
  if (!KeysOf(list_, item, keys)) return nullptr;
  const auto found = by_keys_.find(keys);
  return found != by_keys_.end() ? found->second : nullptr;
}

bool IsUnchanged(const SchemaNode& schema, const object::Value& now, const object::Value& old) {
  if (now.tag() != old.tag()) return false;
  if (now.is_object()) return IsUnchangedMessage(schema, now, old);
  if (now.is_list()) return IsUnchangedList(schema, now, old);
  if (!now.is_map()) return object::Identical(now, old);
  // Keys of maps ascend, so the same ones stand side by side.
  return now.size() == old.size() &&
         std::ranges::equal(now.entries(), old.entries(), [&](const auto& a, const auto& b) {
           const SchemaNode* field = a.key == b.key ? schema.FindField(a.key) : nullptr;
           return field != nullptr && IsUnchanged(*field, a.value, b.value);
         });
}

}  // namespace skiff::apiserver
