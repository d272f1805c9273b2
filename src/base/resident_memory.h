// What a process holds in memory without need.
#pragma once

#include <cstddef>

namespace skiff {

// For servers, before they start threads: lets the threads share a few pools of memory rather than
// having one each. What a thread frees between things that stay is then of use to the others: a
// server that took 10,000 pods held 5 to 10 MB less. Fewer pools than threads that work at once
// would make them wait for each other, and cost a create 15 %.
void ShareFreedMemory();

// For servers, once they have started: gives freed memory back to the system, and forgets the pages
// of the program itself that are unchanged. Starting runs through code that is hardly needed again,
// and the kernel maps such pages in large pieces; those that are needed come back one by one, from
// the page cache.
void ReleaseStartupMemory();

// Now and then, by one thread: gives freed memory back to the system when it has become much more
// than at the last time. What is freed between things that stay, as after a burst of writes, the
// allocator itself keeps for good.
class FreedMemory {
 public:
  void ReleaseIfMuch();
  // For when memory is short: whatever there is.
  void Release();

 private:
  size_t kept_bytes_ = 0;  // that were there for nothing after the last time, or less since
};

}  // namespace skiff
