// Whether the defaults of a schema are such values as the schema asks for. For definitions, which
// are refused otherwise.
#pragma once

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/validation/field_errors.h"

namespace skiff::apiserver {

// Of a schema that is compiled with its defaults as they are written. Reports below the place where
// `errors` is, by the path of each schema that has a default. `require_pruned`: a default must not
// hold what its schema does not describe. Rules in CEL hold too.
void ValidateDefaultsOf(const CompiledSchema& schema, bool require_pruned, FieldErrors& errors);

}  // namespace skiff::apiserver
