// Objects as messages of faults show them. Kubernetes reports values in the form that it works
// with, not in the one that it serves: fields have the names of Go, and those that are unset are
// there.
#pragma once

#include <cstddef>
#include <string>

#include "object/value.h"

namespace skiff::apiserver {

// As JSON. Messages that are not typed, and those of meta/v1, look as they are served. The text may
// end before its end once it has `enough` bytes.
std::string InternalForm(const object::Value& value, size_t enough = std::string::npos);

}  // namespace skiff::apiserver
