#include "object/patch/list_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "object/patch/go_text.h"

namespace skiff {
namespace {

// The first eight bytes as a number; shorter texts are filled with zeros.
int64_t Prefix(std::string_view text) {
  int64_t bits = 0;
  if (!text.empty()) std::memcpy(&bits, text.data(), std::min(text.size(), sizeof bits));
  return bits;
}

struct RankedItem {
  uint32_t rank;       // in the list that orders this part
  uint32_t live_rank;  // in the live list
  Value value;
};

// Items without a rank, which only an empty $setElementOrder list leaves, follow the others,
// the last first: the outcome of Kubernetes' sort, which calls them smaller than everything.
void SortByRank(std::vector<RankedItem>& items) {
  const auto unranked = std::ranges::stable_partition(
      items, [](const RankedItem& item) { return item.rank != kNoRank; });
  std::ranges::reverse(unranked);
  std::ranges::stable_sort(items, {}, &RankedItem::rank);
}

}  // namespace

Result<ItemKey> ItemKeyOf(const Value& item, std::string_view merge_key) {
  const Value* scalar = &item;
  if (!merge_key.empty()) {
    if (!item.is_map()) {
      return Fail(StatusReason::kUnknown, "expected a map[string]interface {}, but received a " +
                                              std::string(GoTypeName(item)));
    }
    scalar = item.Find(merge_key);
    if (scalar == nullptr) {
      return Fail(StatusReason::kUnknown, "map: " + GoText(item) +
                                              " does not contain declared merge key: " +
                                              std::string(merge_key));
    }
  }
  ItemKey key;
  key.tag = scalar->tag();
  switch (scalar->tag()) {
    case Tag::kNull: break;
    case Tag::kBool: key.bits = scalar->AsBool() ? 1 : 0; break;
    case Tag::kInt: key.bits = scalar->AsInt(); break;
    case Tag::kUint: key.bits = static_cast<int64_t>(scalar->AsUint()); break;
    case Tag::kDouble: key.bits = std::bit_cast<int64_t>(scalar->AsDouble()); break;
    case Tag::kString:
      key.text = scalar->AsText();
      key.bits = Prefix(key.text);
      break;
    default:
      return BadRequest(merge_key.empty()
                            ? "items of a list without a merge key must be scalars"
                            : "merge key " + std::string(merge_key) + " must be a scalar");
  }
  return key;
}

Result<std::vector<KeyedItem>> KeyItems(std::span<const Value> items, std::string_view merge_key) {
  std::vector<KeyedItem> keyed;
  keyed.reserve(items.size());
  for (const Value& item : items) {
    SKIFF_ASSIGN_OR_RETURN(const ItemKey key, ItemKeyOf(item, merge_key));
    keyed.push_back({key, item, 0});
  }
  return keyed;
}

size_t NumberKeys(std::initializer_list<std::vector<KeyedItem>*> lists) {
  std::vector<KeyedItem*> sorted;
  for (std::vector<KeyedItem>* list : lists) {
    for (KeyedItem& item : *list) sorted.push_back(&item);
  }
  std::ranges::sort(sorted, {}, [](const KeyedItem* item) -> const ItemKey& { return item->key; });
  uint32_t next = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i]->key != sorted[i - 1]->key) ++next;
    sorted[i]->id = next;
  }
  return sorted.empty() ? 0 : next + 1;
}

ItemRanks RankItems(std::span<const KeyedItem> items, size_t key_count) {
  ItemRanks ranks(key_count, kNoRank);
  for (size_t i = items.size(); i-- > 0;) ranks[items[i].id] = static_cast<uint32_t>(i);
  return ranks;
}

std::vector<Value> OrderItems(std::span<const KeyedItem> merged, const ItemRanks& patch_order,
                              const ItemRanks& live_order) {
  std::vector<RankedItem> from_patch, live_only;
  for (const auto& [key, value, id] : merged) {
    const uint32_t patch_rank = patch_order[id];
    const uint32_t live_rank = live_order[id];
    if (patch_rank != kNoRank) {
      from_patch.push_back({patch_rank, live_rank, value});
    } else {
      live_only.push_back({live_rank, live_rank, value});
    }
  }
  SortByRank(from_patch);
  SortByRank(live_only);

  std::vector<Value> ordered;
  ordered.reserve(merged.size());
  auto live = live_only.begin();
  for (const RankedItem& item : from_patch) {
    for (; live != live_only.end() && live->live_rank != kNoRank && item.live_rank != kNoRank &&
           live->live_rank < item.live_rank;
         ++live) {
      ordered.push_back(live->value);
    }
    ordered.push_back(item.value);
  }
  for (; live != live_only.end(); ++live) ordered.push_back(live->value);
  return ordered;
}

}  // namespace skiff
