// Lists in a strategic merge patch: merging, deleting and ordering their items.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

// How the items of two lists merge once they are known to be the same item. Breaks the circle
// between maps, which contain lists, and lists, which contain maps.
class ItemMerger {
 public:
  virtual Result<Value> MergeMap(const Value& original, const Value& patch,
                                 const MessageDesc* type) = 0;

 protected:
  ~ItemMerger() = default;
};

// Merges a patch's list into a live one: objects by their merge key, scalars as a set. Obeys the
// directives in the patch's items. The result is in order (see list_order.h).
Result<Value> MergeLists(Arena& arena, const Value& original, const Value& patch,
                         std::string_view merge_key, const MessageDesc* item_type,
                         ItemMerger& merger);

// The list without the scalars that `values` names.
Result<Value> DeleteScalars(Arena& arena, const Value& list, const Value& values);

// Items of the patch must appear in $setElementOrder, and in the same order.
Result<void> CheckElementOrder(const Value& patch, const Value& order, std::string_view merge_key);

// Brings a merged list into the order of $setElementOrder; items that it does not name keep their
// place in the live list.
Result<Value> OrderElements(Arena& arena, const Value& merged, const Value& order,
                            const Value& live, std::string_view merge_key);

std::unexpected<Status> UnknownPatchType(const Value& directive, const Value& map);

}  // namespace skiff::object
