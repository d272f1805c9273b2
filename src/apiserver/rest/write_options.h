// The parameters of a write: CreateOptions, UpdateOptions and PatchOptions of Kubernetes.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// Whether nothing is to be stored (?dryRun=All). kInvalid, with all that is wrong with the
// parameters: fieldManager, dryRun, fieldValidation, and of a PATCH force.
Result<bool> CheckWriteOptions(const serving::ApiRequest& request);

// What is wrong with the values of dryRun, here or among the options of a deletion.
std::vector<StatusCause> DryRunFaults(const std::vector<std::string_view>& given);

// What happens to fields that the schema does not know, and to duplicates: ?fieldValidation=.
enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };
// kInvalid for an unknown mode.
Result<FieldValidation> FieldValidationOf(const serving::ApiRequest& request);

}  // namespace skiff::apiserver
