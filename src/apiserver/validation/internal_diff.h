// What changed between two objects, as Kubernetes tells it where an object must not change: the
// unified diff of their internal forms (internal_form.h), a field to a line.
#pragma once

#include <string>

#include "object/value.h"

namespace skiff::apiserver {

// Lines that end with a newline each, or nothing when the objects are too long, or too much
// alike line by line, to compare. Null
// stands for an object that is absent.
std::string InternalDiff(const object::Value* old, const object::Value* now);

}  // namespace skiff::apiserver
