// The resourceVersion of an object whose JSON text is at rest without one: put in where the
// metadata begins, so that the text is copied and not taken apart.
#pragma once

#include <string_view>

#include "base/buffer.h"

namespace skiff::object {

// Appends the text with metadata.resourceVersion, or as it is if `version` is empty, and without
// space at its end. False, and nothing is appended: it is no object with metadata.
bool AppendJsonWithResourceVersion(std::string_view json, std::string_view version,
                                   ByteBuffer& out);

}  // namespace skiff::object
