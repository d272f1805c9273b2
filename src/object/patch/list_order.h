// The identity and the order of items when a strategic merge patch merges two lists.
//
// Items are told apart by a scalar: the item itself in lists of scalars, the value of the merge key
// in lists of objects. The merged list has two parts: the items that the patch speaks of, in the
// patch's order, and the others, in the live list's order. They are interleaved so that an item of
// the live list stands before an item of the patch only if it stood before it in the live list;
// items that are new therefore come first.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff {

// A scalar as Kubernetes compares it: by type, then by value.
struct ItemKey {
  Tag tag = Tag::kNull;
  int64_t bits = 0;
  std::string_view text;

  friend auto operator<=>(const ItemKey&, const ItemKey&) = default;
};

// The key of an item. `merge_key` is empty in lists of scalars. Fails when the item is not an
// object, lacks the merge key, or has one that is no scalar.
Result<ItemKey> ItemKeyOf(const Value& item, std::string_view merge_key);

struct KeyedItem {
  ItemKey key;
  Value value;
};
Result<std::vector<KeyedItem>> KeyItems(std::span<const Value> items, std::string_view merge_key);

// The first place of each key in a list.
using ItemRanks = std::map<ItemKey, size_t>;
ItemRanks RankItems(std::span<const KeyedItem> items);

// Brings a merged list into order.
std::vector<Value> OrderItems(std::span<const KeyedItem> merged, const ItemRanks& patch_order,
                              const ItemRanks& live_order);

}  // namespace skiff
