// The directory of an engine on RocksDB: its lock, its reserve, and what is done with its files
// before RocksDB sees them. Private to rocksdb_engine.cc. Everything goes through RocksDB's
// interface to the file system, so that a simulated disk sees it too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/file_system.h>
#include <rocksdb/status.h>

#include "base/status.h"
#include "store/embedded/record_file.h"

namespace skiff::store {

// What RocksDB says, in the words of whoever runs the cluster.
std::string ExplainRocksDb(const std::string& directory, const rocksdb::Status& status);
std::unexpected<Status> RocksDbFailure(const std::string& directory, const rocksdb::Status& status);
// Of reading something that is there: kInternalError if it is damaged, or if the disk does not give
// it.
std::unexpected<Status> RocksDbReadFailure(const std::string& directory,
                                           const rocksdb::Status& status);

class RocksDbDirectory {
 public:
  static constexpr const char* kOwnerName = "OWNER";

  RocksDbDirectory(std::string path, std::shared_ptr<rocksdb::FileSystem> fs)
      : path_(std::move(path)), fs_(std::move(fs)) {}
  RocksDbDirectory(const RocksDbDirectory&) = delete;
  RocksDbDirectory& operator=(const RocksDbDirectory&) = delete;
  ~RocksDbDirectory();

  // Whether there is a store; an error if there is something else.
  Result<bool> HoldsStore() const;
  // Makes the directory and its name durable.
  Result<void> Create() const;
  // Takes from others what they may do with the directory and the files in it. On the machine's
  // file system. True if there was something to take from the directory.
  Result<bool> MakePrivate() const;
  // Holds it against other processes, and other engines of this one, until destruction. What marks
  // a directory as a store's is durable before anything else is made in it.
  Result<void> Lock();
  // An error if somebody holds it at the moment.
  Result<void> CheckFree();
  // Whether nobody does; false if that cannot be told without changing something.
  bool IsFree() { return Has(kOwnerName) && Has("CURRENT") && CheckFree().has_value(); }
  // Looks at all that RocksDB extends record by record. Cuts off (or mends) what a power cut has
  // torn, if `repair`; any other damage is an error.
  Result<void> CheckRecordFiles(bool repair) const;

  // The names of the files that RocksDB extends record by record.
  Result<std::vector<std::string>> RecordFileNames() const;
  // The names of RocksDB's logs, the last first.
  Result<std::vector<std::string>> Logs() const;

  // Removes tables of other names.
  void RemoveTablesExcept(const std::set<std::string>& names) const;

  // Writes a small file and removes it.
  Result<void> Probe() const;

  // Takes room for bad times, instead of what was taken before. Not getting it is no error.
  void KeepReserve(uint64_t bytes) const;
  void GiveUpReserve() const;
  std::optional<uint64_t> ReserveBytes() const;  // nothing if there is none
  // What the disk has left; very much if it does not tell.
  uint64_t FreeBytes() const;
  // The reserve apart.
  uint64_t UsedBytes() const;

  const std::string& path() const { return path_; }

 private:
  using NamedKind = std::pair<std::string, RecordFileKind>;

  void Unlock();
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }
  bool Has(const std::string& name) const;
  // The manifest in use, then the logs, the last first.
  Result<std::vector<NamedKind>> RecordFiles() const;
  std::unexpected<Status> Damaged(const std::string& name, uint64_t at, const char* what) const;
  Result<void> SyncNames() const;
  Result<void> CutOff(const std::string& name, uint64_t size) const;
  Result<void> Replace(const std::string& name, const std::string& contents) const;

  const std::string path_;
  const std::shared_ptr<rocksdb::FileSystem> fs_;
  const rocksdb::IOOptions io_;
  rocksdb::FileLock* lock_ = nullptr;
};

// Copies to a new directory the files that hold data, and makes CURRENT name the newest manifest.
Result<void> CopyForRebuilding(const std::string& from, const std::string& into);

}  // namespace skiff::store
