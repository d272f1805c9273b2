// The rules of a CustomResourceDefinition: names, versions, schemas and conversion.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kCustomResourceDefinitionRules;

}  // namespace skiff::apiserver
