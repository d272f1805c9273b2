// How much space the disk has left, and what may still be written into it.
//
// A store must never need room that it has used up itself: forgetting old states, deleting objects
// and rewriting files all take some before they give some back. So the less is left, the less a
// transaction may add to what the store holds, and deletions are taken to the last:
//
//   left, in units    what happens
//   2                 old states are forgotten before their time, and their room is given back
//   1                 a transaction may add kStoreSmallGrowthBytes at most
//   1/2               a transaction may add kStoreTinyGrowthBytes at most, and write
//                     kStoreTinyWriteBytes: leases, heartbeats, the marks of a graceful deletion
//   1/8               deletions alone are taken
//
// The unit follows from the size of the disk. Two things are not counted as left, and so are never
// had by objects: one unit for the engine to work in, which writes files anew before it removes the
// old ones; and the reserve, half a unit that is held by a file, in case others fill the disk. It
// is given up when an eighth of a unit is free and for opening a store with little room. When that
// is used up too, nothing is written.
#pragma once

#include <cstdint>
#include <string>

namespace skiff::store {

// From much to little.
enum class DiskSpace : uint8_t { kPlenty, kScarce, kSmallGrowth, kTinyGrowth, kDeletionsOnly };

struct DiskSpaceLimits {
  uint64_t reserve = 0;
  uint64_t working = 0;
  // With less left than this it is so. All zero: there is always plenty.
  uint64_t scarce = 0;
  uint64_t small_growth = 0;
  uint64_t tiny_growth = 0;
  uint64_t deletions_only = 0;
  // With less free than this nothing is written.
  uint64_t nothing = 0;

  // Of a disk on which the store has, and can have, so many bytes.
  static DiskSpaceLimits For(uint64_t disk_bytes);
  // The reserve is free or held.
  DiskSpace Classify(uint64_t free_and_held) const;
};

// What a transaction does to what the store holds.
struct Growth {
  int64_t added = 0;     // bytes; negative: it holds less
  int64_t written = 0;   // bytes of keys and values that are put
  bool deletes = false;  // something that is there
};

// Whether every transaction is taken.
inline bool TakesAll(DiskSpace room) { return room < DiskSpace::kSmallGrowth; }
bool Takes(DiskSpace room, const Growth& growth);

// For people; empty while everything is taken.
std::string ExplainDiskSpace(DiskSpace room);

}  // namespace skiff::store
