#include "apiserver/registry/use_kinds.h"

#include <cassert>
#include <utility>

#include "apiserver/convert/conversion_rule.h"
#include "apiserver/convert/normal_form.h"
#include "apiserver/registry/find_conversion.h"
#include "apiserver/registry/find_default_rule.h"
#include "apiserver/registry/find_normal_form.h"

namespace skiff::apiserver {

void UseKinds() {
  SetConversionRules(FindConversionOfKind);
  SetNormalForms(FindNormalFormOfKind);
}

std::unique_ptr<const DefaultPlans> DefaultsOfKinds(const FeatureGates& gates, Clock* clock) {
  auto plans =
      DefaultPlans::Compile({.gates = gates, .clock = clock, .find_rule = FindDefaultRule});
  // Nothing but the schema can be wrong, and that it compiles is tested.
  assert(plans.has_value());
  return std::move(*plans);
}

}  // namespace skiff::apiserver
