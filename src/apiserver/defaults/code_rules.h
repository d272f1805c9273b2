// Defaults that no constant or copy can tell. Each rule is a function of the message that the
// schema states it for, found by that message and the path that stands before `by-code`. The rules
// themselves stand with their kinds, in src/apiserver/registry/<group>/<kind>_defaults.cc.
#pragma once

#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/clock.h"
#include "base/feature_gates.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::apiserver {

// What rules depend on beside the object.
struct RuleSettings {
  FeatureGates gates;
  Clock* clock = nullptr;  // null: there is none
};

struct RuleContext {
  Arena& arena;  // of the document
  const RuleSettings& settings;
};

// `object` is the message that has the rule.
using CodeRule = void (*)(object::Value& object, const RuleContext& context);

// Whether the rule would change nothing, by the bytes of the message. False also when that is not
// certain.
using WireRule = bool (*)(std::string_view message, const RuleSettings& settings);

struct CodeRuleEntry {
  std::string_view file;  // of the schema: "core/v1"
  std::string_view message;
  std::string_view path;
  CodeRule apply;
  WireRule changes_nothing = nullptr;  // null: it leaves alone what is set at the path
};

// Finds the rule of a message for a path; null: there is none.
using FindCodeRule = const CodeRuleEntry* (*)(const object::MessageDesc& message,
                                              std::string_view path);

// Of rules of which only the decoded object can tell.
bool NeverCertain(std::string_view message, const RuleSettings& settings);

// --- for the rules themselves

// The text of a member; empty when it is not set.
std::string_view TextOf(const object::Value& object, std::string_view name);
// The items of a member that is a list; none when it is not set.
std::span<object::Value> ItemsOf(object::Value& object, std::string_view name);
// A member that is a message or map and is there, or null.
object::Value* PartOf(object::Value& object, std::string_view name);
// The same, made if it is not there.
object::Value& MakePart(object::Value& object, std::string_view name, Arena& arena);
// Adds the entries of map `from` whose keys `to` lacks. Null for `from`: none.
void AddMissingEntries(const object::Value* from, object::Value& to, Arena& arena);

}  // namespace skiff::apiserver
