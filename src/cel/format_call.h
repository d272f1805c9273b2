// string.format(): clauses and values.
#pragma once

#include <string_view>

#include "cel/evaluation.h"

namespace skiff::cel {

Val FormatCall(Evaluation& evaluation, std::string_view format, const Val& arguments);

}  // namespace skiff::cel
