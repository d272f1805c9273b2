// What may be written of a pod through pods/resize.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

void ValidatePodResize(const object::Document& object, const object::Document& old,
                       FieldErrors& errors);

}  // namespace skiff::apiserver
