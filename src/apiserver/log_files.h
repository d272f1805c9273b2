// /logs: the files below /var/log, with --enable-logs-handler. Directories are lists of links.
//
// What a link leads to outside of the directory is not found, however it is written: the kernel
// itself is told to stay below. Only plain files and directories are served.
#pragma once

#include <string>

#include "net/unique_fd.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// Any thread.
class LogFiles {
 public:
  explicit LogFiles(std::string root = "/var/log") : root_(std::move(root)) {}

  // Answers /logs and what is below. False: the path is another.
  bool Answer(serving::ApiRequest& request) const;

 private:
  const std::string root_;
};

}  // namespace skiff::apiserver
