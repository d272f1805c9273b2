// Paths below a directory that somebody else chooses: volumes, mounts, profiles.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"

namespace skiff::apiserver {

// No element is "..".
bool HasNoBacksteps(std::string_view path);
void ValidateNoBacksteps(std::string_view path, std::string_view field, FieldErrors& errors);
// Relative as well.
void ValidateDescendingPath(std::string_view path, std::string_view field, FieldErrors& errors);
// And its first element does not begin with two dots, which volumes keep for themselves.
void ValidateUnreservedPath(std::string_view path, std::string_view field, FieldErrors& errors);
bool IsUnreservedPath(std::string_view path);

}  // namespace skiff::apiserver
