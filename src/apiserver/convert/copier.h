// Copying objects into the types of another version of their API.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "object/value.h"

namespace skiff::apiserver {

// Copies values into the types of another version. Lives as long as one conversion.
class Copier {
 public:
  explicit Copier(Arena& arena) : arena_(arena) {}

  // The message as one of type `to`, rules applied.
  object::Value Message(const object::Value& from, const object::MessageDesc* to);
  // Adds to `out` a copy of each member of `from` that it has a field for, and no other rule.
  void CopyMembers(const object::Value& from, object::Value& out);
  // A member as a value of the field `to`.
  object::Value Field(const object::Value& value, const object::FieldDesc& to);
  // Puts a copy of `value` into a field of `out`; does nothing when it is null.
  void Put(object::Value& out, std::string_view field, const object::Value* value);
  void PutText(object::Value& out, std::string_view field, std::string_view text);

  // An empty message in a field of `out`, which is a message.
  object::Value& Make(object::Value& out, std::string_view field);
  // The message in a field of `out`, made if it is not there.
  object::Value& Obtain(object::Value& out, std::string_view field);

  Arena& arena() { return arena_; }

 private:
  object::Value SchemaOr(const object::Value& from, const object::MessageDesc* to);

  Arena& arena_;
};

// The text of a member; empty when it is not set.
std::string_view TextIn(const object::Value& object, std::string_view name);

}  // namespace skiff::apiserver
