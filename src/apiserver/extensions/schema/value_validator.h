// Whether a value is as its schema asks, in the words of kube-openapi's validator, which Kubernetes
// uses for custom resources: types, formats, bounds, enumerations, required fields, and allOf,
// anyOf, oneOf and not.
//
// Of an update, faults of what did not change since the stored object are held back (ratcheting):
// at each field that corresponds to an old one (correlation.h), all that is wrong with it and below
// it is forgotten if it is unchanged. Alternatives of anyOf and the like are looked at as of new
// objects, but what they find counts as found at their field.
//
// Time is bounded: a value is visited once for each node that describes or restricts it, and beyond
// kMaxValidationSteps visits the value is refused.
#pragma once

#include <cstdint>
#include <string_view>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

// Visits of values; a scan of 64 bytes of text counts as one. The largest object that can be stored
// has some 150'000 values.
inline constexpr uint64_t kMaxValidationSteps = 10'000'000;

// Faults go where `errors` is not: their paths begin with `base`, or at the object when it is
// empty. `old` is null for a new object.
void ValidateValue(const CompiledSchema& schema, const SchemaNode& node, const object::Value& value,
                   const object::Value* old, std::string_view base, FieldErrors& errors);

}  // namespace skiff::apiserver
