// The rules of conversion between two messages, beyond copying what has the same name.
#pragma once

#include <span>
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

  Arena& arena() { return arena_; }

 private:
  Value SchemaOr(const Value& from, const MessageDesc* to);

  Arena& arena_;
};

// Run on `out`, which has got the members of the same name, with the message that it is made from.
struct ConversionRule {
  const MessageDesc* (*from)();
  const MessageDesc* (*to)();
  void (*apply)(const Value& from, Value& out, Copier& copier);
};

std::span<const ConversionRule> AutoscalingRules();
// Annotations of autoscalers of version 1 that hold what only version 2 has fields for.
std::span<const std::string_view> AutoscalingAnnotations();
std::span<const ConversionRule> EventRules();
std::span<const ConversionRule> DeviceRules();
std::span<const ConversionRule> DefinitionRules();
std::span<const ConversionRule> OldVersionRules();

// Null where the names say it all.
const ConversionRule* FindConversionRule(const MessageDesc* from, const MessageDesc* to);

}  // namespace skiff
