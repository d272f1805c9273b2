// metadata.managedFields: who owns which fields of an object, an entry for each manager, operation
// and subresource. Managers that update have an entry for each API version besides; one that
// applies has one, in the version it last used.
//
// The sets of fields are read from their text only when somebody asks: most writes change few
// fields, and a write that changes none leaves every text as it is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "object/fields/field_set.h"
#include "object/value.h"

namespace skiff::apiserver {

// Texts are of the document that the entry was read from, or as lasting.
struct ManagedEntry {
  std::string_view manager;
  bool applies = false;  // operation Apply, else Update
  std::string_view api_version;
  std::string_view subresource;
  std::optional<object::Timestamp> time;

  // As the schema of its version has it (FitToSchema). A text that is no set is an empty one.
  const object::FieldSet& Fields(Arena& arena);
  void SetFields(const object::FieldSet& fields);
  // The set in its text form, which outlives the entry.
  void SetText(std::string_view text);
  // The text as it was read or set; empty when the set is new.
  std::string_view text() const { return text_; }

  // What tells managers apart.
  using Key = std::tuple<std::string_view, bool, std::string_view, std::string_view>;
  Key key() const { return {manager, applies, subresource, applies ? "" : api_version}; }
  bool SameManager(const ManagedEntry& other) const { return key() == other.key(); }

 private:
  friend class ManagedFields;
  std::string_view text_;
  std::string_view kind_name_;
  object::FieldSet fields_;
  bool read_ = false;
};

class ManagedFields {
 public:
  // How far the text of the entries is known to be right.
  enum class Trust : uint8_t {
    kStored,  // this server checked it when it was written
    kNobody,  // a client wrote it: all of it is read
  };

  // Of the value of managedFields, which may be null. kind_name is that of the object, to know the
  // types of other versions. An entry that is there twice counts as the last of them says.
  static Result<ManagedFields> Read(Arena& arena, const object::Value* list,
                                    std::string_view kind_name, Trust trust);

  std::vector<ManagedEntry>& entries() { return entries_; }
  const std::vector<ManagedEntry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

  // The entry of the same manager, or null.
  ManagedEntry* Find(const ManagedEntry& like);
  ManagedEntry& FindOrAdd(const ManagedEntry& like);
  // Adds entries, each in the place of the one of the same manager if there is one.
  void Put(std::span<const ManagedEntry> entries);
  void DropEmpty(Arena& arena);

  // Sets the managedFields of an object: applied entries first, then by time, manager, version and
  // subresource. No entries: none.
  void Write(object::Document& object) const;

 private:
  std::vector<ManagedEntry> entries_;
};

// Whether somebody who writes this list wants to clear it: it is there and empty, or has a single
// entry with nothing in it.
bool ClearsManagedFields(const object::Value* list);

// Null when an object has none.
const object::Value* ManagedFieldsOf(const object::Document& object);
void EraseManagedFields(object::Document& object);

}  // namespace skiff::apiserver
