#include "object/patch/tree_edit.h"

#include <algorithm>

namespace skiff::object {

// Gallops from the last key that was looked up, since patches name keys in ascending order.
std::optional<size_t> MapEdit::IndexOf(std::string_view key) {
  const bool ahead = last_found_ < entries_.size() && entries_[last_found_].key <= key;
  size_t begin = ahead ? last_found_ : 0;
  size_t step = 1;
  while (begin + step < entries_.size() && entries_[begin + step].key < key) {
    begin += step;
    step *= 2;
  }
  const auto first = entries_.begin() + static_cast<ptrdiff_t>(begin);
  const auto last =
      entries_.begin() + static_cast<ptrdiff_t>(std::min(entries_.size(), begin + step + 1));
  const auto found = std::ranges::lower_bound(first, last, key, {}, &MapEntry::key);
  last_found_ = static_cast<size_t>(found - entries_.begin());
  if (found == entries_.end() || found->key != key) return std::nullopt;
  return last_found_;
}

std::vector<MapEntry>::iterator MapEdit::AddedFrom(std::string_view key) {
  if (added_.empty() || added_.back().key < key) return added_.end();
  return std::ranges::lower_bound(added_, key, {}, &MapEntry::key);
}

Value* MapEdit::Find(std::string_view key) {
  if (const auto index = IndexOf(key)) return erased_[*index] ? nullptr : &entries_[*index].value;
  const auto added = AddedFrom(key);
  return added == added_.end() || added->key != key ? nullptr : &added->value;
}

void MapEdit::Set(std::string_view key, Value value) {
  if (const auto index = IndexOf(key)) {
    entries_[*index].value = value;
    erased_[*index] = false;
    return;
  }
  const auto added = AddedFrom(key);
  if (added != added_.end() && added->key == key) {
    added->value = value;
  } else {
    added_.insert(added, {key, value});
  }
}

void MapEdit::Erase(std::string_view key) {
  if (const auto index = IndexOf(key)) {
    erased_[*index] = true;
    return;
  }
  const auto added = AddedFrom(key);
  if (added != added_.end() && added->key == key) added_.erase(added);
}

Value MapEdit::Finish(Arena& arena) const {
  std::vector<MapEntry> all;
  all.reserve(entries_.size() + added_.size());
  auto added = added_.begin();
  const auto take_added_before = [&](std::string_view key, bool rest) {
    for (; added != added_.end() && (rest || added->key < key); ++added) {
      all.push_back({arena.Copy(added->key), added->value});
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

}  // namespace skiff::object
