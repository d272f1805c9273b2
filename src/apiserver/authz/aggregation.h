// Aggregated cluster roles: their rules are those of the cluster roles that their selectors match.
#pragma once

#include <optional>
#include <span>

#include "object/value.h"

namespace skiff::apiserver {

// The role with the rules that it should have, each once, in the order of the names of the roles
// that they come from; nothing when the role is not aggregated or has them already. A selector that
// cannot be read matches nothing.
std::optional<object::Document> WithAggregatedRules(
    const object::Document& role, std::span<const object::Document> cluster_roles);

}  // namespace skiff::apiserver
