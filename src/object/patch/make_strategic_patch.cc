#include "object/patch/make_strategic_patch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "object/patch/list_order.h"

namespace skiff::object {
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kOrder = "$setElementOrder/";
constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";

const FieldDesc* FieldOf(const MessageDesc* type, std::string_view name) {
  if (type == nullptr) return nullptr;
  const uint16_t field = type->FindField(name);
  return field == MessageDesc::kNoField ? nullptr : &type->fields[field];
}

// The items with their keys; nothing if two are alike or one has no key.
std::optional<std::vector<KeyedItem>> Keyed(const Value& list, std::string_view merge_key) {
  Result<std::vector<KeyedItem>> items = KeyItems(list.items(), merge_key);
  if (!items) return std::nullopt;
  std::vector<KeyedItem> copy = *items;
  if (NumberKeys({&copy}) != copy.size()) return std::nullopt;
  return std::move(*items);
}

const KeyedItem* Find(const std::vector<KeyedItem>& items, const ItemKey& key) {
  const auto found = std::ranges::find(items, key, &KeyedItem::key);
  return found != items.end() ? &*found : nullptr;
}

class PatchMaker {
 public:
  explicit PatchMaker(Arena& arena) : arena_(arena) {}

  // What `from` needs to become `to`; an empty map if nothing.
  Value Maps(const Value& from, const Value& to, const MessageDesc* type) {
    Value patch = Value::EmptyMap();
    for (const MapEntry& entry : to.entries()) {
      Member(entry.key, from.Find(entry.key), entry.value, FieldOf(type, entry.key), patch);
    }
    for (const MapEntry& entry : from.entries()) {
      if (to.Find(entry.key) == nullptr) patch.SetEntry(arena_, entry.key, Value());
    }
    return patch;
  }

 private:
  void Member(std::string_view name, const Value* from, const Value& to, const FieldDesc* field,
              Value& patch) {
    if (from != nullptr && DeepEqual(*from, to)) return;
    const FieldTraits& traits = field != nullptr ? *field->traits : kNoTraits;
    if (from != nullptr && from->is_map() && to.is_map() && !traits.patch_replace) {
      // The values of a map of messages are of the field's type too, one level down; they have no
      // lists that merge, so that what has no type is right for them.
      const bool is_message = field != nullptr && field->cardinality == Cardinality::kSingle;
      patch.SetEntry(arena_, name, Maps(*from, to, is_message ? field->message : nullptr));
    } else if (from != nullptr && from->is_list() && to.is_list() && traits.patch_merge) {
      Lists(name, *from, to, *field, patch);
    } else {
      patch.SetEntry(arena_, name, to.CopyInto(arena_));
    }
  }

  void Lists(std::string_view name, const Value& from, const Value& to, const FieldDesc& field,
             Value& patch) {
    const std::string_view merge_key = field.traits->merge_key;
    const auto old_items = Keyed(from, merge_key);
    const auto new_items = Keyed(to, merge_key);
    if (!old_items || !new_items) return Replace(name, to, patch);
    Value changes = Value::EmptyList();
    Value order = Value::EmptyList();
    Value gone = Value::EmptyList();
    for (const KeyedItem& item : *new_items) {
      const KeyedItem* before = Find(*old_items, item.key);
      AddItem(before, item, merge_key, field.message, changes);
      order.Append(arena_, merge_key.empty() ? item.value.CopyInto(arena_)
                                             : KeyAlone(item.value, merge_key));
    }
    for (const KeyedItem& item : *old_items) {
      if (Find(*new_items, item.key) != nullptr) continue;
      if (merge_key.empty()) {
        gone.Append(arena_, item.value.CopyInto(arena_));
      } else {
        Value deleted = KeyAlone(item.value, merge_key);
        deleted.SetEntry(arena_, kPatch, Value::String("delete"));
        changes.Append(arena_, deleted);
      }
    }
    if (gone.size() > 0) patch.SetEntry(arena_, std::string(kDelete) + std::string(name), gone);
    patch.SetEntry(arena_, std::string(kOrder) + std::string(name), order);
    if (changes.size() > 0) patch.SetEntry(arena_, name, changes);
  }

  void AddItem(const KeyedItem* before, const KeyedItem& item, std::string_view merge_key,
               const MessageDesc* type, Value& changes) {
    if (before == nullptr) {
      changes.Append(arena_, item.value.CopyInto(arena_));
    } else if (!merge_key.empty() && !DeepEqual(before->value, item.value)) {
      Value change = Maps(before->value, item.value, type);
      change.SetEntry(arena_, merge_key, item.value.Find(merge_key)->CopyInto(arena_));
      changes.Append(arena_, change);
    }
  }

  void Replace(std::string_view name, const Value& to, Value& patch) {
    Value list = Value::EmptyList();
    const bool has_maps =
        std::ranges::any_of(to.items(), [](const Value& item) { return item.is_map(); });
    if (has_maps || to.size() == 0) {
      Value directive = Value::EmptyMap();
      directive.SetEntry(arena_, kPatch, Value::String("replace"));
      list.Append(arena_, directive);
    }
    for (const Value& item : to.items()) list.Append(arena_, item.CopyInto(arena_));
    patch.SetEntry(arena_, name, list);
  }

  Value KeyAlone(const Value& item, std::string_view merge_key) {
    Value out = Value::EmptyMap();
    out.SetEntry(arena_, merge_key, item.Find(merge_key)->CopyInto(arena_));
    return out;
  }

  Arena& arena_;
};

}  // namespace

Document MakeStrategicMergePatch(const Value& from, const Value& to, const MessageDesc* type) {
  Arena arena;
  const Value patch = PatchMaker(arena).Maps(from, to, type);
  return Document(std::move(arena), patch);
}

}  // namespace skiff::object
