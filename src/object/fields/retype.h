// From the mixed tree of a merge to a typed document.
#pragma once

#include "base/status.h"
#include "object/value.h"

namespace skiff::object {

// A document of its own, all of it typed. `value` is an object of the type, or a map in its form.
Result<Document> Retype(const MessageDesc* type, const Value& value);

}  // namespace skiff::object
