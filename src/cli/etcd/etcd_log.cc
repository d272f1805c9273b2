#include "cli/etcd/etcd_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/strings.h"

namespace skiff::cli {

Result<std::unique_ptr<EtcdLogSink>> EtcdLogSink::Open(std::string_view outputs,
                                                       std::string_view level) {
  auto sink = std::make_unique<EtcdLogSink>();
  if (level == "warn") sink->left_out_ = "I";
  if (level == "error") sink->left_out_ = "IW";
  while (!outputs.empty()) {
    const size_t comma = std::min(outputs.find(','), outputs.size());
    const std::string where(TrimSpace(outputs.substr(0, comma)));
    outputs.remove_prefix(std::min(comma + 1, outputs.size()));
    if (where.empty()) continue;
    if (where == "stdout") {
      sink->sinks_.emplace_back(STDOUT_FILENO);
    } else if (where == "stderr" || where == "default") {
      sink->sinks_.emplace_back(STDERR_FILENO);
    } else {
      net::UniqueFd file(open(where.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
      if (!file) {
        return Fail(StatusReason::kInternalError,
                    "--log-outputs: cannot open " + where + ": " + std::strerror(errno));
      }
      sink->sinks_.emplace_back(file.get());
      sink->files_.push_back(std::move(file));
    }
  }
  if (sink->sinks_.empty()) sink->sinks_.emplace_back(STDERR_FILENO);
  return sink;
}

void EtcdLogSink::Write(std::string_view line) {
  if (!line.empty() && left_out_.find(line[0]) != std::string::npos) return;
  for (FileLogSink& sink : sinks_) sink.Write(line);
}

}  // namespace skiff::cli
