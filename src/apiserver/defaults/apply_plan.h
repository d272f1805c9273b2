// Walking an object along its plan.
#pragma once

#include <string_view>

#include "apiserver/defaults/code_rules.h"
#include "apiserver/defaults/defaults.h"
#include "object/value.h"

namespace skiff::apiserver {

// Whether the text of a quantity may have parts smaller than a thousandth: only with some suffixes
// or exponents.
bool MayBeFineAmount(std::string_view amount);

// Applies the plan to an object of its message.
void ApplyPlan(const MessagePlan& plan, object::Value& object, const RuleContext& context);

}  // namespace skiff::apiserver
