// Finds the ranges that contain a key without looking at all of them: a balanced tree laid out in
// a sorted array, in which every subtree knows how far its ranges reach.
//
// Not thread-safe. Building it anew costs a sort, so it suits sets that change less often than they
// are asked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace skiff::store {

template <typename Item>
class RangeIndex {
 public:
  // The ranges must live, unchanged, until the next Build().
  void Clear() { nodes_.clear(); }
  void Add(const KeyRange* range, Item item) { nodes_.push_back({range, nullptr, item}); }
  void Build() {
    std::ranges::sort(nodes_,
                      [](const Node& a, const Node& b) { return a.range->start < b.range->start; });
    Reach(0, nodes_.size());
  }

  // found(Item) for each range with the key.
  template <typename Found>
  void Find(std::string_view key, Found found) const {
    Find(0, nodes_.size(), key, found);
  }
  bool empty() const { return nodes_.empty(); }

 private:
  struct Node {
    const KeyRange* range;
    const KeyRange* farthest;  // of the subtree, by its end
    Item item;
  };

  static bool ReachesFarther(const KeyRange* a, const KeyRange* b) {
    return !b->end.empty() && (a->end.empty() || a->end > b->end);
  }

  // The subtree of [begin, end) has its root in the middle.
  const KeyRange* Reach(size_t begin, size_t end) {
    if (begin == end) return nullptr;
    const size_t middle = begin + (end - begin) / 2;
    const KeyRange* farthest = nodes_[middle].range;
    for (const KeyRange* side : {Reach(begin, middle), Reach(middle + 1, end)}) {
      if (side != nullptr && ReachesFarther(side, farthest)) farthest = side;
    }
    nodes_[middle].farthest = farthest;
    return farthest;
  }

  template <typename Found>
  void Find(size_t begin, size_t end, std::string_view key, Found& found) const {
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      const Node& node = nodes_[middle];
      if (!node.farthest->end.empty() && key >= std::string_view(node.farthest->end)) return;
      Find(begin, middle, key, found);
      if (key < std::string_view(node.range->start)) return;
      if (node.range->Contains(key)) found(node.item);
      begin = middle + 1;
    }
  }

  std::vector<Node> nodes_;
};

}  // namespace skiff::store
