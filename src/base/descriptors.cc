#include "base/descriptors.h"

#include <dirent.h>

#include <algorithm>
#include <limits>

#include <sys/resource.h>

#include "base/limits.h"

namespace skiff {
namespace {

// RocksDB takes no less, and opens a few more while it merges tables.
constexpr size_t kFewestStoreFiles = 20;

// What clients leave.
size_t ReserveOf(size_t most) {
  return std::clamp(most / 4, kFewestStoreFiles + limits::kMinDescriptorReserve,
                    limits::kMaxDescriptorReserve);
}

}  // namespace

size_t MaxDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<size_t>::max();
  return limit.rlim_cur;
}

std::optional<size_t> OpenDescriptors() {
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return std::nullopt;
  size_t count = 0;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.' ? 1 : 0;
  closedir(directory);
  return count - 1;  // without the one that was open for counting
}

size_t DescriptorsForConnections(size_t most, size_t open) {
  const size_t reserve = ReserveOf(most);
  return most > open + reserve ? most - open - reserve : 1;
}

size_t DescriptorsForConnections() {
  return DescriptorsForConnections(MaxDescriptors(), OpenDescriptors().value_or(0));
}

bool LeavesEnoughForStore(int descriptor, size_t most) {
  const size_t left = ReserveOf(most) - limits::kMinDescriptorReserve;
  return descriptor >= 0 && static_cast<size_t>(descriptor) + left < most;
}

bool LeavesEnoughForStore(int descriptor) {
  return LeavesEnoughForStore(descriptor, MaxDescriptors());
}

int DescriptorsForStore(size_t most) {
  return static_cast<int>(
      std::clamp<size_t>(most / 4, kFewestStoreFiles, limits::kMaxStoreOpenFiles));
}

}  // namespace skiff
