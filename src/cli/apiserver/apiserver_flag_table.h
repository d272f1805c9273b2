// The two halves of the table of kube-apiserver's flags, see apiserver_flags.h.
#pragma once

#include <span>
#include <vector>

#include "cli/apiserver/apiserver_flags.h"

namespace skiff::cli {

std::span<const ApiServerFlag> ApiServerServingFlags();
std::vector<ApiServerFlag> ApiServerOtherFlags();

}  // namespace skiff::cli
