#include "apiserver/extensions/schema/list_types.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "apiserver/extensions/schema/correlation.h"
#include "apiserver/extensions/schema/value_faults.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

// The same for items that are the same. Lists and maps are compared as JSON.
std::string ItemText(const object::Value& item) {
  std::string out;
  if (item.is_null()) return "n";
  if (!AppendScalarKey(item, out)) out = object::EncodeJson(item);
  return out;
}

// Indexes of items that are there for the second time.
std::vector<size_t> SecondOnes(const std::vector<std::string>& texts) {
  std::vector<size_t> out;
  std::unordered_map<std::string_view, size_t> times;
  times.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (++times[texts[i]] == 2) out.push_back(i);
  }
  return out;
}

void SayDuplicate(size_t index, const object::Value& value, FieldErrors& errors) {
  const auto at = errors.At("", index);
  if (value.is_string()) return errors.Duplicate("", value.AsText());
  if (value.tag() != object::Tag::kDouble) return errors.Duplicate("", ShownValue(value));
  errors.Append({StatusCause{"FieldValueDuplicate", "Duplicate value: " + GoShown(value),
                             errors.PathOf("")}});
}

void ValidateSet(const object::Value& list, FieldErrors& errors) {
  if (list.size() < 2) return;
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const object::Value& item : list.items()) texts.push_back(ItemText(item));
  for (const size_t i : SecondOnes(texts)) SayDuplicate(i, list.items()[i], errors);
}

// The keys that an item has.
object::Value KeysOfItem(const SchemaNode& schema, const object::Value& item, Arena& arena) {
  object::Value keys = object::Value::EmptyMap();
  if (!item.is_map()) return keys;
  for (const std::string_view key : schema.list_map_keys()) {
    const object::Value* value = item.Find(key);
    if (value != nullptr) keys.SetEntry(arena, key, *value);
  }
  return keys;
}

void ValidateMapList(const SchemaNode& schema, const object::Value& list, FieldErrors& errors) {
  for (size_t i = 0; i < list.size(); ++i) {
    const object::Value& item = list.items()[i];
    if (item.is_null() || item.is_map()) continue;
    const auto at = errors.At("", i);
    const ShownValue shown = item.is_string() ? ShownValue(item.AsText()) : ShownValue(item);
    return errors.Invalid("", shown, "must be an object for an array of list-type map");
  }
  if (list.size() < 2) return;
  Arena arena;
  std::vector<object::Value> keys;
  std::vector<std::string> texts;
  for (const object::Value& item : list.items()) {
    keys.push_back(KeysOfItem(schema, item, arena));
    const bool is_simple = schema.list_map_keys().size() == 1;
    if (is_simple && keys.back().size() == 0) {
      texts.emplace_back("no key");
    } else {
      texts.push_back(ItemText(is_simple ? keys.back().entries()[0].value : keys.back()));
    }
  }
  for (const size_t i : SecondOnes(texts)) SayDuplicate(i, keys[i], errors);
}

}  // namespace

bool HasDuplicates(const object::Value& list) {
  std::unordered_set<std::string> seen;
  for (const object::Value& item : list.items()) {
    if (!seen.insert(ItemText(item)).second) return true;
  }
  return false;
}

void ValidateListTypes(const SchemaNode& schema, const object::Value& value, FieldErrors& errors) {
  if (!schema.is(SchemaNode::kKeyedLists)) return;
  if (value.is_map()) {
    for (const object::MapEntry& entry : value.entries()) {
      if (const SchemaNode* property = schema.FindProperty(entry.key)) {
        const auto at = errors.At(entry.key);
        ValidateListTypes(*property, entry.value, errors);
      } else if (schema.additional != nullptr) {
        const auto at = errors.AtKey("", entry.key);
        ValidateListTypes(*schema.additional, entry.value, errors);
      }
    }
    return;
  }
  if (!value.is_list()) return;
  if (schema.list_type == object::ListType::kSet) ValidateSet(value, errors);
  if (schema.list_type == object::ListType::kMap) ValidateMapList(schema, value, errors);
  if (schema.items == nullptr || !schema.items->is(SchemaNode::kKeyedLists)) return;
  for (size_t i = 0; i < value.size(); ++i) {
    const auto at = errors.At("", i);
    ValidateListTypes(*schema.items, value.items()[i], errors);
  }
}

}  // namespace skiff::apiserver
