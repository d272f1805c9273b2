// The members of an object as JSON shows them, which is what server-side apply goes by.
//
// A typed object (kObject) leaves out what is empty and shows some fields that are not set. A
// configuration that somebody applies is an untyped tree (kMap): there everything that was written
// counts, nulls and empty maps too. Both occur side by side in the tree that a merge makes.
#pragma once

#include <optional>

#include "base/arena.h"
#include "object/descriptor.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff::object {

// What JSON shows for a field of a typed object; nothing if it leaves it out. `member` may be null.
std::optional<Value> ShownMember(Arena& arena, const FieldDesc& field, const Value* member);

// The same of a struct in either form.
std::optional<Value> ShownMember(Arena& arena, const Value& object, const MessageDesc& type,
                                 uint16_t field);

// Calls f(index of the field, value) with each member that is shown, in the order of fields or, of
// an untyped struct, of names. What the type does not have is passed over.
template <typename F>
void ForEachShown(Arena& arena, const MessageDesc& type, const Value& object, F f) {
  if (object.is_map()) {
    for (const MapEntry& entry : object.entries()) {
      const uint16_t index = type.FindField(entry.key);
      if (index != MessageDesc::kNoField) f(index, entry.value);
    }
    return;
  }
  if (!object.is_object()) return;
  const std::span<const Value> members = object.members();
  size_t next = 0;
  for (uint16_t i = 0; i < type.fields.size(); ++i) {
    const Value* member = nullptr;
    if (next < members.size() && members[next].field() == i) member = &members[next++];
    const FieldDesc& field = type.fields[i];
    if (member == nullptr && !field.shown_unset()) continue;
    if (const std::optional<Value> shown = ShownMember(arena, field, member)) f(i, *shown);
  }
}

// True if a struct or map is null or shows nothing.
bool ShowsNothing(Arena& arena, const FieldShape& shape, const Value& value);

// Whether the two say the same in JSON: numbers by amount, texts by their letters (so a quantity
// differs from another way to write it), lists in their order.
bool SameInJson(Arena& arena, const FieldShape& shape, const Value& a, const Value& b);

}  // namespace skiff::object
