#include "store/backup_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <sys/stat.h>

#include "base/strings.h"
#include "base/temporary_name.h"

namespace skiff::store {
namespace {

constexpr size_t kBufferBytes = 1024 * 1024;

std::string ParentOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> WriteAll(int fd, std::string_view bytes, const std::string& shown) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return Fail(StatusReason::kInternalError,
                  "cannot write " + shown + ": " + std::strerror(errno));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// Reads from a descriptor, which it closes if it owns it.
class FileSource final : public ByteSource {
 public:
  FileSource(int fd, bool owned, std::string shown)
      : fd_(fd), owned_(owned), shown_(std::move(shown)) {}
  ~FileSource() override {
    if (owned_) close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override {
    size_t total = 0;
    while (total < out.size()) {
      const ssize_t got =
          pread(fd_, out.data() + total, out.size() - total, static_cast<off_t>(offset + total));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        return Fail(StatusReason::kInternalError,
                    "cannot read " + shown_ + ": " + std::strerror(errno));
      }
      if (got == 0) break;
      total += static_cast<size_t>(got);
    }
    return total;
  }

 private:
  int fd_;
  bool owned_;
  std::string shown_;
};

}  // namespace

Result<std::unique_ptr<NewBackupFile>> NewBackupFile::Create(const std::string& path) {
  auto file = std::unique_ptr<NewBackupFile>(new NewBackupFile);
  file->path_ = path;
  struct stat found;
  if (stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    return BadRequest("cannot write " + Quoted(path) + ": it is " +
                      (S_ISDIR(found.st_mode) ? "a directory" : "not a regular file"));
  }
  std::string beside = TemporaryNameBeside(path);
  file->fd_ = mkostemp(beside.data(), O_CLOEXEC);  // readable by its owner alone
  if (file->fd_ < 0) return file->CannotWrite(errno);
  file->temporary_path_ = std::move(beside);
  return file;
}

Result<std::unique_ptr<NewBackupFile>> NewBackupFile::CreateUnnamed(const std::string& folder) {
  auto file = std::unique_ptr<NewBackupFile>(new NewBackupFile);
  const char* const configured = std::getenv("TMPDIR");
  std::string where = folder;
  if (where.empty()) where = configured != nullptr && *configured != 0 ? configured : "/tmp";
  file->path_ = where + "/(a temporary file)";
  std::string name = where + "/.skiff-copy.XXXXXX";
  file->fd_ = mkostemp(name.data(), O_CLOEXEC);
  if (file->fd_ < 0) return file->CannotWrite(errno);
  unlink(name.c_str());
  return file;
}

NewBackupFile::~NewBackupFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

std::unexpected<Status> NewBackupFile::CannotWrite(int error) const {
  return Fail(StatusReason::kInternalError,
              "cannot write " + Quoted(path_) + ": " + std::strerror(error));
}

Result<void> NewBackupFile::Append(std::string_view bytes) {
  buffer_.Append(bytes);
  return buffer_.size() < kBufferBytes ? Result<void>() : Flush();
}

Result<void> NewBackupFile::Flush() {
  SKIFF_RETURN_IF_ERROR(WriteAll(fd_, buffer_.view(), Quoted(path_)));
  buffer_.Clear();
  return {};
}

Result<void> NewBackupFile::Commit() {
  SKIFF_RETURN_IF_ERROR(Flush());
  if (fsync(fd_) != 0) return CannotWrite(errno);
  const int closed = close(std::exchange(fd_, -1));
  // Delayed errors, such as a quota of a network file system, show up here.
  if (closed != 0 || rename(temporary_path_.c_str(), path_.c_str()) != 0) return CannotWrite(errno);
  temporary_path_.clear();
  return SyncParentDirectory(path_);
}

Result<std::unique_ptr<ByteSource>> NewBackupFile::ReadBack() {
  SKIFF_RETURN_IF_ERROR(Flush());
  return std::make_unique<FileSource>(fd_, /*owned=*/false, Quoted(path_));
}

Result<void> DescriptorSink::Append(std::string_view bytes) {
  buffer_.Append(bytes);
  return buffer_.size() < kBufferBytes ? Result<void>() : Flush();
}

Result<void> DescriptorSink::Flush() {
  SKIFF_RETURN_IF_ERROR(WriteAll(fd_, buffer_.view(), shown_));
  buffer_.Clear();
  return {};
}

Result<std::unique_ptr<ByteSource>> OpenBackupFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return BadRequest("cannot read " + Quoted(path) + ": " + std::strerror(errno));
  auto source = std::make_unique<FileSource>(fd, /*owned=*/true, Quoted(path));
  struct stat found;
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
    return BadRequest("cannot read " + Quoted(path) +
                      ": a backup is read from a regular file, and this is " +
                      (S_ISDIR(found.st_mode) ? "a directory" : "none"));
  }
  return source;
}

Result<void> SyncParentDirectory(const std::string& path) {
  const std::string parent = ParentOf(path);
  const int fd = open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  // Some file systems cannot sync a directory and say so; there is nothing more to be done then.
  if (synced || error == EINVAL) return {};
  return Fail(StatusReason::kInternalError,
              "cannot sync the directory " + Quoted(parent) + ": " + std::strerror(error));
}

}  // namespace skiff::store
