// What the parts of an embedded store know in common: where its history stands, and how it is.
//
// Owned by the store. The numbers are written by the committer alone and read by anyone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/limits.h"
#include "store/embedded/disk_space.h"
#include "store/store.h"

namespace skiff::store {

struct StoreState {
  StoreState() : StoreState(0, 0, 0) {}
  StoreState(int64_t revision_then, int64_t compacted_then, int64_t keys_then)
      : revision(revision_then),
        compacted(compacted_then),
        swept(compacted_then),
        keys(keys_then) {}

  // The newest revision that is on disk and that watches have been, or are just being, told of.
  std::atomic<int64_t> revision;
  // What has been, or is just being, compacted: set before the deletions happen, so that whoever
  // takes a snapshot and then finds its revision not below this has all of that revision.
  std::atomic<int64_t> compacted;
  // How far the deletions have got on disk.
  std::atomic<int64_t> swept;
  std::atomic<int64_t> keys;
  std::atomic<uint64_t> commits{0};
  // About how many bytes of records were deleted whose room has not been given back since.
  std::atomic<uint64_t> dead_bytes{0};
  // Since when the disk has been busy with the oldest write that it has not answered, on the
  // monotonic clock in nanoseconds; zero: with none.
  std::atomic<int64_t> writing_since{0};

  void SetReadOnly(std::string why, bool readable) {
    std::lock_guard lock(mutex_);
    read_only_ = std::move(why);
    readable_ = readable;
  }
  void SetWritable() {
    std::lock_guard lock(mutex_);
    read_only_.clear();
    readable_ = true;
  }
  void SetDiskSpace(DiskSpace room) {
    std::lock_guard lock(mutex_);
    room_ = room;
  }
  // Something stored is damaged: a key, or a file. Stays until the key is written anew or the store
  // is opened anew.
  void RecordDamage(std::string_view where, std::string_view what) {
    std::lock_guard lock(mutex_);
    if (damage_.size() < limits::kMaxNotedDamage) damage_.try_emplace(std::string(where), what);
    any_damage_.store(true, std::memory_order_relaxed);
  }
  // It has been written anew.
  void ForgetDamage(std::string_view where) {
    if (!any_damage()) return;
    std::lock_guard lock(mutex_);
    if (const auto at = damage_.find(where); at != damage_.end()) damage_.erase(at);
    any_damage_.store(!damage_.empty(), std::memory_order_relaxed);
  }
  bool any_damage() const { return any_damage_.load(std::memory_order_relaxed); }
  StoreHealth Health() const {
    std::lock_guard lock(mutex_);
    StoreHealth health{readable_, read_only_.empty(), read_only_};
    if (const std::string room = ExplainDiskSpace(room_); !room.empty()) {
      health.reason += (health.reason.empty() ? "" : "; ") + room;
    }
    if (damage_.empty()) return health;
    health.damaged = damage_.size();
    health.damage = damage_.begin()->second;
    if (damage_.size() > 1) {
      health.damage += "; and " + std::to_string(damage_.size() - 1) + " more";
    }
    return health;
  }

 private:
  mutable std::mutex mutex_;
  bool readable_ = true;
  std::string read_only_;
  std::map<std::string, std::string, std::less<>> damage_;  // by what is damaged
  std::atomic<bool> any_damage_{false};
  DiskSpace room_ = DiskSpace::kPlenty;
};

}  // namespace skiff::store
