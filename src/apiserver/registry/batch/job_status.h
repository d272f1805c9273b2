// What the status of a job may become: it counts up, ends once, and agrees with itself.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/value.h"
#include "views/batch/v1.h"

namespace skiff::apiserver {

bool HasJobCondition(const views::batch_v1::JobStatus& status, std::string_view type,
                     std::string_view is = "True");

void ValidateJobStatus(const object::Document& object, const object::Document& old,
                       FieldErrors& errors);

}  // namespace skiff::apiserver
