// The labels that a kubelet may give its node.
#pragma once

#include <set>
#include <string>

#include "object/value.h"

namespace skiff::apiserver {

// Those that the two differ in, or all that the node has when there is no old one, as far as they
// are Kubernetes' own and not for kubelets to set.
std::set<std::string> ForbiddenNodeLabels(const object::Document& node,
                                          const object::Document* old);

}  // namespace skiff::apiserver
