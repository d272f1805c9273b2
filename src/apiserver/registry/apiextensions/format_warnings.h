// Formats in the schemas of a custom resource definition that mean nothing to the server.
#pragma once

#include <set>
#include <string>

#include "object/value.h"

namespace skiff::apiserver {

// Adds those of the schema and of all within it; null: there is no schema.
void FindUnknownFormats(const object::Value* schema, std::set<std::string>& formats);

}  // namespace skiff::apiserver
