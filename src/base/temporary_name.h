// The name under which a file or directory is made before it is renamed to the one that it is for.
#pragma once

#include <string>
#include <string_view>

namespace skiff {

// A template for mkstemp and mkdtemp: hidden, in the directory of `path`, so that a rename stays
// within one file system; of a long name only the beginning, so that there is room for the rest.
inline std::string TemporaryNameBeside(std::string_view path) {
  constexpr size_t kNameBytesKept = 200;
  const size_t slash = path.rfind('/');
  const size_t name_at = slash == std::string_view::npos ? 0 : slash + 1;
  return std::string(path.substr(0, name_at))
      .append(".")
      .append(path.substr(name_at, kNameBytesKept))
      .append(".XXXXXX");
}

}  // namespace skiff
