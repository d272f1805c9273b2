#include "apiserver/registry/flowcontrol/priority_level_configuration_defaults.h"

namespace skiff::apiserver {
namespace {

// Zero is a share that somebody wants only if an annotation says so.
void DefaultShares(object::Value& level, const RuleContext& context) {
  object::Value* spec = PartOf(level, "spec");
  object::Value* limited = spec == nullptr ? nullptr : PartOf(*spec, "limited");
  if (limited == nullptr) return;
  const object::Value* shares = limited->Find("nominalConcurrencyShares");
  if (shares != nullptr && shares->AsInt() != 0) return;
  const object::Value* annotations = level.FindPath({"metadata", "annotations"});
  if (annotations != nullptr &&
      annotations->Find("flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares") != nullptr) {
    return;
  }
  limited->Set(context.arena, "nominalConcurrencyShares", object::Value::Int(30));
}

constexpr CodeRuleEntry kDefaults[] = {
    {"flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration",
     "spec.limited.nominalConcurrencyShares", DefaultShares, NeverCertain},
};

}  // namespace

std::span<const CodeRuleEntry> PriorityLevelDefaults() { return kDefaults; }

}  // namespace skiff::apiserver
