// What may be written of a pod through pods/resize.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff {

void ValidatePodResize(const Document& object, const Document& old, FieldErrors& errors);

}  // namespace skiff
