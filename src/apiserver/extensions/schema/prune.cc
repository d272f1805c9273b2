#include "apiserver/extensions/schema/prune.h"

#include <algorithm>
#include <string_view>

#include "object/path.h"

namespace skiff::apiserver {
namespace {

bool IsMetaField(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

// Keeps the entries of a map for which `stays` holds, which may change their values. One pass,
// however many go.
template <typename Stays>
void KeepEntries(object::Value& map, Arena& arena, Stays stays) {
  const std::span<object::MapEntry> entries = map.entries();
  size_t kept = 0;
  for (object::MapEntry& entry : entries) {
    if (!stays(entry)) continue;
    if (&entries[kept] != &entry) entries[kept] = entry;
    ++kept;
  }
  if (kept != entries.size()) map = object::Value::Map(arena, entries.first(kept));
}

class Pruner {
 public:
  Pruner(Arena& arena, std::vector<object::FieldIssue>* dropped)
      : arena_(arena), dropped_(dropped) {}

  // `schema` is null where nothing is described: of an object nothing stays.
  void Prune(const SchemaNode* schema, bool is_resource, object::Value& value,
             const object::PathNode& path) {
    const bool preserves = schema != nullptr && schema->is(SchemaNode::kPreserve);
    if (preserves) {
      Preserve(*schema, is_resource, value, path);
    } else if (value.is_map()) {
      PruneMap(schema, is_resource, false, value, path);
    } else if (value.is_list()) {
      const SchemaNode* items = schema != nullptr ? schema->items : nullptr;
      ForEachItem(value, path,
                  [&](object::Value& item, const object::PathNode& at) { Prune(items, item, at); });
    }
  }

 private:
  void Prune(const SchemaNode* schema, object::Value& value, const object::PathNode& path) {
    Prune(schema, schema != nullptr && schema->is(SchemaNode::kEmbedded), value, path);
  }

  void Preserve(const SchemaNode& schema, bool is_resource, object::Value& value,
                const object::PathNode& path) {
    if (value.is_map()) {
      PruneMap(&schema, is_resource, true, value, path);
    } else if (value.is_list() && schema.items != nullptr) {
      const SchemaNode& items = *schema.items;
      ForEachItem(value, path, [&](object::Value& item, const object::PathNode& at) {
        Preserve(items, items.is(SchemaNode::kEmbedded), item, at);
      });
    }
  }

  void PruneMap(const SchemaNode* schema, bool is_resource, bool preserves, object::Value& map,
                const object::PathNode& path) {
    KeepEntries(map, arena_, [&](object::MapEntry& entry) {
      if (is_resource && IsMetaField(entry.key)) return true;
      const object::PathNode at(&path, entry.key);
      const SchemaNode* property = schema != nullptr ? schema->FindProperty(entry.key) : nullptr;
      if (property != nullptr || (schema != nullptr && schema->is(SchemaNode::kOpen))) {
        Prune(property != nullptr ? property : schema->additional, entry.value, at);
        return true;
      }
      if (!preserves) Drop(at);
      return preserves;
    });
  }

  template <typename F>
  static void ForEachItem(object::Value& list, const object::PathNode& path, F f) {
    object::PathNode at(&path, uint32_t{0});
    uint32_t index = 0;
    for (object::Value& item : list.items()) {
      at.SetIndex(index++);
      if (!IsLeaf(item)) f(item, at);
    }
  }

  static bool IsLeaf(const object::Value& value) { return !value.is_map() && !value.is_list(); }

  void Drop(const object::PathNode& path) {
    if (dropped_ == nullptr || dropped_->size() >= limits::kMaxFieldIssues) return;
    object::AddFieldIssue(dropped_, object::FieldIssue::kUnknown, path.ToString(), {});
  }

  Arena& arena_;
  std::vector<object::FieldIssue>* const dropped_;
};

}  // namespace

void PruneUnknownFields(const SchemaNode& schema, bool is_resource, object::Value& value,
                        Arena& arena, std::vector<object::FieldIssue>* dropped) {
  const size_t before = dropped != nullptr ? dropped->size() : 0;
  const bool has_metadata = is_resource || schema.is(SchemaNode::kEmbedded);
  Pruner(arena, dropped).Prune(&schema, has_metadata, value, object::PathNode());
  if (dropped == nullptr) return;
  std::ranges::sort(dropped->begin() + static_cast<ptrdiff_t>(before), dropped->end(), {},
                    &object::FieldIssue::path);
}

void PruneNulls(const SchemaNode& schema, object::Value& value, Arena& arena) {
  if (value.is_list()) {
    if (schema.items == nullptr) return;
    for (object::Value& item : value.items()) PruneNulls(*schema.items, item, arena);
    return;
  }
  if (!value.is_map()) return;
  KeepEntries(value, arena, [&](object::MapEntry& entry) {
    const SchemaNode* field = schema.FindField(entry.key);
    if (field == nullptr) return true;
    if (entry.value.is_null()) return field->nullable() || field->default_value != nullptr;
    PruneNulls(*field, entry.value, arena);
    return true;
  });
}

}  // namespace skiff::apiserver
