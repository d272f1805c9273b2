// What merge patches and strategic merge patches share: editing a map in linear time, and copying
// parts of a patch into a document.
//
// Both read the patch and never change it, so one decoded patch can be applied again when a write
// meets a conflict. Whatever goes into the document is copied into its arena.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "object/value.h"

namespace skiff::object {

// The entries of a map while a patch changes them. Value::SetEntry() shifts all entries behind a
// new one, which a patch of many keys would make quadratic; here changes in ascending order of
// keys cost next to nothing, and Finish() writes the map once.
class MapEdit {
 public:
  explicit MapEdit(const Value& map)
      : entries_(map.entries().begin(), map.entries().end()), erased_(entries_.size(), false) {}

  Value* Find(std::string_view key);  // null when absent; valid until the next Set()
  // The key must live until Finish(), which copies it.
  void Set(std::string_view key, Value value);
  void Erase(std::string_view key);
  // Erases every entry for whose key `keep(key)` is false.
  template <typename Keep>
  void EraseUnless(const Keep& keep) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (!keep(entries_[i].key)) erased_[i] = true;
    }
  }

  Value Finish(Arena& arena) const;

 private:
  std::optional<size_t> IndexOf(std::string_view key);
  std::vector<MapEntry>::iterator AddedFrom(std::string_view key);

  std::vector<MapEntry> entries_;
  std::vector<bool> erased_;
  std::vector<MapEntry> added_;  // ascending by key
  size_t last_found_ = 0;        // where the next look-up begins, if its key is not smaller
};

// What CopyPruned() leaves out.
struct Prune {
  bool null_members = false;  // of maps at any depth, those in lists too; null items stay
  bool directives = false;    // maps that have a $patch member
};

// A copy of a patch's value without what a new value cannot mean: nothing is there yet that a null
// or a directive could act on. Nothing when the value as a whole is left out.
std::optional<Value> CopyPruned(Arena& arena, const Value& value, Prune prune);

}  // namespace skiff::object
