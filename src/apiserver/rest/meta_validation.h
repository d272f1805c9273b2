// The rules that metadata follows in objects of every kind.
#pragma once

#include <vector>

#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff {

// What is wrong with the metadata of an object that is about to be stored; empty if nothing is.
std::vector<StatusCause> CheckMeta(const ResourceDesc& resource, Document& object);
// What an update changes that it must not.
std::vector<StatusCause> CheckMetaUpdate(Document& old, Document& object);

}  // namespace skiff
