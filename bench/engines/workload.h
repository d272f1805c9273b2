// Keys and values that can be checked, child processes, and what the kernel says about a process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sys/mman.h>

#include "bench/engines/engine.h"

namespace skiff::bench::engines {

// A key of the usual form and length; n of any size.
std::string KeyOf(uint64_t n);

// A value that belongs to one key and one write of it: text about as repetitive as API objects.
std::string ValueOf(std::string_view key, uint64_t salt, size_t size);
// True when the value is whole and belongs to the key.
bool ValueFits(std::string_view key, std::string_view value);
uint64_t SaltOf(std::string_view value);

// An empty directory, removed with all it holds.
class ScratchDir {
 public:
  explicit ScratchDir(std::string path);
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

uint64_t DirBytes(const std::string& dir);   // allocated on disk
void DropFileCache(const std::string& dir);  // writes back and forgets the cached pages

// What this process wrote: bytes passed to system calls, and bytes of page cache that became dirty.
// The kernel counts whole folios for the second, up to 2 MB for a small write into a file that was
// written in large pieces, so the first is the steadier measure of write amplification.
struct Written {
  uint64_t issued;
  uint64_t dirtied;
};
Written WrittenBytes();

struct Memory {
  double anon_mb;
  double file_mb;
};
Memory ResidentMemory();

// Syncs per second of a file in dir: growing by 2 KB each time, or overwritten in place.
double SyncRate(const std::string& dir, bool grow, double seconds);

double Median(std::vector<double> values);

// Runs work in a child process; returns what waitpid says. The second form kills it after a while.
int InChild(const std::function<int()>& work);
int InChildKilledAfter(double seconds, const std::function<int()>& work);

// Memory that children fill in for the parent.
template <typename T>
class Shared {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Shared(size_t count = 1)
      : bytes_(count * sizeof(T)),
        data_(static_cast<T*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Shared() { munmap(data_, bytes_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator[](size_t i) { return data_[i]; }
  T* operator->() { return data_; }

 private:
  size_t bytes_;
  T* data_;
};

}  // namespace skiff::bench::engines
