// How objects of a custom resource get from one version to another.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

// The `conversion` of the spec of a definition, as v1beta1 has it.
void ValidateConversion(const object::Value* spec, bool preserves_unknown_fields,
                        bool require_known_review_version, FieldErrors& errors);
bool HasKnownReviewVersionOrNone(const object::Value* spec);

}  // namespace skiff::apiserver
