#include "object/patch/list_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "base/hash_index.h"
#include "object/patch/go_text.h"

namespace skiff::object {
namespace {

uint32_t HashOf(const ItemKey& key, uint64_t seed) {
  if (key.tag == Tag::kString) return KeyedHash(key.text.data(), key.text.size(), seed);
  return KeyedHash(&key.bits, sizeof key.bits, seed + static_cast<uint64_t>(key.tag));
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
  const std::span<RankedItem> ranked(items.begin(), unranked.begin());
  if (std::ranges::is_sorted(ranked, {}, &RankedItem::rank)) return;
  // Ranks are places in a list, so counting them sorts in linear time.
  const uint32_t highest = std::ranges::max_element(ranked, {}, &RankedItem::rank)->rank;
  std::vector<uint32_t> places(size_t{highest} + 2);
  for (const RankedItem& item : ranked) ++places[item.rank + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<RankedItem> sorted(ranked.size());
  for (const RankedItem& item : ranked) sorted[places[item.rank]++] = item;
  std::ranges::copy(sorted, ranked.begin());
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
      return Fail(StatusReason::kUnknown,
                  "map: " + GoText(item) +
                      " does not contain declared merge key: " + std::string(merge_key));
    }
  }
  ItemKey key;
  key.tag = scalar->tag();
  switch (scalar->tag()) {
    case Tag::kNull:
      break;
    case Tag::kBool:
      key.bits = scalar->AsBool() ? 1 : 0;
      break;
    case Tag::kInt:
      key.bits = scalar->AsInt();
      break;
    case Tag::kUint:
      key.bits = static_cast<int64_t>(scalar->AsUint());
      break;
    case Tag::kDouble:
      key.bits = std::bit_cast<int64_t>(scalar->AsDouble());
      break;
    case Tag::kString:
      key.text = scalar->AsText();
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
  const uint64_t seed = ProcessHashSeed();
  const std::vector<KeyedItem>& first = **lists.begin();
  HashIndex<const KeyedItem*> numbered;
  numbered.Reserve(first.size());
  for (std::vector<KeyedItem>* list : lists) {
    // Lists are mostly in the same order, and then no table is needed.
    size_t expected = list == &first ? first.size() : 0;
    for (KeyedItem& item : *list) {
      if (expected < first.size() && first[expected].key == item.key) {
        item.id = first[expected++].id;
        continue;
      }
      const uint32_t hash = HashOf(item.key, seed);
      const KeyedItem* const* const found =
          numbered.Find(hash, [&](const KeyedItem* other) { return other->key == item.key; });
      if (found == nullptr) {
        item.id = static_cast<uint32_t>(numbered.size());
        numbered.Insert(hash, &item);
      } else {
        item.id = (*found)->id;
        const bool in_first = *found >= first.data() && *found < first.data() + first.size();
        if (list != &first && in_first) expected = static_cast<size_t>(*found - first.data()) + 1;
      }
    }
  }
  return numbered.size();
}

ItemRanks RankItems(std::span<const KeyedItem> items, size_t key_count) {
  ItemRanks ranks(key_count, kNoRank);
  for (size_t i = items.size(); i-- > 0;) ranks[items[i].id] = static_cast<uint32_t>(i);
  return ranks;
}

std::vector<Value> OrderItems(std::span<const KeyedItem> merged, const ItemRanks& patch_order,
                              const ItemRanks& live_order) {
  std::vector<RankedItem> from_patch, live_only;
  from_patch.reserve(merged.size());
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

}  // namespace skiff::object
