// The rules of a FlowSchema: which requests it matches.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kFlowSchemaRules;

}  // namespace skiff::apiserver
