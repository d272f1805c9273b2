#include "apiserver/registry/rules.h"

#include <span>

#include "apiserver/registry/core/core_rules.h"

namespace skiff {
namespace {

// One entry for each folder under src/apiserver/registry.
using RulesOfGroup = std::span<const KindRules> (*)();
constexpr RulesOfGroup kGroups[] = {
    CoreRules,
};

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
