// The file system as an engine on RocksDB uses it. Private to rocksdb_engine.cc.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <rocksdb/file_system.h>

#include "store/embedded/file_list.h"

namespace skiff::store {

// What of the files turned out to be damaged without keeping the engine from going on. Any thread.
class KnownDamage {
 public:
  void Record(std::string what) {
    const std::lock_guard lock(mutex_);
    if (first_.empty()) first_ = std::move(what);
    any_.store(true, std::memory_order_release);
  }
  bool any() const { return any_.load(std::memory_order_acquire); }
  std::string first() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }

 private:
  mutable std::mutex mutex_;
  std::string first_;
  std::atomic<bool> any_{false};
};

// Adds to the file system what RocksDB leaves out:
// - Logs are in the list of files (file_list.h).
// - Files that a manifest names are in the directory for good before CURRENT names that manifest.
//   When it recovers, a power cut might otherwise leave the new CURRENT and not the files.
// - The end of a table is looked at before RocksDB reads it (table_file.h).
class DurableFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // The list outlives it.
  DurableFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base, FileList* list,
                    std::shared_ptr<KnownDamage> damage)
      : FileSystemWrapper(base), list_(list), damage_(std::move(damage)) {}

  const char* Name() const override { return "SkiffCarefulFileSystem"; }

  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* dbg) override;

 private:
  FileList* const list_;
  const std::shared_ptr<KnownDamage> damage_;
};

}  // namespace skiff::store
