// What may be written of a pod through pods/status.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff {

void ValidatePodStatusUpdate(const Document& object, const Document& old, FieldErrors& errors);

}  // namespace skiff
