// A file that is nowhere but in memory, for what only takes names of files: its name works within
// this process, as long as the object lives.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "net/unique_fd.h"

namespace skiff::component {

class MemoryFile {
 public:
  // `label` is what tools such as lsof show.
  static Result<MemoryFile> Make(const std::string& label, std::string_view content);

  std::string path() const;
  // Replaces the content; readers that watch the file see that it has changed.
  Result<void> Write(std::string_view content);

 private:
  explicit MemoryFile(net::UniqueFd fd) : fd_(std::move(fd)) {}
  net::UniqueFd fd_;
};

}  // namespace skiff::component
