#include "apiserver/registry/coordination/lease_strategy.h"

#include "apiserver/validation/common.h"

namespace skiff::apiserver {

void ValidateLeaseStrategy(std::string_view strategy, FieldErrors& errors) {
  // Kubernetes names the field twice in its path.
  const auto at = errors.At("strategy");
  if (strategy.find('/') == std::string_view::npos) {
    ValidateOneOf(strategy, {"OldestEmulationVersion"}, "strategy", errors);
  } else {
    ValidateFormat(kQualifiedNameFormat, strategy, "strategy", errors);
  }
}

}  // namespace skiff::apiserver
