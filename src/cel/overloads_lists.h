// Lists: Kubernetes' library, cel-go's library (version 3), and its sets.
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> ListFunctions();
std::span<const SharedImpl> ListImplementations();

}  // namespace skiff::cel
