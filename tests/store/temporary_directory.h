// A directory under TMPDIR (or /tmp) that is removed with all it holds.
#pragma once

#include <string>

namespace skiff::testing {

class TemporaryDirectory {
 public:
  // Ends the process if none can be made: no test can go on without.
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace skiff::testing
