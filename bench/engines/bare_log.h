// The disk's own rate for a batch: its bytes appended to a growing file, and one fdatasync.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "bench/engines/engine.h"

namespace skiff::bench::engines {

class BareLog : public Engine {
 public:
  ~BareLog() override {
    if (file_ >= 0) close(file_);
  }
  Outcome Open(const std::string& dir) override {
    file_ =
        open((dir + "/bare").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0) return Fail("cannot open");
    return {};
  }
  Outcome Commit(std::span<const Write> writes) override {
    batch_.clear();
    for (const Write& write : writes) batch_.append(write.key).append(write.value);
    const ssize_t n = write(file_, batch_.data(), batch_.size());
    if (n != static_cast<ssize_t>(batch_.size()) || fdatasync(file_) != 0) return Fail("write");
    return {};
  }
  std::expected<std::string, std::string> Get(std::string_view) override { return Fail("none"); }
  Outcome Range(std::string_view, size_t, const Visit&) override { return Fail("none"); }
  Outcome Scan(const Visit&) override { return Fail("none"); }
  Outcome Forget(std::span<const uint64_t>) override { return Fail("none"); }
  Outcome Reclaim() override { return Fail("none"); }

 private:
  int file_ = -1;
  std::string batch_;
};

}  // namespace skiff::bench::engines
