// What a process holds in memory without need.
#pragma once

namespace skiff {

// For servers, once they have started: gives freed memory back to the system, and forgets the pages
// of the program itself that are unchanged. Starting runs through code that is hardly needed again,
// and the kernel maps such pages in large pieces; those that are needed come back one by one, from
// the page cache.
void ReleaseStartupMemory();

}  // namespace skiff
