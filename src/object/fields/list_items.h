// The items of a list that is owned item by item: which step leads to each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/arena.h"
#include "object/fields/path_element.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff::object {

// The step to an item of a list of this shape, which is not atomic. False, and why, if the item is
// none that could be told apart; the step is then `index`.
bool ItemElement(Arena& arena, const FieldShape& list, const Value& item, size_t index,
                 PathElement* out, std::string* why = nullptr);

// The steps to all items, in the order of the list. Null and absent lists have none.
std::span<const PathElement> ItemElements(Arena& arena, const FieldShape& list, const Value& value);

// Finds items by their step.
class ItemIndex {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  // The arrays of both lie in the arena.
  ItemIndex(Arena& arena, std::span<const PathElement> elements);

  bool has_duplicates() const { return has_duplicates_; }

  // The place of the first such item, or kNone.
  uint32_t Find(const PathElement& element) const;
  // How many items there are with the step of this one.
  size_t Count(const PathElement& element) const;
  // The places of all items, ascending by step and then by place.
  std::span<const uint32_t> sorted() const { return sorted_; }

 private:
  const uint32_t* LowerBound(const PathElement& element) const;

  std::span<const PathElement> elements_;
  std::span<uint32_t> sorted_;
  bool has_duplicates_ = false;
};

}  // namespace skiff::object
