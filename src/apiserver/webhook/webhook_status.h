// A Status that another server gave, as ours: with its code and reason, whatever they are.
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of the fields of a Status, typed or not. A code that is missing is left out, and counts as 0.
Status StatusOfValue(const object::Value& status);

// Of the JSON of a Status that tells of a failure; nothing: it is something else.
std::optional<Status> StatusOfJson(std::string_view json);

}  // namespace skiff::apiserver
