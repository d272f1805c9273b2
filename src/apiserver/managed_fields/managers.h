// What updates and applies share: the fields that a write changes, in each version that somebody
// owns fields in, and handing these from one manager to another.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "apiserver/managed_fields/conflicts.h"
#include "apiserver/managed_fields/entries.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/managed_fields/reset_fields.h"
#include "apiserver/managed_fields/versions.h"
#include "base/arena.h"
#include "object/fields/compare.h"

namespace skiff::apiserver {

// What a write changes, less what its endpoint resets and what nobody owns. Both values are of the
// same type. A version is compared when it is first asked for.
class VersionedChanges {
 public:
  VersionedChanges(Arena& arena, VersionConverter& converter, ResetFields reset,
                   VersionedValue before, VersionedValue after)
      : arena_(arena), converter_(converter), reset_(reset), before_(before), after_(after) {}

  // Null if the objects have no such version.
  const object::FieldChanges* In(std::string_view api_version);

 private:
  std::optional<object::FieldChanges> Compare(std::string_view api_version);

  Arena& arena_;
  VersionConverter& converter_;
  ResetFields reset_;
  VersionedValue before_;
  VersionedValue after_;
  std::map<std::string_view, std::optional<object::FieldChanges>> known_;
};

// The entry that a writer has or gets, without fields.
ManagedEntry EntryOf(const FieldWriter& writer, bool applies);

// What everybody but `self` (null: everybody) owns of what changes.
std::vector<FieldConflict> ConflictsWith(Arena& arena, VersionedChanges& changes,
                                         ManagedFields& managed, const ManagedEntry* self);
// Takes what changes, and what goes, from everybody but `self`. Entries of versions that are no
// more, and those that own nothing any more, go.
void TakeChanges(Arena& arena, VersionedChanges& changes, ManagedFields& managed,
                 const ManagedEntry* self);
// An update: takes what changes from everybody and gives it to the writer. Beyond a number of
// managers that update, the oldest become one.
void GiveChangesTo(Arena& arena, const FieldWriter& writer, VersionedChanges& changes,
                   ManagedFields& managed);

// Whether two objects are the same but for their resourceVersion.
bool SameButVersion(const object::Document& a, const object::Document& b);

}  // namespace skiff::apiserver
