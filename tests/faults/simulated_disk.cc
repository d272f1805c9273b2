#include "tests/faults/simulated_disk.h"

#include <algorithm>
#include <cstring>

namespace skiff {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;
using Kind = DiskOperation::Kind;

namespace {

std::string WithoutSlash(const std::string& path) {
  return path.size() > 1 && path.back() == '/' ? path.substr(0, path.size() - 1) : path;
}

IOStatus NotThere(const std::string& path) {
  return IOStatus::PathNotFound("No such file or directory", path);
}

// Takes nothing down: the diary of RocksDB is not what these tests are about.
class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
  size_t GetLogFileSize() const override { return 0; }
};

}  // namespace

class SimulatedDisk::ReadableFile final : public rocksdb::FSRandomAccessFile,
                                          public rocksdb::FSSequentialFile {
 public:
  ReadableFile(SimulatedDisk* disk, uint64_t file) : disk_(disk), file_(file) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                char* scratch, IODebugContext* /*dbg*/) const override {
    return disk_->Read(file_, offset, n, result, scratch);
  }
  IOStatus Read(size_t n, const IOOptions& /*options*/, Slice* result, char* scratch,
                IODebugContext* /*dbg*/) override {
    const IOStatus status = disk_->Read(file_, position_, n, result, scratch);
    if (status.ok()) position_ += result->size();
    return status;
  }
  IOStatus Skip(uint64_t n) override {
    position_ += n;
    return IOStatus::OK();
  }
  bool use_direct_io() const override { return false; }
  size_t GetRequiredBufferAlignment() const override { return 4096; }
  IOStatus InvalidateCache(size_t /*offset*/, size_t /*length*/) override { return IOStatus::OK(); }
  rocksdb::Temperature GetTemperature() const override { return rocksdb::Temperature::kUnknown; }

 private:
  SimulatedDisk* disk_;
  uint64_t file_;
  uint64_t position_ = 0;
};

class SimulatedDisk::WritableFile final : public rocksdb::FSWritableFile {
 public:
  WritableFile(SimulatedDisk* disk, uint64_t file) : disk_(disk), file_(file) {}

  using rocksdb::FSWritableFile::Append;
  IOStatus Append(const Slice& bytes, const IOOptions& /*options*/,
                  IODebugContext* /*dbg*/) override {
    return disk_->Do({.kind = Kind::kAppend, .file = file_, .bytes = bytes.ToString()});
  }
  IOStatus Truncate(uint64_t size, const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return disk_->Do({.kind = Kind::kTruncate, .file = file_, .number = size});
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }
  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return disk_->Do({.kind = Kind::kSync, .file = file_});
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return Sync(options, dbg);
  }
  uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    const std::lock_guard lock(disk_->mutex_);
    return disk_->state_.Bytes(file_).size();
  }
  IOStatus Allocate(uint64_t offset, uint64_t bytes, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {
    const std::lock_guard lock(disk_->mutex_);
    disk_->Allocate(file_, offset + bytes);
    return IOStatus::OK();
  }
  // What RocksDB takes in advance for its own files is given back when they are closed.
  void PrepareWrite(size_t /*offset*/, size_t /*bytes*/, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {}

 private:
  SimulatedDisk* disk_;
  uint64_t file_;
};

class SimulatedDisk::DirectoryHandle final : public rocksdb::FSDirectory {
 public:
  DirectoryHandle(SimulatedDisk* disk, std::string path) : disk_(disk), path_(std::move(path)) {}
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return disk_->Do({.kind = Kind::kSyncDirectory, .path = path_});
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }

 private:
  SimulatedDisk* disk_;
  std::string path_;
};

class SimulatedDisk::Lock final : public rocksdb::FileLock {
 public:
  explicit Lock(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void SimulatedDisk::Record() {
  const std::lock_guard lock(mutex_);
  recording_ = true;
}

std::vector<DiskOperation> SimulatedDisk::TakeOperations() {
  const std::lock_guard lock(mutex_);
  recording_ = false;
  return std::move(operations_);
}

void SimulatedDisk::Mark(uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (recording_) operations_.push_back({.kind = Kind::kMark, .number = number});
}

void SimulatedDisk::SetFault(DiskFault fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
}

void SimulatedDisk::Repair() {
  const std::lock_guard lock(mutex_);
  fault_.reset();
}

bool SimulatedDisk::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void SimulatedDisk::SetCapacity(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
}

uint64_t SimulatedDisk::operations() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

uint64_t SimulatedDisk::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

DiskState SimulatedDisk::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void SimulatedDisk::Allocate(uint64_t file, uint64_t bytes) {
  allocated_[file] = std::max(allocated_[file], bytes);
}

uint64_t SimulatedDisk::UsedBytes() const {
  uint64_t sum = state_.UsedBytes();
  for (const auto& [file, bytes] : allocated_) {
    const uint64_t written = state_.Bytes(file).size();
    sum += bytes > written ? bytes - written : 0;
  }
  return sum;
}

std::optional<IOStatus> SimulatedDisk::FaultOf(const DiskOperation& operation) {
  const auto full = [] {
    IOStatus status = IOStatus::NoSpace("No space left on device");
    status.SetRetryable(true);  // as RocksDB's own file system says
    return status;
  };
  if (operation.kind == Kind::kAppend && UsedBytes() + operation.bytes.size() > capacity_) {
    return full();
  }
  if (!fault_ || fault_->reads || count_ < fault_->at) return std::nullopt;
  if (count_ > fault_->at && !fault_->for_ever) return std::nullopt;
  if (fault_->error == DiskFault::Error::kIo) return IOStatus::IOError("Input/output error");
  // What gives room does not need any.
  if (operation.kind == Kind::kDelete || operation.kind == Kind::kTruncate) return std::nullopt;
  return full();
}

IOStatus SimulatedDisk::Do(DiskOperation operation, uint64_t* created) {
  const std::lock_guard lock(mutex_);
  ++count_;
  if (created != nullptr) *created = operation.file = state_.NextFile();
  std::optional<IOStatus> fault = FaultOf(operation);
  if (fault) {
    failed_ = true;
    if (operation.kind != Kind::kAppend) return *fault;
    // A part of it gets there: none, half or, odd as that is, all.
    operation.bytes.resize(operation.bytes.size() * (count_ % 3) / 2);
    if (UsedBytes() + operation.bytes.size() > capacity_) return *fault;
  }
  if (operation.kind == Kind::kDelete) {
    if (const auto file = state_.Find(operation.path)) allocated_.erase(*file);
  }
  state_.Apply(operation);
  if (recording_) operations_.push_back(std::move(operation));
  return fault.value_or(IOStatus::OK());
}

IOStatus SimulatedDisk::Read(uint64_t file, uint64_t offset, size_t n, Slice* result,
                             char* scratch) {
  const std::lock_guard lock(mutex_);
  ++reads_;
  if (fault_ && fault_->reads &&
      (reads_ == fault_->at || (reads_ > fault_->at && fault_->for_ever))) {
    failed_ = true;
    return IOStatus::IOError("Input/output error");
  }
  const std::string& bytes = state_.Bytes(file);
  const size_t from = std::min<uint64_t>(offset, bytes.size());
  const size_t size = std::min(n, bytes.size() - from);
  std::memcpy(scratch, bytes.data() + from, size);
  *result = Slice(scratch, size);
  return IOStatus::OK();
}

IOStatus SimulatedDisk::Open(const std::string& path, uint64_t* file) const {
  const std::lock_guard lock(mutex_);
  const auto found = state_.Find(path);
  if (!found) return NotThere(path);
  *file = *found;
  return IOStatus::OK();
}

IOStatus SimulatedDisk::NewSequentialFile(const std::string& path, const rocksdb::FileOptions&,
                                          std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                          IODebugContext*) {
  uint64_t file = 0;
  IOStatus status = Open(path, &file);
  if (status.ok()) *result = std::make_unique<ReadableFile>(this, file);
  return status;
}

IOStatus SimulatedDisk::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions&,
                                            std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                            IODebugContext*) {
  uint64_t file = 0;
  IOStatus status = Open(path, &file);
  if (status.ok()) *result = std::make_unique<ReadableFile>(this, file);
  return status;
}

IOStatus SimulatedDisk::NewWritableFile(const std::string& path, const rocksdb::FileOptions&,
                                        std::unique_ptr<rocksdb::FSWritableFile>* result,
                                        IODebugContext*) {
  uint64_t file = 0;
  IOStatus status = Do({.kind = Kind::kCreate, .path = path}, &file);
  if (status.ok()) *result = std::make_unique<WritableFile>(this, file);
  return status;
}

IOStatus SimulatedDisk::ReopenWritableFile(const std::string& path, const rocksdb::FileOptions&,
                                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                                           IODebugContext*) {
  uint64_t file = 0;
  IOStatus status = Open(path, &file);
  if (status.ok()) *result = std::make_unique<WritableFile>(this, file);
  return status;
}

IOStatus SimulatedDisk::NewDirectory(const std::string& path, const IOOptions&,
                                     std::unique_ptr<rocksdb::FSDirectory>* result,
                                     IODebugContext*) {
  const std::lock_guard lock(mutex_);
  const std::string name = WithoutSlash(path);
  if (!state_.IsDirectory(name)) return NotThere(path);
  *result = std::make_unique<DirectoryHandle>(this, name);
  return IOStatus::OK();
}

IOStatus SimulatedDisk::FileExists(const std::string& path, const IOOptions&, IODebugContext*) {
  const std::lock_guard lock(mutex_);
  const std::string name = WithoutSlash(path);
  if (state_.Find(name) || state_.IsDirectory(name)) return IOStatus::OK();
  return IOStatus::NotFound(path);
}

IOStatus SimulatedDisk::GetChildren(const std::string& path, const IOOptions&,
                                    std::vector<std::string>* result, IODebugContext*) {
  const std::lock_guard lock(mutex_);
  const std::string name = WithoutSlash(path);
  if (!state_.IsDirectory(name)) return IOStatus::NotFound(path);
  *result = state_.Children(name);
  return IOStatus::OK();
}

IOStatus SimulatedDisk::DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) {
  uint64_t file = 0;
  if (IOStatus status = Open(path, &file); !status.ok()) return status;
  return Do({.kind = Kind::kDelete, .path = path});
}

IOStatus SimulatedDisk::CreateDir(const std::string& path, const IOOptions&, IODebugContext*) {
  return Do({.kind = Kind::kMakeDirectory, .path = WithoutSlash(path)});
}

IOStatus SimulatedDisk::CreateDirIfMissing(const std::string& path, const IOOptions& options,
                                           IODebugContext* dbg) {
  bool is = false;
  if (IsDirectory(path, options, &is, dbg).ok() && is) return IOStatus::OK();
  return CreateDir(path, options, dbg);
}

IOStatus SimulatedDisk::DeleteDir(const std::string& path, const IOOptions&, IODebugContext*) {
  return Do({.kind = Kind::kDelete, .path = WithoutSlash(path)});
}

IOStatus SimulatedDisk::GetFileSize(const std::string& path, const IOOptions&, uint64_t* size,
                                    IODebugContext*) {
  uint64_t file = 0;
  IOStatus status = Open(path, &file);
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  const auto allocated = allocated_.find(file);
  *size = std::max<uint64_t>(state_.Bytes(file).size(),
                             allocated == allocated_.end() ? 0 : allocated->second);
  return status;
}

IOStatus SimulatedDisk::GetFileModificationTime(const std::string&, const IOOptions&,
                                                uint64_t* time, IODebugContext*) {
  *time = 0;
  return IOStatus::OK();
}

IOStatus SimulatedDisk::RenameFile(const std::string& path, const std::string& target,
                                   const IOOptions&, IODebugContext*) {
  uint64_t file = 0;
  if (IOStatus status = Open(path, &file); !status.ok()) return status;
  return Do({.kind = Kind::kRename, .path = path, .target = target});
}

IOStatus SimulatedDisk::LockFile(const std::string& path, const IOOptions& options,
                                 rocksdb::FileLock** lock, IODebugContext* dbg) {
  {
    const std::lock_guard guard(mutex_);
    if (locked_.contains(path)) return IOStatus::IOError("lock hold by current process", path);
  }
  if (!FileExists(path, options, dbg).ok()) {
    std::unique_ptr<rocksdb::FSWritableFile> made;
    IOStatus status = NewWritableFile(path, rocksdb::FileOptions(), &made, dbg);
    if (!status.ok()) return status;
  }
  const std::lock_guard guard(mutex_);
  locked_.insert(path);
  *lock = new Lock(path);
  return IOStatus::OK();
}

IOStatus SimulatedDisk::UnlockFile(rocksdb::FileLock* lock, const IOOptions&, IODebugContext*) {
  const std::lock_guard guard(mutex_);
  auto* mine = static_cast<Lock*>(lock);
  locked_.erase(mine->path());
  delete mine;
  return IOStatus::OK();
}

IOStatus SimulatedDisk::GetTestDirectory(const IOOptions&, std::string* path, IODebugContext*) {
  path->assign(1, '/');
  return IOStatus::OK();
}

IOStatus SimulatedDisk::NewLogger(const std::string&, const IOOptions&,
                                  std::shared_ptr<rocksdb::Logger>* result, IODebugContext*) {
  *result = std::make_shared<SilentLogger>();
  return IOStatus::OK();
}

IOStatus SimulatedDisk::GetAbsolutePath(const std::string& path, const IOOptions&,
                                        std::string* absolute, IODebugContext*) {
  *absolute = path;
  return IOStatus::OK();
}

IOStatus SimulatedDisk::IsDirectory(const std::string& path, const IOOptions&, bool* is,
                                    IODebugContext*) {
  const std::lock_guard lock(mutex_);
  const std::string name = WithoutSlash(path);
  *is = state_.IsDirectory(name);
  return *is || state_.Find(name) ? IOStatus::OK() : NotThere(path);
}

IOStatus SimulatedDisk::GetFreeSpace(const std::string&, const IOOptions&, uint64_t* bytes,
                                     IODebugContext*) {
  const std::lock_guard lock(mutex_);
  const uint64_t used = UsedBytes();
  *bytes = capacity_ > used ? capacity_ - used : 0;
  return IOStatus::OK();
}

}  // namespace skiff
