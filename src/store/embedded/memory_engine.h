// An engine in memory, for simulations and tests that need no disk, and the disk that it stands on.
//
// A MemoryDisk is what survives: it belongs to the test, which opens one engine after the other on
// it, as a process does on its directory. A copy of it, taken at any moment, is what a crash at
// that moment leaves. The disk can be told to fail a write and to spoil bytes.
//
// Threads: as engine.h says; the disk may be used by any thread. Snapshots are cheap: values carry
// the number of the write that made them, and old ones stay until no snapshot can see them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/embedded/engine.h"

namespace skiff::store {

// One row that a batch sets or, if the value is null, removes.
struct MemoryChange {
  Family family;
  std::string key;
  std::shared_ptr<const std::string> value;
};

class MemoryDisk : public std::enable_shared_from_this<MemoryDisk> {
 public:
  static std::shared_ptr<MemoryDisk> Make() { return std::make_shared<MemoryDisk>(); }

  // What a crash now would leave.
  std::shared_ptr<MemoryDisk> Copy();

  // The engine on the disk; an error while there is another one.
  Result<std::unique_ptr<Engine>> Open();

  // The n-th write from now (1: the next) fails, after it was applied or without.
  enum class Outcome : uint8_t { kApplied, kLost };
  void FailWrite(int nth, Outcome outcome);
  // So many of the next openings fail.
  void FailOpens(int count);
  // From now on the engine that is open tells of an error in the background.
  void FailInBackground();
  // Writes are turned away, without harm, while the disk is full.
  void SetFull(bool full);
  // How much room the disk says that it has, and how often it was asked to give some back.
  void SetDiskSpace(DiskSpace room);
  int reclaims();
  // Called in every write, before it takes effect. May block, to hold the writer up.
  void OnWrite(std::function<void()> hook);

  // Past the engine, as damage would.
  std::optional<std::string> Get(Family family, std::string_view key);
  void Put(Family family, std::string_view key, std::string_view value);
  void Delete(Family family, std::string_view key);
  std::vector<std::string> Keys(Family family);
  // A damaged block: what these keys, and those between them, hold now cannot be read, and cursors
  // stop there. What is written afterwards can.
  void CorruptBlock(Family family, std::string first, std::string last);

  uint64_t writes();

 private:
  friend class MemoryEngine;
  friend class MemorySnapshot;
  friend class MemoryCursor;
  struct Version {
    uint64_t sequence;
    std::shared_ptr<const std::string> value;  // null: deleted
  };
  using Versions = std::vector<Version>;  // ascending
  using Table = std::map<std::string, Versions, std::less<>>;
  Result<void> Write(const std::vector<MemoryChange>& changes);
  void Apply(const std::vector<MemoryChange>& changes);
  void Prune(Table& table, Table::iterator at);
  static std::shared_ptr<const std::string> Visible(const Versions& versions, uint64_t sequence);
  Result<std::shared_ptr<const std::string>> Find(Family family, std::string_view key,
                                                  uint64_t sequence);
  // Whether what a reader would see of the key lies in a damaged block. Any key will do, also one
  // that does not exist.
  bool IsCorrupt(Family family, std::string_view key, uint64_t sequence);
  uint64_t AddSnapshot();
  void DropSnapshot(uint64_t sequence);

  std::shared_mutex mutex_;
  Table tables_[kFamilyCount];
  uint64_t sequence_ = 0;
  std::multiset<uint64_t> snapshots_;
  // Keys that may hold versions for snapshots alone.
  std::set<std::pair<Family, std::string>> prunable_;
  struct CorruptRange {
    Family family;
    std::string first;
    std::string last;
    uint64_t sequence;  // of the last write that it held
  };
  std::vector<CorruptRange> corrupt_;
  bool open_ = false;
  bool failed_ = false;
  bool background_error_ = false;
  bool full_ = false;
  DiskSpace room_ = DiskSpace::kPlenty;
  int reclaims_ = 0;
  int fail_write_ = 0;
  Outcome fail_outcome_ = Outcome::kLost;
  int fail_opens_ = 0;
  std::function<void()> on_write_;
  uint64_t writes_ = 0;
};

}  // namespace skiff::store
