#include "object/patch/strategic_merge_patch.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "object/patch/bounds.h"
#include "object/patch/go_text.h"
#include "object/patch/list_merge.h"
#include "object/patch/tree_edit.h"

namespace skiff::object {
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
constexpr std::string_view kSetElementOrder = "$setElementOrder";

// Takes `prefix` and a slash off the key, or fails with the message of the directive.
Result<std::string_view> FieldOfDirective(std::string_view key, std::string_view prefix,
                                          const char* message) {
  if (key.size() <= prefix.size() || key[prefix.size()] != '/') return BadRequest(message);
  return key.substr(prefix.size() + 1);
}

const FieldDesc* FindField(const MessageDesc* type, std::string_view name) {
  const uint16_t field = type == nullptr ? MessageDesc::kNoField : type->FindField(name);
  return field == MessageDesc::kNoField ? nullptr : &type->fields[field];
}

const MessageDesc* MessageOf(const FieldDesc* field, Cardinality cardinality) {
  return field != nullptr && field->cardinality == cardinality ? field->message : nullptr;
}

class StrategicMerger : public ItemMerger {
 public:
  explicit StrategicMerger(Arena& arena) : arena_(arena) {}

  // Both are maps. As deep as the patch, which a decoder has bounded.
  Result<Value> MergeMap(const Value& original, const Value& patch,
                         const MessageDesc* type) override;

 private:
  Result<Value> ReplaceMap(const Value& directive, const Value& patch);
  Result<void> RetainKeys(const Value& patch, MapEdit& edit);
  // Merges and orders the lists that have an order; returns their names in ascending order.
  Result<std::vector<std::string_view>> SetElementOrders(const Value& patch,
                                                         const MessageDesc* type, MapEdit& edit);
  Result<void> SetElementOrder(std::string_view name, const Value& order, const Value& patch,
                               const MessageDesc* type, MapEdit& edit);
  Result<void> DeleteFromList(std::string_view key, const Value& values, MapEdit& edit);
  Result<void> MergeEntry(const MapEntry& entry, const MessageDesc* type, MapEdit& edit);
  Result<Value> MergeListField(const Value& original, const Value& patch, const FieldDesc* field);

  Arena& arena_;
};

Result<Value> StrategicMerger::MergeMap(const Value& original, const Value& patch,
                                        const MessageDesc* type) {
  if (const Value* directive = patch.Find(kPatch)) return ReplaceMap(*directive, patch);
  MapEdit edit(original);
  SKIFF_RETURN_IF_ERROR(RetainKeys(patch, edit));
  SKIFF_ASSIGN_OR_RETURN(const auto ordered, SetElementOrders(patch, type, edit));
  for (const MapEntry& entry : patch.entries()) {
    const std::string_view key = entry.key;
    if (key == kRetainKeys || key.starts_with(kSetElementOrder)) continue;
    if (key.starts_with(kDeleteFromList)) {
      SKIFF_RETURN_IF_ERROR(DeleteFromList(key, entry.value, edit));
    } else if (!std::ranges::binary_search(ordered, key)) {
      SKIFF_RETURN_IF_ERROR(MergeEntry(entry, type, edit));
    }
  }
  return edit.Finish(arena_);
}

Result<Value> StrategicMerger::ReplaceMap(const Value& directive, const Value& patch) {
  const std::string_view name = directive.is_string() ? directive.AsText() : std::string_view();
  if (name == "delete") return Value::EmptyMap();
  if (name == "replace") {
    Value map = patch.CopyInto(arena_);
    map.Erase(kPatch);
    return map;
  }
  return UnknownPatchType(directive, patch);
}

Result<void> StrategicMerger::RetainKeys(const Value& patch, MapEdit& edit) {
  constexpr const char* kBadFormat = "invalid patch format of retainKeys";
  const Value* list = patch.Find(kRetainKeys);
  if (list == nullptr) return {};
  if (!list->is_list()) return BadRequest(kBadFormat);
  std::set<std::string_view> retained;
  for (const Value& key : list->items()) {
    if (key.is_list() || key.is_map()) return BadRequest(kBadFormat);
    if (key.is_string()) retained.insert(key.AsText());
  }
  for (const auto& [key, value] : patch.entries()) {
    const bool instructs =
        key == kRetainKeys || key.starts_with(kDeleteFromList) || key.starts_with(kSetElementOrder);
    if (!instructs && !value.is_null() && !retained.contains(key)) return BadRequest(kBadFormat);
  }
  edit.EraseUnless([&](std::string_view key) { return retained.contains(key); });
  return {};
}

Result<std::vector<std::string_view>> StrategicMerger::SetElementOrders(const Value& patch,
                                                                        const MessageDesc* type,
                                                                        MapEdit& edit) {
  std::vector<std::string_view> names;
  for (const auto& [key, order] : patch.entries()) {
    if (!key.starts_with(kSetElementOrder)) continue;
    SKIFF_ASSIGN_OR_RETURN(
        const std::string_view name,
        FieldOfDirective(key, kSetElementOrder, "invalid patch format of setElementOrder list"));
    SKIFF_RETURN_IF_ERROR(SetElementOrder(name, order, patch, type, edit));
    names.push_back(name);
  }
  return names;
}

Result<void> StrategicMerger::SetElementOrder(std::string_view name, const Value& order,
                                              const Value& patch, const MessageDesc* type,
                                              MapEdit& edit) {
  const Value* original = edit.Find(name);
  if (original != nullptr && original->is_null()) original = nullptr;
  const Value* const change = patch.Find(name);
  for (const Value* list : {&order, original, change}) {
    if (list != nullptr && !list->is_list()) {
      return Fail(StatusReason::kUnknown,
                  "expected a []interface {}, but received a " + std::string(GoTypeName(*list)));
    }
  }
  const FieldDesc* const field = FindField(type, name);
  if (field == nullptr) {
    return Fail(StatusReason::kUnknown,
                type == nullptr
                    ? "merging an object in json but data type is not struct, instead is: map"
                    : "unable to find api field in struct " + std::string(type->name) +
                          " for the json field \"" + std::string(name) + '"');
  }
  const std::string_view merge_key = field->traits->merge_key;
  if (change != nullptr) SKIFF_RETURN_IF_ERROR(CheckElementOrder(*change, order, merge_key));

  Value merged;
  if (original == nullptr && change == nullptr) return {};
  if (original == nullptr) {
    merged = *CopyPruned(arena_, *change, {.directives = true});
  } else if (change == nullptr) {
    merged = *original;
  } else {
    SKIFF_ASSIGN_OR_RETURN(merged, MergeListField(*original, *change, field));
  }
  const Value live = original == nullptr ? Value::EmptyList() : *original;
  SKIFF_ASSIGN_OR_RETURN(const Value ordered,
                         OrderElements(arena_, merged, order, live, merge_key));
  edit.Set(name, ordered);
  return {};
}

Result<void> StrategicMerger::DeleteFromList(std::string_view key, const Value& values,
                                             MapEdit& edit) {
  constexpr const char* kBadFormat = "invalid patch format of primitive list";
  SKIFF_ASSIGN_OR_RETURN(const std::string_view name,
                         FieldOfDirective(key, kDeleteFromList, kBadFormat));
  if (values.is_null()) {
    edit.Erase(name);
    return {};
  }
  if (!values.is_list()) return BadRequest(kBadFormat);
  Value* const list = edit.Find(name);
  if (list == nullptr || !list->is_list()) return {};
  SKIFF_ASSIGN_OR_RETURN(*list, DeleteScalars(arena_, *list, values));
  return {};
}

Result<void> StrategicMerger::MergeEntry(const MapEntry& entry, const MessageDesc* type,
                                         MapEdit& edit) {
  const auto& [key, patch] = entry;
  if (patch.is_null()) {
    edit.Erase(key);
    return {};
  }
  Value* const original = edit.Find(key);
  const bool both_maps = original != nullptr && original->is_map() && patch.is_map();
  const bool both_lists = original != nullptr && original->is_list() && patch.is_list();
  if (both_maps) {
    const FieldDesc* const field = FindField(type, key);
    if (field != nullptr && field->traits->patch_replace) {
      *original = patch.CopyInto(arena_);
      return {};
    }
    SKIFF_ASSIGN_OR_RETURN(*original,
                           MergeMap(*original, patch, MessageOf(field, Cardinality::kSingle)));
    return {};
  }
  if (both_lists) {
    SKIFF_ASSIGN_OR_RETURN(*original, MergeListField(*original, patch, FindField(type, key)));
    return {};
  }
  const auto fresh = CopyPruned(arena_, patch, {.null_members = true, .directives = true});
  if (fresh.has_value()) {
    edit.Set(key, *fresh);
  } else {
    edit.Erase(key);
  }
  return {};
}

Result<Value> StrategicMerger::MergeListField(const Value& original, const Value& patch,
                                              const FieldDesc* field) {
  if (field == nullptr || !field->traits->patch_merge) return patch.CopyInto(arena_);
  return MergeLists(arena_, original, patch, field->traits->merge_key,
                    MessageOf(field, Cardinality::kList), *this);
}

}  // namespace

Result<void> ApplyStrategicMergePatch(const Value& patch, const MessageDesc* type,
                                      Document& document) {
  if (patch.is_null()) return {};
  if (!patch.is_map()) {
    return BadRequest("json: cannot unmarshal " + std::string(JsonTypeName(patch)) +
                      " into Go value of type map[string]interface {}");
  }
  Value& root = document.root();
  const Value original = root.is_map() ? root : Value::EmptyMap();
  SKIFF_ASSIGN_OR_RETURN(root, StrategicMerger(document.arena()).MergeMap(original, patch, type));
  return CheckPatchedDocument(root);
}

}  // namespace skiff::object
