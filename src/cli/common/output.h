// Where a command's output goes: held back until all of it is there, so that a failure leaves
// nothing half-written behind.
//
// Beyond limits::kMaxConvertBufferedBytes it waits in an unnamed temporary file. A regular file is
// replaced in one step: the content is written to a file beside it, which is then renamed, so that
// the destination may be an input as well and is never seen half-way. Interrupting the program
// leaves no file behind. Devices and pipes are written to directly.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"

namespace skiff::cli {

class HeldOutput {
 public:
  HeldOutput() = default;
  HeldOutput(const HeldOutput&) = delete;
  HeldOutput& operator=(const HeldOutput&) = delete;
  ~HeldOutput();

  Result<void> Append(std::string_view bytes);

  // Writes everything to the file, or to standard output when the path is empty or "-". The error
  // names the destination.
  Result<void> CommitTo(const std::string& path);

 private:
  Result<void> WriteTo(int fd, const std::string& shown);
  Result<void> ReplaceFile(const std::string& path);

  ByteBuffer buffer_;
  std::FILE* spilled_ = nullptr;  // what came before the buffer, if that was much
};

}  // namespace skiff::cli
