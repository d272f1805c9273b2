#include "base/read_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace skiff {

Result<std::string> ReadFileUpTo(const std::string& path, size_t max_bytes) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return Fail(StatusReason::kInternalError, "open " + path + ": " + std::strerror(errno));
  }
  std::string bytes;
  char piece[4096];
  while (in.read(piece, sizeof(piece)), in.gcount() > 0) {
    bytes.append(piece, static_cast<size_t>(in.gcount()));
    if (bytes.size() > max_bytes) {
      return Fail(StatusReason::kInternalError,
                  path + " is larger than " + std::to_string(max_bytes) + " bytes");
    }
  }
  if (in.bad()) return Fail(StatusReason::kInternalError, "cannot read " + path);
  return bytes;
}

}  // namespace skiff
