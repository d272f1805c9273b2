#include "cli/common/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <sys/stat.h>

#include "base/limits.h"

namespace skiff::cli {
namespace {

constexpr size_t kReadAhead = 64 * 1024;

// A file descriptor that is closed with the scope; standard input stays open.
class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : fd_(path == kStandardInput ? STDIN_FILENO
                                   : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {}
  ~InputFile() {
    if (fd_ > STDIN_FILENO) close(fd_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<Status> CannotRead(int error) {
  return BadRequest(std::string("cannot be read: ") + std::strerror(error));
}

}  // namespace

Result<std::string> ReadInput(const std::string& path) {
  const InputFile file(path);
  struct stat about;
  if (file.fd() < 0 || fstat(file.fd(), &about) != 0) return CannotRead(errno);
  if (S_ISDIR(about.st_mode)) {
    return BadRequest("is a directory; name the files in it, such as " +
                      (path.ends_with('/') ? path : path + "/") + "*.yaml");
  }
  std::string bytes;
  // The size is a hint only: pipes have none, and a file may grow while it is read.
  size_t room = S_ISREG(about.st_mode) ? static_cast<size_t>(about.st_size) + 1 : kReadAhead;
  size_t size = 0;
  while (true) {
    if (room > limits::kMaxConvertInputBytes) {
      return Fail(StatusReason::kRequestEntityTooLarge,
                  "is longer than " + std::to_string(limits::kMaxConvertInputBytes) + " bytes");
    }
    bytes.resize(room);
    const ssize_t got = read(file.fd(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (size == bytes.size()) room = size * 2;
  }
  bytes.resize(size);
  return bytes;
}

std::string HintOnStoredText(std::string_view bytes) {
  if (bytes.starts_with("k8s:enc:")) {
    const size_t provider_end = bytes.find(':', 8);
    const std::string_view provider = bytes.substr(8, provider_end - 8).substr(0, 32);
    return "the value is encrypted at rest (" + std::string(provider) +
           "); only an API server that has the key can read it";
  }
  if (bytes.starts_with("/registry/")) {
    return "this looks like the output of etcdctl with the key; use --print-value-only";
  }
  return "";
}

std::string_view HintOnTemplate(std::string_view text, uint32_t line) {
  // A parser often finds out on the line after.
  const uint32_t first = line > 1 ? line - 1 : 1;
  for (uint32_t at = 1; at <= line; ++at) {
    const size_t end = text.find('\n');
    if (at >= first && text.substr(0, end).find("{{") != std::string_view::npos) {
      return "; this looks like a template: render it first, with 'helm template' for example";
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return "";
}

}  // namespace skiff::cli
