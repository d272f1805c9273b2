#include "tests/faults/lossy_files.h"

#include <string>
#include <utility>

namespace skiff::testing {
namespace {

constexpr size_t kKeptBytes = 16 * 1024;

class LossyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  explicit LossyFile(std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileOwnerWrapper(std::move(file)) {}
  ~LossyFile() override = default;

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    kept_.append(data.data(), data.size());
    return kept_.size() < kKeptBytes ? rocksdb::IOStatus::OK() : WriteKept(options, debug);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&,
                           rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  rocksdb::IOStatus Flush(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus RangeSync(uint64_t, uint64_t, const rocksdb::IOOptions&,
                              rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  uint64_t GetFileSize(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return target()->GetFileSize(options, debug) + kept_.size();
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus written = WriteKept(options, debug);
    return written.ok() ? target()->Close(options, debug) : written;
  }

 private:
  rocksdb::IOStatus WriteKept(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
    return target()->Append(std::exchange(kept_, {}), options, debug);
  }

  std::string kept_;
};

class LossyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  LossyFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "LossyFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus made = target()->NewWritableFile(name, options, result, debug);
    if (made.ok() && name.ends_with(".log"))
      *result = std::make_unique<LossyFile>(std::move(*result));
    return made;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> MakeLossyFiles() {
  return std::make_shared<LossyFileSystem>();
}

}  // namespace skiff::testing
