// Copying objects into the types of another version of their API.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "object/value.h"

namespace skiff {

// Copies values into the types of another version. Lives as long as one conversion.
class Copier {
 public:
  explicit Copier(Arena& arena) : arena_(arena) {}

  // The message as one of type `to`, rules applied.
  Value Message(const Value& from, const MessageDesc* to);
  // Adds to `out` a copy of each member of `from` that it has a field for, and no other rule.
  void CopyMembers(const Value& from, Value& out);
  // A member as a value of the field `to`.
  Value Field(const Value& value, const FieldDesc& to);
  // Puts a copy of `value` into a field of `out`; does nothing when it is null.
  void Put(Value& out, std::string_view field, const Value* value);
  void PutText(Value& out, std::string_view field, std::string_view text);

  // An empty message in a field of `out`, which is a message.
  Value& Make(Value& out, std::string_view field);
  // The message in a field of `out`, made if it is not there.
  Value& Obtain(Value& out, std::string_view field);

  Arena& arena() { return arena_; }

 private:
  Value SchemaOr(const Value& from, const MessageDesc* to);

  Arena& arena_;
};

// The text of a member; empty when it is not set.
std::string_view TextIn(const Value& object, std::string_view name);

}  // namespace skiff
