#include "apiserver/registry/rules.h"

#include <span>

namespace skiff {
namespace {

// One entry for each folder under src/apiserver/registry.
using RulesOfGroup = std::span<const KindRules> (*)();
constexpr std::span<const RulesOfGroup> kGroups = {};

}  // namespace

const KindRules* FindRules(std::string_view group, std::string_view kind) {
  for (const RulesOfGroup rules : kGroups) {
    for (const KindRules& each : rules()) {
      if (each.group == group && each.kind == kind) return &each;
    }
  }
  return nullptr;
}

}  // namespace skiff
