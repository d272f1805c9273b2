#include "apiserver/registry/core/limit_range_defaults.h"

namespace skiff::apiserver {
namespace {

// Adds to map `to` of a limit range's item what map `from` has beyond it.
void CompleteLimits(object::Value& item, std::string_view to, std::string_view from, Arena& arena) {
  const object::Value* present = PartOf(item, from);
  if (present == nullptr || present->size() == 0) return;
  const object::Value entries = *present;
  AddMissingEntries(&entries, MakePart(item, to, arena), arena);
}

void DefaultContainerLimits(object::Value& item, const RuleContext& context) {
  if (TextOf(item, "type") == "Container") CompleteLimits(item, "default", "max", context.arena);
}

void DefaultContainerRequests(object::Value& item, const RuleContext& context) {
  if (TextOf(item, "type") != "Container") return;
  CompleteLimits(item, "defaultRequest", "default", context.arena);
  CompleteLimits(item, "defaultRequest", "min", context.arena);
}

constexpr CodeRuleEntry kDefaults[] = {
    {"core/v1", "LimitRangeItem", "default[r]", DefaultContainerLimits, NeverCertain},
    {"core/v1", "LimitRangeItem", "defaultRequest[r]", DefaultContainerRequests, NeverCertain},
};

}  // namespace

std::span<const CodeRuleEntry> LimitRangeDefaults() { return kDefaults; }

}  // namespace skiff::apiserver
