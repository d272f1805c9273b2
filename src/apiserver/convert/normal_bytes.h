// Whether an object has been normalised, by its bytes.
#pragma once

#include <string_view>

#include "object/descriptor.h"

namespace skiff {

// Whether Normalize() would change nothing in the object of this type that these bytes of protobuf
// (without an envelope) hold. Yes is certain; no may mean that only decoding the object can tell.
bool IsNormal(const MessageDesc* type, std::string_view message);

}  // namespace skiff
