// Where `skiff etcd` writes its log: --log-outputs and --log-level.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "net/unique_fd.h"

namespace skiff::cli {

// Writes lines to some files at once, but for those that are of too little weight.
class EtcdLogSink final : public LogSink {
 public:
  // `outputs` are "stderr" ("default"), "stdout" and paths, with commas between; "info" is
  // everything, "warn" and "error" leave out what is less.
  static Result<std::unique_ptr<EtcdLogSink>> Open(std::string_view outputs,
                                                   std::string_view level);
  void Write(std::string_view line) override;

 private:
  std::vector<net::UniqueFd> files_;  // those of sinks_ that are ours
  std::vector<FileLogSink> sinks_;
  std::string left_out_;  // the letters of severities
};

}  // namespace skiff::cli
