// PATCH with a configuration to apply, in YAML or JSON (application/apply-patch+yaml). It creates
// the object if there is none.
#pragma once

#include <string>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"

namespace skiff {

bool IsApply(const ApiRequest& request);
bool IsForced(const ApiRequest& request);
// The configuration that is applied, an untyped tree. Duplicate keys are reported by the request's
// mode, once the configuration has been applied: see ReportDuplicates().
struct AppliedConfiguration {
  Document config;
  std::vector<std::string> duplicates;
};
Result<AppliedConfiguration> ReadConfiguration(const ApiRequest& request);
Result<void> ReportDuplicates(ApiRequest& request, const AppliedConfiguration& applied);

// Answers the request, at once or later.
void HandleApply(ApiRequestPtr request, const Endpoint& endpoint, bool dry_run);

}  // namespace skiff
