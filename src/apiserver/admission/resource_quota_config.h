// The configuration of ResourceQuota: resources that nobody may use where no quota covers them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "quota/evaluator.h"

namespace skiff::apiserver {

struct LimitedResource {
  std::string group;
  std::string resource;
  // Usage of a resource whose name contains one of these needs a quota.
  std::vector<std::string> match_contains;
  // So does an object in one of these scopes.
  std::vector<quota::ScopeRule> match_scopes;
};

// Of a ResourceQuotaConfiguration as JSON; none when there is no text.
Result<std::vector<LimitedResource>> ParseLimitedResources(std::string_view json);

}  // namespace skiff::apiserver
