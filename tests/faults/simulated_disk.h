// A disk in memory for RocksDB, which knows what is synced and fails when it is told to.
//
// Every operation that changes something has a number, from 1. A fault names the number of the
// operation that fails, and whether all later ones fail as well; a failing append may leave a part
// of its bytes. The operations can be kept, to ask afterwards what a power cut at any of them would
// have left (disk_state.h). Locks belong to the disk object and so do not outlive a "process".
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/file_system.h>

#include "tests/faults/disk_state.h"

namespace skiff {

struct DiskFault {
  enum class Error : uint8_t { kIo, kNoSpace };
  uint64_t at = 0;  // the number of the operation; of a read, if `reads`
  Error error = Error::kIo;
  bool for_ever = false;
  bool reads = false;
};

class SimulatedDisk final : public rocksdb::FileSystem {
 public:
  SimulatedDisk() : SimulatedDisk(DiskState()) {}
  explicit SimulatedDisk(DiskState state) : state_(std::move(state)) {}

  const char* Name() const override { return "SimulatedDisk"; }

  // Keeps the operations from now on.
  void Record();
  std::vector<DiskOperation> TakeOperations();
  // Notes among the operations where the program is.
  void Mark(uint64_t number);

  void SetFault(DiskFault fault);
  void Repair();        // no more faults
  bool failed() const;  // some operation has
  void SetCapacity(uint64_t bytes);
  uint64_t operations() const;
  uint64_t reads() const;
  // As the program sees it now.
  DiskState state() const;

  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus FileExists(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus GetChildren(const std::string& path, const rocksdb::IOOptions& options,
                                std::vector<std::string>* result,
                                rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus DeleteDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options,
                                uint64_t* size, rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus GetFileModificationTime(const std::string& path,
                                            const rocksdb::IOOptions& options, uint64_t* time,
                                            rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus RenameFile(const std::string& path, const std::string& target,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options,
                             rocksdb::FileLock** lock, rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus GetTestDirectory(const rocksdb::IOOptions& options, std::string* path,
                                     rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewLogger(const std::string& path, const rocksdb::IOOptions& options,
                              std::shared_ptr<rocksdb::Logger>* result,
                              rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus GetAbsolutePath(const std::string& path, const rocksdb::IOOptions& options,
                                    std::string* absolute, rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus IsDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                bool* is, rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 uint64_t* bytes, rocksdb::IODebugContext* dbg) override;

 private:
  class ReadableFile;
  class WritableFile;
  class DirectoryHandle;
  class Lock;

  // Numbers, keeps and applies the operation, or fails. A file that it creates gets its number
  // here.
  rocksdb::IOStatus Do(DiskOperation operation, uint64_t* created = nullptr);
  rocksdb::IOStatus Read(uint64_t file, uint64_t offset, size_t n, rocksdb::Slice* result,
                         char* scratch);
  std::optional<rocksdb::IOStatus> FaultOf(const DiskOperation& operation);
  rocksdb::IOStatus Open(const std::string& path, uint64_t* file) const;
  void Allocate(uint64_t file, uint64_t bytes);
  uint64_t UsedBytes() const;

  mutable std::mutex mutex_;
  DiskState state_;
  bool recording_ = false;
  std::vector<DiskOperation> operations_;
  std::optional<DiskFault> fault_;
  bool failed_ = false;
  uint64_t capacity_ = UINT64_MAX / 2;
  uint64_t count_ = 0;
  uint64_t reads_ = 0;
  std::map<uint64_t, uint64_t> allocated_;
  std::set<std::string> locked_;
};

}  // namespace skiff
