// What the parts of an embedded store know in common: where its history stands, and how it is.
//
// Owned by the store. The numbers are written by the committer alone and read by anyone.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "store/store.h"

namespace skiff {

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
  // Something stored is damaged. Stays until the store is opened anew; the first is told.
  void NoteDamage(std::string_view what) {
    std::lock_guard lock(mutex_);
    if (damage_.empty()) damage_ = what;
  }
  StoreHealth Health() const {
    std::lock_guard lock(mutex_);
    StoreHealth health{readable_, read_only_.empty(), read_only_};
    if (!damage_.empty()) health.reason += (health.reason.empty() ? "" : "; ") + damage_;
    return health;
  }

 private:
  mutable std::mutex mutex_;
  bool readable_ = true;
  std::string read_only_;
  std::string damage_;
};

}  // namespace skiff
