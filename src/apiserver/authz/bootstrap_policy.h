// The roles and bindings that every cluster has: api/rbac/bootstrap.rbac as documents.
//
// The file is a part of the program as text, which is smaller than tables and needs no relocation;
// reading it takes less than a millisecond, once, and leaves nothing in memory.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// Cluster roles, cluster role bindings, roles, role bindings, as rbac.authorization.k8s.io/v1.
// The aggregated ones (admin, edit, view) have no rules of their own, as in Kubernetes.
std::vector<object::Document> BootstrapObjects();

// The same of another text. The error has a position.
Result<std::vector<object::Document>> ParseBootstrapText(std::string_view text);

extern const std::string_view kBootstrapText;

}  // namespace skiff::apiserver
