// Disruption budgets of versions that are no longer served: an empty selector once meant no pods,
// and now means all.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> BudgetConversions();

}  // namespace skiff::apiserver
