#include "object/patch/tree_edit.h"

#include <algorithm>

namespace skiff {

std::optional<size_t> MapEdit::IndexOf(std::string_view key) const {
  const auto found = std::ranges::lower_bound(entries_, key, {}, &MapEntry::key);
  if (found == entries_.end() || found->key != key) return std::nullopt;
  return static_cast<size_t>(found - entries_.begin());
}

Value* MapEdit::Find(std::string_view key) {
  if (const auto index = IndexOf(key)) return erased_[*index] ? nullptr : &entries_[*index].value;
  const auto added = added_.find(key);
  return added == added_.end() ? nullptr : &added->second;
}

void MapEdit::Set(std::string_view key, Value value) {
  if (const auto index = IndexOf(key)) {
    entries_[*index].value = value;
    erased_[*index] = false;
  } else {
    added_[key] = value;
  }
}

void MapEdit::Erase(std::string_view key) {
  if (const auto index = IndexOf(key)) {
    erased_[*index] = true;
  } else {
    added_.erase(key);
  }
}

Value MapEdit::Finish(Arena& arena) const {
  std::vector<MapEntry> all;
  all.reserve(entries_.size() + added_.size());
  auto added = added_.begin();
  const auto take_added_before = [&](std::string_view key, bool rest) {
    for (; added != added_.end() && (rest || added->first < key); ++added) {
      all.push_back({arena.Copy(added->first), added->second});
    }
  };
  for (size_t i = 0; i < entries_.size(); ++i) {
    take_added_before(entries_[i].key, false);
    if (!erased_[i]) all.push_back(entries_[i]);
  }
  take_added_before({}, true);
  return Value::Map(arena, all);
}

std::optional<Value> CopyPruned(Arena& arena, const Value& value, Prune prune) {
  if (value.is_map()) {
    if (prune.directives && value.Find("$patch") != nullptr) return std::nullopt;
    std::vector<MapEntry> entries;
    entries.reserve(value.size());
    for (const MapEntry& entry : value.entries()) {
      if (prune.null_members && entry.value.is_null()) continue;
      const auto copy = CopyPruned(arena, entry.value, prune);
      if (copy.has_value()) entries.push_back({arena.Copy(entry.key), *copy});
    }
    return Value::Map(arena, entries);
  }
  if (value.is_list()) {
    std::vector<Value> items;
    items.reserve(value.size());
    for (const Value& item : value.items()) {
      if (const auto copy = CopyPruned(arena, item, prune)) items.push_back(*copy);
    }
    return Value::List(arena, items);
  }
  return value.CopyInto(arena);
}

}  // namespace skiff
