// Fields of protobuf that Kubernetes once had and has no more. What older versions stored may hold
// them, and their numbers alone tell nobody what they were.
#pragma once

#include <string>
#include <string_view>

#include "object/descriptor.h"

namespace skiff::cli {

// "spec.#15" of a Service as "spec.ipFamily"; empty if that number never had a name, or the path
// does not end with one.
std::string NameRemovedField(const object::MessageDesc& type, std::string_view path);

}  // namespace skiff::cli
