#include "apiserver/registry/core/local_path.h"

namespace skiff::apiserver {

bool HasNoBacksteps(std::string_view path) {
  size_t at = path.find("..");
  while (at != std::string_view::npos) {
    const size_t behind = at + 2;
    const bool starts = at == 0 || path[at - 1] == '/';
    const bool ends = behind == path.size() || path[behind] == '/';
    if (starts && ends) return false;
    at = path.find("..", at + 1);
  }
  return true;
}

void ValidateNoBacksteps(std::string_view path, std::string_view field, FieldErrors& errors) {
  if (!HasNoBacksteps(path)) errors.Invalid(field, path, "must not contain '..'");
}

void ValidateDescendingPath(std::string_view path, std::string_view field, FieldErrors& errors) {
  if (path.starts_with('/')) errors.Invalid(field, path, "must be a relative path");
  ValidateNoBacksteps(path, field, errors);
}

void ValidateUnreservedPath(std::string_view path, std::string_view field, FieldErrors& errors) {
  ValidateDescendingPath(path, field, errors);
  if (path.starts_with("..") && !path.starts_with("../")) {
    errors.Invalid(field, path, "must not start with '..'");
  }
}

bool IsUnreservedPath(std::string_view path) {
  return !path.starts_with('/') && HasNoBacksteps(path) &&
         (!path.starts_with("..") || path.starts_with("../"));
}

}  // namespace skiff::apiserver
