// Backups as files on disk.
//
// A new file becomes visible under its name only when it is complete and on disk: it is written
// beside, synced, renamed, and the directory synced. A full disk, an error or a crash leaves what
// was there before (a crash also a temporary file, whose name begins with a dot and ends in six
// random letters).
#pragma once

#include <memory>
#include <string>

#include "base/buffer.h"
#include "base/status.h"
#include "store/backup_format.h"

namespace skiff::store {

// A file that is being written. Not thread-safe.
class NewBackupFile final : public ByteSink {
 public:
  // A file of the same name is replaced in the end. Backups hold secrets: only the owner can read
  // the new one.
  static Result<std::unique_ptr<NewBackupFile>> Create(const std::string& path);
  // Without a name, to be read back with ReadBackFrom() and gone with this object. In the folder,
  // or in that of temporary files when it is empty.
  static Result<std::unique_ptr<NewBackupFile>> CreateUnnamed(const std::string& folder);
  ~NewBackupFile() override;
  NewBackupFile(const NewBackupFile&) = delete;
  NewBackupFile& operator=(const NewBackupFile&) = delete;

  Result<void> Append(std::string_view bytes) override;
  // Makes it the file of that name. Only then it exists.
  Result<void> Commit();
  // What was appended, for as long as this object lives. Nothing may be appended any more.
  Result<std::unique_ptr<ByteSource>> ReadBack();

  const std::string& temporary_path() const { return temporary_path_; }

 private:
  NewBackupFile() = default;
  Result<void> Flush();
  std::unexpected<Status> CannotWrite(int error) const;

  std::string path_;
  std::string temporary_path_;  // empty when there is none
  int fd_ = -1;
  ByteBuffer buffer_;
};

// An open descriptor as a sink: standard output, for example. It stays open.
class DescriptorSink final : public ByteSink {
 public:
  DescriptorSink(int fd, std::string shown) : fd_(fd), shown_(std::move(shown)) {}
  Result<void> Append(std::string_view bytes) override;
  Result<void> Flush();

 private:
  int fd_;
  std::string shown_;
  ByteBuffer buffer_;
};

// A regular file.
Result<std::unique_ptr<ByteSource>> OpenBackupFile(const std::string& path);

// Syncs the directory that the path is in, so that a rename in it lasts.
Result<void> SyncParentDirectory(const std::string& path);

}  // namespace skiff::store
