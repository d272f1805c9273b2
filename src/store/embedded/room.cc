#include "store/embedded/room.h"

#include <algorithm>

#include "base/limits.h"

namespace skiff {

RoomLimits RoomLimits::For(uint64_t disk_bytes) {
  const uint64_t unit =
      std::clamp(disk_bytes / 8, limits::kMinStoreRoomUnit, limits::kMaxStoreRoomUnit);
  return {.reserve = unit / 2,
          .working = unit,
          .scarce = 2 * unit,
          .small_growth = unit,
          .tiny_growth = unit / 2,
          .deletions_only = unit / 8,
          .nothing = unit / 8};
}

Room RoomLimits::Judge(uint64_t free_and_held) const {
  const uint64_t kept = reserve + working;
  const uint64_t left = free_and_held > kept ? free_and_held - kept : 0;
  if (left < deletions_only) return Room::kDeletionsOnly;
  if (left < tiny_growth) return Room::kTinyGrowth;
  if (left < small_growth) return Room::kSmallGrowth;
  return left < scarce ? Room::kScarce : Room::kPlenty;
}

bool Takes(Room room, const Growth& growth) {
  if (growth.written == 0) return true;
  switch (room) {
    case Room::kPlenty:
    case Room::kScarce:
      return true;
    case Room::kSmallGrowth:
      return growth.added <= limits::kStoreSmallGrowthBytes;
    case Room::kTinyGrowth:
      return growth.added <= limits::kStoreTinyGrowthBytes &&
             growth.written <= limits::kStoreTinyWriteBytes;
    case Room::kDeletionsOnly:
      // Others than the objects themselves may be changed with them, such as a quota.
      return growth.deletes && growth.added <= 0;
  }
  return false;
}

std::string ExplainRoom(Room room) {
  if (TakesAll(room)) return "";
  std::string taken = "only deletions";
  if (room != Room::kDeletionsOnly) {
    const bool some = room == Room::kSmallGrowth;
    taken += ", and changes that add no more than " +
             std::to_string(some ? limits::kStoreSmallGrowthBytes : limits::kStoreTinyGrowthBytes) +
             " bytes,";
  }
  return "the disk of the store is nearly full: " + taken +
         " are taken until there is room; delete what is not needed, or enlarge the disk";
}

}  // namespace skiff
