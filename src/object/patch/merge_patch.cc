#include "object/patch/merge_patch.h"

#include <string>

#include "object/patch/bounds.h"
#include "object/patch/go_text.h"
#include "object/patch/tree_edit.h"

namespace skiff::object {
namespace {

constexpr Prune kNoNulls{.null_members = true};

// Both are maps. As deep as the patch, which a decoder has bounded.
Value Merge(Arena& arena, const Value& original, const Value& patch) {
  MapEdit edit(original);
  for (const auto& [key, value] : patch.entries()) {
    Value* const present = edit.Find(key);
    if (value.is_null()) {
      edit.Erase(key);
    } else if (present != nullptr && present->is_map()) {
      *present = value.is_map() ? Merge(arena, *present, value) : value.CopyInto(arena);
    } else {
      edit.Set(key, *CopyPruned(arena, value, kNoNulls));
    }
  }
  return edit.Finish(arena);
}

}  // namespace

Result<void> ApplyMergePatch(const Value& patch, Document& document) {
  if (patch.is_null()) return BadRequest("Invalid JSON Patch");
  if (!patch.is_map()) {
    return BadRequest("error decoding patch: json: cannot unmarshal " +
                      std::string(JsonTypeName(patch)) +
                      " into Go value of type map[string]interface {}");
  }
  Value& root = document.root();
  root = root.is_map() ? Merge(document.arena(), root, patch)
                       : *CopyPruned(document.arena(), patch, kNoNulls);
  return CheckPatchedDocument(root);
}

}  // namespace skiff::object
