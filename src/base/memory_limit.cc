#include "base/memory_limit.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/limits.h"

namespace skiff {
namespace {

// The number that a file begins with. "max" is none.
std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

// The least number in the files of that name, from `folder` up to `top`. A container may see the
// folder of its own cgroup as the top, under whatever name the host has for it: folders that are
// not there are passed over.
std::optional<uint64_t> LeastUpwards(const std::string& top, std::string folder,
                                     const std::string& name) {
  std::optional<uint64_t> least;
  for (;;) {
    while (folder.ends_with('/')) folder.pop_back();
    const std::optional<uint64_t> found = NumberIn(top + folder + "/" + name);
    if (found && (!least || *found < *least)) least = found;
    if (folder.empty()) return least;
    folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
  }
}

}  // namespace

std::optional<ProcessMemory> ReadProcessMemory() {
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::array<char, 256> text;
  const ssize_t size = read(fd, text.data(), text.size());
  close(fd);
  if (size <= 0) return std::nullopt;
  std::array<uint64_t, 3> pages{};
  const char* at = text.data();
  const char* const end = at + size;
  for (uint64_t& number : pages) {
    while (at < end && *at == ' ') ++at;
    at = std::from_chars(at, end, number).ptr;
  }
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return ProcessMemory{pages[0] * page, pages[1] * page, pages[2] * page};
}

std::optional<uint64_t> CgroupMemoryLimit(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::optional<uint64_t> least;
  // "0::/path" of version 2, "4:memory:/path" of version 1, which may both be there.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string kinds = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    std::optional<uint64_t> found;
    if (kinds == ",,") {
      found = LeastUpwards(root + "/sys/fs/cgroup", path, "memory.max");
    } else if (kinds.find(",memory,") != std::string::npos) {
      found = LeastUpwards(root + "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
    }
    if (found && (!least || *found < *least)) least = found;
  }
  return least;
}

uint64_t PhysicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t MemoryLimit(uint64_t wanted) {
  uint64_t limit = PhysicalMemory();
  limit = std::min(limit, CgroupMemoryLimit().value_or(limit));
  return wanted == 0 ? limit : std::min(limit, wanted);
}

MemoryGauge::MemoryGauge(Clock& clock, uint64_t limit_bytes, std::function<uint64_t()> measure)
    : clock_(clock), limit_bytes_(limit_bytes), measure_(std::move(measure)) {}

MemoryGauge::MemoryGauge(Clock& clock, uint64_t limit_bytes)
    : MemoryGauge(clock, limit_bytes,
                  [] { return ReadProcessMemory().value_or(ProcessMemory{}).own(); }) {}

MemoryGauge::Level MemoryGauge::level() {
  const Duration::rep now = clock_.Monotonic().count();
  Duration::rep due = next_look_.load(std::memory_order_relaxed);
  if (now < due) return level_.load(std::memory_order_relaxed);
  // One thread looks; the others take what was found last.
  const Duration::rep next = now + Duration(limits::kMemoryLookInterval).count();
  if (!next_look_.compare_exchange_strong(due, next)) return level_;
  // The rest is for what is under way, for the kernel's share, and for pages of files.
  const uint64_t used = measure_();
  const Level level = used >= limit_bytes_ / 8 * 7   ? Level::kFull
                      : used >= limit_bytes_ / 4 * 3 ? Level::kTight
                                                     : Level::kRoom;
  level_ = level;
  return level;
}

}  // namespace skiff
