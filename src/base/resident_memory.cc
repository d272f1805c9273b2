#include "base/resident_memory.h"

#include <link.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include <sys/mman.h>

#include "base/memory_limit.h"

namespace skiff {
namespace {

int ForgetUnchangedPages(dl_phdr_info* program, size_t size, void* context) {
  static_cast<void>(size);
  static_cast<void>(context);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = program->dlpi_phdr[i];
    // What is writable, or was while the program was linked, is not in the file as it is in memory.
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const uintptr_t begin = (program->dlpi_addr + segment.p_vaddr + page - 1) & ~(page - 1);
    const uintptr_t end = (program->dlpi_addr + segment.p_vaddr + segment.p_memsz) & ~(page - 1);
    // Failure leaves everything as it was.
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 1;  // the first is the program; libraries are small and shared
}

constexpr int kMaxPools = 4;
// Worth the walk through the whole heap.
constexpr size_t kMuchBytes = 16 * 1024 * 1024;

// Memory that the process has and that nothing is in, and a little that is no matter of the
// allocator. What the allocator counts as free would not do: it goes on counting what it has given
// back, and so does not grow when that is used and freed once more.
size_t IdleBytes() {
  const struct mallinfo2 allocated = mallinfo2();
  const std::optional<ProcessMemory> has = ReadProcessMemory();
  if (!has) return allocated.fordblks;
  const size_t used = allocated.uordblks + allocated.hblkhd;
  return has->own() > used ? has->own() - used : 0;
}

}  // namespace

void ShareFreedMemory() { mallopt(M_ARENA_MAX, kMaxPools); }

void ReleaseStartupMemory() {
  malloc_trim(0);
  dl_iterate_phdr(ForgetUnchangedPages, nullptr);
}

void FreedMemory::ReleaseIfMuch() {
  const size_t idle_bytes = IdleBytes();
  kept_bytes_ = std::min(kept_bytes_, idle_bytes);
  if (idle_bytes >= kept_bytes_ + kMuchBytes) Release();
}

void FreedMemory::Release() {
  malloc_trim(0);
  kept_bytes_ = IdleBytes();
}

}  // namespace skiff
