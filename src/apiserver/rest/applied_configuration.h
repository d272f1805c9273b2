// The configuration that a request applies, in YAML or JSON, and the object that it makes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/update_object.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

bool IsForced(const serving::ApiRequest& request);
// The configuration that is applied, an untyped tree. Duplicate keys are reported by the request's
// mode, once the configuration has been applied: see ReportDuplicates().
struct AppliedConfiguration {
  object::Document config;
  std::vector<std::string> duplicates;
};
Result<AppliedConfiguration> ReadConfiguration(const serving::ApiRequest& request);
Result<void> ReportDuplicates(serving::ApiRequest& request, const AppliedConfiguration& applied);

// What the request makes of an object. Both outlive it.
// `conversions`: as RequestWriter has it.
MakeNew MakeApplied(serving::ApiRequest& request, const Endpoint& endpoint,
                    std::shared_ptr<RememberedConversions> conversions);

}  // namespace skiff::apiserver
