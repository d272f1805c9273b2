#include "object/patch/list_merge.h"

#include <optional>
#include <string>
#include <vector>

#include "object/patch/go_text.h"
#include "object/patch/list_order.h"

namespace skiff::object {
namespace {

constexpr std::string_view kPatch = "$patch";

std::unexpected<Status> Unclassified(std::string message) {
  return Fail(StatusReason::kUnknown, std::move(message));
}

// The one tag of all items of both lists; null when there are none.
Result<Tag> ItemTag(const Value& a, const Value& b) {
  std::optional<Tag> tag;
  for (const Value* list : {&a, &b}) {
    for (const Value& item : list->items()) {
      if (tag.has_value() && *tag == item.tag()) continue;
      if (!tag.has_value() && item.is_list()) {
        return Fail(StatusReason::kInvalid, "lists of lists are not supported");
      }
      if (tag.has_value() || item.is_null()) {
        return Unclassified("list element types are not identical: [" + GoText(a) + ' ' +
                            GoText(b) + ']');
      }
      tag = item.tag();
    }
  }
  return tag.value_or(Tag::kNull);
}

// A patch's list, sorted by what its items want.
struct PatchItems {
  std::vector<KeyedItem> merge;
  std::vector<KeyedItem> remove;
  bool replace = false;
};

Result<PatchItems> SortPatchItems(const Value& patch, std::string_view merge_key) {
  PatchItems out;
  for (const Value& item : patch.items()) {
    const Value* const directive = item.Find(kPatch);
    const std::string_view name =
        directive != nullptr && directive->is_string() ? directive->AsText() : std::string_view();
    if (name == "replace") {
      out.replace = true;
    } else if (directive == nullptr || name == "delete") {
      SKIFF_ASSIGN_OR_RETURN(const ItemKey key, ItemKeyOf(item, merge_key));
      (directive != nullptr ? out.remove : out.merge).push_back({key, item, 0});
    } else if (name == "merge") {
      return Unclassified("merging lists cannot yet be specified in the patch");
    } else {
      return UnknownPatchType(*directive, item);
    }
  }
  return out;
}

Result<Value> MergeObjects(Arena& arena, const Value& original, const Value& patch,
                           std::string_view merge_key, const MessageDesc* item_type,
                           ItemMerger& merger) {
  if (merge_key.empty()) {
    return Unclassified("cannot merge lists without merge key for struct");
  }
  SKIFF_ASSIGN_OR_RETURN(PatchItems wanted, SortPatchItems(patch, merge_key));
  if (wanted.replace) {
    const size_t key_count = NumberKeys({&wanted.merge});
    std::vector<Value> items =
        OrderItems(wanted.merge, ItemRanks(key_count, kNoRank), RankItems(wanted.merge, key_count));
    for (Value& item : items) item = item.CopyInto(arena);
    return Value::List(arena, items);
  }

  SKIFF_ASSIGN_OR_RETURN(std::vector<KeyedItem> merged, KeyItems(original.items(), merge_key));
  const size_t key_count = NumberKeys({&merged, &wanted.merge, &wanted.remove});
  const ItemRanks removed = RankItems(wanted.remove, key_count);
  std::erase_if(merged, [&](const KeyedItem& item) { return removed[item.id] != kNoRank; });
  const ItemRanks live_order = RankItems(merged, key_count);
  ItemRanks places = live_order;
  for (const KeyedItem& item : wanted.merge) {
    uint32_t& place = places[item.id];
    if (place == kNoRank) {
      place = static_cast<uint32_t>(merged.size());
      merged.push_back({item.key, item.value.CopyInto(arena), item.id});
      continue;
    }
    Value& present = merged[place].value;
    SKIFF_ASSIGN_OR_RETURN(present, merger.MergeMap(present, item.value, item_type));
  }
  return Value::List(arena, OrderItems(merged, RankItems(wanted.merge, key_count), live_order));
}

Result<Value> UniteScalars(Arena& arena, const Value& original, const Value& patch,
                           std::string_view merge_key) {
  SKIFF_ASSIGN_OR_RETURN(auto live, KeyItems(original.items(), merge_key));
  SKIFF_ASSIGN_OR_RETURN(auto wanted, KeyItems(patch.items(), merge_key));
  const size_t key_count = NumberKeys({&live, &wanted});
  const ItemRanks live_order = RankItems(live, key_count);
  const ItemRanks patch_order = RankItems(wanted, key_count);
  std::vector<KeyedItem> united;
  united.reserve(live.size());
  for (size_t i = 0; i < live.size(); ++i) {
    if (live_order[live[i].id] == i) united.push_back(live[i]);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto& [key, value, id] = wanted[i];
    if (live_order[id] != kNoRank || patch_order[id] != i) continue;
    united.push_back({key, value.CopyInto(arena), id});
  }
  return Value::List(arena, OrderItems(united, patch_order, live_order));
}

}  // namespace

std::unexpected<Status> UnknownPatchType(const Value& directive, const Value& map) {
  return Unclassified("unknown patch type: " + GoText(directive) + " in map: " + GoText(map));
}

Result<Value> MergeLists(Arena& arena, const Value& original, const Value& patch,
                         std::string_view merge_key, const MessageDesc* item_type,
                         ItemMerger& merger) {
  SKIFF_ASSIGN_OR_RETURN(const Tag tag, ItemTag(original, patch));
  if (tag == Tag::kNull) return original;
  if (tag == Tag::kMap) {
    return MergeObjects(arena, original, patch, merge_key, item_type, merger);
  }
  return UniteScalars(arena, original, patch, merge_key);
}

Result<Value> DeleteScalars(Arena& arena, const Value& list, const Value& values) {
  SKIFF_ASSIGN_OR_RETURN(const Tag tag, ItemTag(list, values));
  if (tag == Tag::kMap) return BadRequest("invalid patch format of primitive list");
  SKIFF_ASSIGN_OR_RETURN(auto unwanted, KeyItems(values.items(), {}));
  SKIFF_ASSIGN_OR_RETURN(auto present, KeyItems(list.items(), {}));
  const size_t key_count = NumberKeys({&unwanted, &present});
  const ItemRanks removed = RankItems(unwanted, key_count);
  std::vector<Value> kept;
  for (const KeyedItem& item : present) {
    if (removed[item.id] == kNoRank) kept.push_back(item.value);
  }
  return Value::List(arena, kept);
}

Result<void> CheckElementOrder(const Value& patch, const Value& order, std::string_view merge_key) {
  if (patch.size() == 0 || order.size() == 0) return {};
  SKIFF_ASSIGN_OR_RETURN(const auto ordered, KeyItems(order.items(), merge_key));
  auto next = ordered.begin();
  for (const Value& item : patch.items()) {
    if (item.is_map() && item.Find(kPatch) != nullptr) continue;
    SKIFF_ASSIGN_OR_RETURN(const ItemKey key, ItemKeyOf(item, merge_key));
    while (next != ordered.end() && next->key != key) ++next;
    if (next == ordered.end()) {
      return Unclassified("The order in patch list:\n" + GoText(patch) +
                          "\n doesn't match $setElementOrder list:\n" + GoText(order) + '\n');
    }
    ++next;
  }
  return {};
}

Result<Value> OrderElements(Arena& arena, const Value& merged, const Value& order,
                            const Value& live, std::string_view merge_key) {
  SKIFF_ASSIGN_OR_RETURN(auto items, KeyItems(merged.items(), merge_key));
  SKIFF_ASSIGN_OR_RETURN(auto ordered, KeyItems(order.items(), merge_key));
  SKIFF_ASSIGN_OR_RETURN(auto present, KeyItems(live.items(), merge_key));
  const size_t key_count = NumberKeys({&items, &ordered, &present});
  return Value::List(
      arena, OrderItems(items, RankItems(ordered, key_count), RankItems(present, key_count)));
}

}  // namespace skiff::object
