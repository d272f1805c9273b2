#include "store/embedded/disk_space.h"

#include <algorithm>

#include "base/limits.h"

namespace skiff::store {

DiskSpaceLimits DiskSpaceLimits::For(uint64_t disk_bytes) {
  const uint64_t unit =
      std::clamp(disk_bytes / 8, limits::kMinStoreSpaceUnit, limits::kMaxStoreSpaceUnit);
  return {.reserve = unit / 2,
          .working = unit,
          .scarce = 2 * unit,
          .small_growth = unit,
          .tiny_growth = unit / 2,
          .deletions_only = unit / 8,
          .nothing = unit / 8};
}

DiskSpace DiskSpaceLimits::Classify(uint64_t free_and_held) const {
  const uint64_t kept = reserve + working;
  const uint64_t left = free_and_held > kept ? free_and_held - kept : 0;
  if (left < deletions_only) return DiskSpace::kDeletionsOnly;
  if (left < tiny_growth) return DiskSpace::kTinyGrowth;
  if (left < small_growth) return DiskSpace::kSmallGrowth;
  return left < scarce ? DiskSpace::kScarce : DiskSpace::kPlenty;
}

bool Takes(DiskSpace room, const Growth& growth) {
  if (growth.written == 0) return true;
  switch (room) {
    case DiskSpace::kPlenty:
    case DiskSpace::kScarce:
      return true;
    case DiskSpace::kSmallGrowth:
      return growth.added <= limits::kStoreSmallGrowthBytes;
    case DiskSpace::kTinyGrowth:
      return growth.added <= limits::kStoreTinyGrowthBytes &&
             growth.written <= limits::kStoreTinyWriteBytes;
    case DiskSpace::kDeletionsOnly:
      // Others than the objects themselves may be changed with them, such as a quota.
      return growth.deletes && growth.added <= 0;
  }
  return false;
}

std::string ExplainDiskSpace(DiskSpace room) {
  if (TakesAll(room)) return "";
  std::string taken = "only deletions";
  if (room != DiskSpace::kDeletionsOnly) {
    const bool some = room == DiskSpace::kSmallGrowth;
    taken += ", and changes that add no more than " +
             std::to_string(some ? limits::kStoreSmallGrowthBytes : limits::kStoreTinyGrowthBytes) +
             " bytes,";
  }
  return "the disk of the store is nearly full: " + taken +
         " are taken until there is room; delete what is not needed, or enlarge the disk";
}

}  // namespace skiff::store
