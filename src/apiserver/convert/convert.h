// Objects from one version of their resource to another.
#pragma once

#include "base/status.h"
#include "object/value.h"

namespace skiff {

// Whether objects of both types have the same fields with the same numbers, all the way down, so
// that the bytes of one can be read as the other.
bool SameLayout(const MessageDesc* a, const MessageDesc* b);

// The object as one of type `to`, with that type's apiVersion.
Result<Document> Convert(const Document& object, const MessageDesc* to);

}  // namespace skiff
