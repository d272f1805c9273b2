#include "store/embedded/durable_file_system.h"

#include "store/embedded/table_file.h"

namespace skiff::store {
namespace {

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

rocksdb::IOStatus DurableFileSystem::RenameFile(const std::string& from, const std::string& to,
                                                const rocksdb::IOOptions& options,
                                                rocksdb::IODebugContext* dbg) {
  if (to.ends_with("/CURRENT")) {
    std::unique_ptr<rocksdb::FSDirectory> directory;
    rocksdb::IOStatus status = NewDirectory(to.substr(0, to.rfind('/')), options, &directory, dbg);
    if (status.ok()) status = directory->Fsync(options, dbg);
    if (!status.ok()) return status;
  }
  return FileSystemWrapper::RenameFile(from, to, options, dbg);
}

rocksdb::IOStatus DurableFileSystem::NewWritableFile(const std::string& path,
                                                     const rocksdb::FileOptions& options,
                                                     std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                     rocksdb::IODebugContext* dbg) {
  rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, dbg);
  if (status.ok() && path.ends_with(".log")) list_->Add(NameOf(path));
  return status;
}

rocksdb::IOStatus DurableFileSystem::DeleteFile(const std::string& path,
                                                const rocksdb::IOOptions& options,
                                                rocksdb::IODebugContext* dbg) {
  if (path.ends_with(".log")) {
    rocksdb::IOStatus status = list_->Remove(NameOf(path));
    if (!status.ok()) return status;
  }
  return FileSystemWrapper::DeleteFile(path, options, dbg);
}

rocksdb::IOStatus DurableFileSystem::NewRandomAccessFile(
    const std::string& path, const rocksdb::FileOptions& options,
    std::unique_ptr<rocksdb::FSRandomAccessFile>* file, rocksdb::IODebugContext* dbg) {
  rocksdb::IOStatus status = FileSystemWrapper::NewRandomAccessFile(path, options, file, dbg);
  if (!status.ok() || !path.ends_with(".sst")) return status;
  uint64_t size = 0;
  status = GetFileSize(path, options.io_options, &size, dbg);
  if (!status.ok()) return status;
  const auto read = [&](uint64_t offset, size_t length, std::string* out) {
    out->resize(length);
    rocksdb::Slice slice;
    status = (*file)->Read(offset, length, options.io_options, &slice, out->data(), dbg);
    if (slice.data() != out->data()) out->assign(slice.data(), slice.size());
    return status.ok() && slice.size() == length;
  };
  const char* damage = FindTableDamage(size, read);
  if (damage == nullptr) return status;
  damage_->Record("the file " + path + " is damaged: " + damage);
  return rocksdb::IOStatus::Corruption(path, damage);
}

}  // namespace skiff::store
