#include "apiserver/managed_fields/field_manager.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "apiserver/managed_fields/entries.h"
#include "apiserver/managed_fields/managers.h"
#include "apiserver/managed_fields/reset_fields.h"
#include "apiserver/managed_fields/versions.h"
#include "object/fields/new_fields.h"

namespace skiff::apiserver {
namespace {

// What the sets of an object of usual size take.
constexpr size_t kArenaBytes = 32 * 1024;

// Whether two lists of entries are equal but for the times.
bool SameButTimes(const object::Value& a, const object::Value& b, bool* times_differ) {
  if (!a.is_list() || !b.is_list() || a.size() != b.size()) return false;
  static constexpr object::Value kAbsent{};
  for (size_t i = 0; i < a.size(); ++i) {
    const object::Value& left = a.items()[i];
    const object::Value& right = b.items()[i];
    for (const std::string_view name :
         {"manager", "operation", "apiVersion", "subresource", "fieldsType", "fieldsV1", "time"}) {
      const object::Value* l = left.Find(name);
      const object::Value* r = right.Find(name);
      if (l == nullptr && r == nullptr) continue;
      if (object::DeepEqual(l != nullptr ? *l : kAbsent, r != nullptr ? *r : kAbsent)) continue;
      if (name != "time") return false;
      *times_differ = true;
    }
  }
  return true;
}

// The entries that an update starts from.
ManagedFields EntriesForUpdate(Arena& arena, const FieldWriter& writer,
                               const object::Document& live, const object::Document& object) {
  const std::string_view kind = object.type() != nullptr ? object.type()->name : object.kind();
  const object::Value* theirs = ManagedFieldsOf(live);
  if (const object::Value* given = ManagedFieldsOf(object);
      given != nullptr && writer.subresource.empty() &&
      (theirs == nullptr || !object::DeepEqual(*given, *theirs))) {
    if (ClearsManagedFields(given)) return {};
    Result<ManagedFields> read =
        ManagedFields::Read(arena, given, kind, ManagedFields::Trust::kNobody);
    // Clients that do not know managedFields, or get them wrong, change nothing.
    if (read && !read->empty()) return std::move(*read);
  }
  return ManagedFields::Read(arena, theirs, kind, ManagedFields::Trust::kStored)
      .value_or(ManagedFields());
}

// Whether steps are places in lists, which only items without keys lead to.
bool HasPlaces(const object::FieldSet& set) {
  for (const object::FieldNode& node : set.nodes()) {
    if (node.element.kind() == object::PathElement::Kind::kIndex || HasPlaces(node.children))
      return true;
  }
  return false;
}

bool HasUid(const object::Document& object) {
  const object::Value* uid = object.root().FindPath({"metadata", "uid"});
  return uid != nullptr && uid->is_string() && !uid->AsText().empty();
}

// An object that is about to be created has been nothing so far.
bool IsBlank(const object::Document& live) {
  return live.type() != nullptr && live.root().size() == 0;
}

// All that a new object sets becomes its writer's. False where that takes a comparison.
bool GiveAllTo(Arena& arena, const FieldWriter& writer, const ResetFields& reset,
               object::Document& object) {
  if (object.type() == nullptr || object.type()->open != nullptr) return false;
  ByteBuffer text;
  if (!object::AppendFieldsOfNew(arena, text, object.root(), {UnownedFields(), reset.excluded()})) {
    return false;
  }
  if (text.view() == "{}") return true;
  ManagedEntry entry = EntryOf(writer, false);
  entry.time = writer.now;
  entry.SetText(text.view());
  ManagedFields owned;
  owned.entries().push_back(entry);
  owned.Write(object);
  return true;
}

}  // namespace

void TrackUpdate(const FieldWriter& writer, const object::Document& live,
                 object::Document& object) {
  Arena arena(kArenaBytes);
  ManagedFields managed = EntriesForUpdate(arena, writer, live, object);
  EraseManagedFields(object);
  // Objects without owners stay so until somebody applies them.
  if (managed.empty() && HasUid(live)) return;
  const ResetFields reset(arena, writer.storage, writer.subresource);
  if (managed.empty() && IsBlank(live) && GiveAllTo(arena, writer, reset, object)) return;
  VersionConverter converter(writer.conversions);
  VersionedChanges changes(arena, converter, reset, {live.root(), live.type()},
                           {object.root(), object.type()});
  // Items that should have a key and have none cannot be owned, and then nothing is.
  if (const object::FieldChanges* changed = changes.In(writer.api_version);
      changed != nullptr && (HasPlaces(changed->added) || HasPlaces(changed->modified))) {
    return;
  }
  GiveChangesTo(arena, writer, changes, managed);
  managed.Write(object);
}

void KeepTimesOfNoChange(const object::Document& old, object::Document& object) {
  const object::Value* before = ManagedFieldsOf(old);
  const object::Value* after = ManagedFieldsOf(object);
  if (before == nullptr || after == nullptr || before->size() == 0) return;
  bool times_differ = false;
  if (!SameButTimes(*before, *after, &times_differ) || !times_differ) return;
  // The rest of the object is compared with the entries of before in place, and they stay there if
  // it is the same.
  object::Value& mutable_list = *object.root().Find("metadata")->Find("managedFields");
  const object::Value kept =
      std::exchange(mutable_list, before->CopyInto(object.arena()).WithField(mutable_list.field()));
  if (!SameButVersion(old, object)) mutable_list = kept;
}

}  // namespace skiff::apiserver
