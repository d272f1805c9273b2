// The identity and the order of items when a strategic merge patch merges two lists.
//
// Items are told apart by a scalar: the item itself in lists of scalars, the value of the merge key
// in lists of objects. The merged list has two parts: the items that the patch speaks of, in the
// patch's order, and the others, in the live list's order. They are interleaved so that an item of
// the live list stands before an item of the patch only if it stood before it in the live list;
// items that are new therefore come first.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::object {

// A scalar as Kubernetes compares it: by type and by value.
struct ItemKey {
  Tag tag = Tag::kNull;
  int64_t bits = 0;  // the value, unless it is a text
  std::string_view text;

  friend bool operator==(const ItemKey&, const ItemKey&) = default;
};

// An item and its key. Keys get numbers from NumberKeys(), equal keys the same one.
struct KeyedItem {
  ItemKey key;
  Value value;
  uint32_t id = 0;
};

// The key of an item. `merge_key` is empty in lists of scalars. Fails when the item is not an
// object, lacks the merge key, or has one that is no scalar.
Result<ItemKey> ItemKeyOf(const Value& item, std::string_view merge_key);
Result<std::vector<KeyedItem>> KeyItems(std::span<const Value> items, std::string_view merge_key);

// Numbers the keys of all these lists, from 0 and in the order in which they first appear; returns
// how many there are.
size_t NumberKeys(std::initializer_list<std::vector<KeyedItem>*> lists);

// The first place in a list of each numbered key.
using ItemRanks = std::vector<uint32_t>;
inline constexpr uint32_t kNoRank = std::numeric_limits<uint32_t>::max();
ItemRanks RankItems(std::span<const KeyedItem> items, size_t key_count);

// Brings a merged list into order.
std::vector<Value> OrderItems(std::span<const KeyedItem> merged, const ItemRanks& patch_order,
                              const ItemRanks& live_order);

}  // namespace skiff::object
