// What failures of pods mean for their job.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "views/batch/v1.h"

namespace skiff::apiserver {

// The policy of a spec that has one; its rules may name containers of the template.
void ValidatePodFailurePolicy(const views::batch_v1::JobSpec& spec, FieldErrors& errors);

}  // namespace skiff::apiserver
