// What the owner of a pod may change of it: images, deadline, tolerations and scheduling gates.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

void ValidatePodUpdate(const object::Document& object, const object::Document& old,
                       FieldErrors& errors);

}  // namespace skiff::apiserver
