// Which part of a stored object a part of its update stands for, so that faults of what did not
// change can be held back.
//
// Fields correspond by name where the schema describes them, items of lists of type map by their
// keys. Items of other lists correspond to nothing: such a list is the same only as a whole.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "object/value.h"

namespace skiff::apiserver {

// Items of the old list by their keys. The list and the schema outlive it.
class OldItems {
 public:
  // Empty unless the list is of type map.
  OldItems(const SchemaNode& list, const object::Value& old);
  // Null when the item has no keys, or no old item has the same; of several the first.
  const object::Value* Find(const object::Value& item) const;

 private:
  const SchemaNode& list_;
  std::unordered_map<std::string, const object::Value*> by_keys_;
};

// Whether nothing changed. A list of type map may be in another order; a field that the schema does
// not describe corresponds to none, and so counts as changed.
bool IsUnchanged(const SchemaNode& schema, const object::Value& now, const object::Value& old);

// A text that is the same for the same scalar, and for no other. Integers and fractions differ.
// False of lists, maps and null.
bool AppendScalarKey(const object::Value& value, std::string& out);

}  // namespace skiff::apiserver
