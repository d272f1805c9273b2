#include "pki/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/limits.h"
#include "base/temporary_name.h"

namespace skiff::pki {
namespace {

// Closes what it holds.
class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::unexpected<Status> FileError(std::string_view what, const std::string& path) {
  const int error = errno;
  StatusReason reason = StatusReason::kInternalError;
  if (error == ENOENT) reason = StatusReason::kNotFound;
  if (error == EACCES || error == EPERM || error == EROFS) reason = StatusReason::kForbidden;
  return Fail(reason,
              std::string(what) + " " + path + ": " + std::generic_category().message(error));
}

Result<std::string> ReadSmallFile(const std::string& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return FileError("cannot open", path);
  std::string content(limits::kMaxSmallFileBytes + 1, '\0');
  size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = read(file.fd(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError("cannot read", path);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > limits::kMaxSmallFileBytes) {
    return BadRequest(path + " is larger than " + std::to_string(limits::kMaxSmallFileBytes) +
                      " bytes");
  }
  content.resize(size);
  return content;
}

Result<void> WriteSmallFile(const std::string& path, std::string_view content, mode_t mode) {
  std::string temporary = TemporaryNameBeside(path);
  const OpenFile file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.fd() < 0) return FileError("cannot create", temporary);
  const auto give_up = [&temporary](std::string_view what,
                                    const std::string& at) -> std::unexpected<Status> {
    std::unexpected<Status> error = FileError(what, at);
    unlink(temporary.c_str());
    return error;
  };
  if (fchmod(file.fd(), mode) != 0) return give_up("cannot set the mode of", temporary);
  if (!WriteAll(file.fd(), content) || fsync(file.fd()) != 0) return give_up("cannot write", path);
  if (rename(temporary.c_str(), path.c_str()) != 0) return give_up("cannot replace", path);
  const OpenFile directory(open(DirectoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.fd() >= 0) fsync(directory.fd());
  return {};
}

Result<void> MakeDirectories(const std::string& path, mode_t mode) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return {};
    errno = ENOTDIR;
    return FileError("cannot use", path);
  }
  if (errno != ENOENT) return FileError("cannot look at", path);
  const std::string parent = DirectoryOf(path);
  if (parent != path) SKIFF_RETURN_IF_ERROR(MakeDirectories(parent, 0755));
  if (mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return FileError("cannot make", path);
  return {};
}

}  // namespace skiff::pki
