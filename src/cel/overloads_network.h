// URLs, IP addresses and CIDRs.
#pragma once

#include <span>

#include "cel/declarations.h"

namespace skiff::cel {

std::span<const OverloadRow> NetworkFunctions();

}  // namespace skiff::cel
