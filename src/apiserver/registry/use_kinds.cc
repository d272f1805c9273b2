#include "apiserver/registry/use_kinds.h"

#include <utility>

#include "apiserver/convert/conversion_rule.h"
#include "apiserver/convert/normal_form.h"
#include "apiserver/registry/find_conversion.h"
#include "apiserver/registry/find_default_rule.h"
#include "apiserver/registry/find_normal_form.h"

namespace skiff {

void UseKinds(DefaultsEnvironment environment) {
  environment.find_rule = FindDefaultRule;
  SetDefaultsEnvironment(std::move(environment));
  SetConversionRules(FindConversionOfKind);
  SetNormalForms(FindNormalFormOfKind);
}

}  // namespace skiff
