// Server-side apply: merges a configuration into an object. Its manager owns exactly what the
// configuration says, what it no longer says goes unless somebody else owns it, and a value that
// another manager owns may only change by force.
#pragma once

#include "apiserver/managed_fields/field_manager.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

class DefaultPlans;

// The object that a configuration, an untyped tree, makes of `live`, with its managedFields and
// defaults. kConflict, with a cause for each field, if others own what would change and `force` is
// not set.
Result<object::Document> ApplyConfiguration(const DefaultPlans& defaults, const FieldWriter& writer,
                                            const object::Document& live,
                                            const object::Document& config, bool force);

}  // namespace skiff::apiserver
