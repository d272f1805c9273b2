// A load on a store: a fixed number of transactions under way, each followed by the next as soon as
// it is answered. And the same bytes on the bare disk, which is the limit.
#pragma once

#include <cstdint>
#include <string>

#include "store/store.h"

namespace skiff::bench {

struct LoadResult {
  uint64_t commits = 0;
  double seconds = 0;
  double rate() const { return static_cast<double>(commits) / seconds; }
};

struct Load {
  size_t in_flight = 1;
  size_t value_bytes = 1024;
  double seconds = 1.0;
  // Keys are <prefix><number>; numbers go on from here, so that every commit creates.
  std::string prefix;
  uint64_t first = 0;
};

// Creates keys for that long. Ends the program when a commit fails.
LoadResult CreateKeys(store::Store& store, const Load& load);

// How many times a second this directory's disk appends that many bytes to a file and syncs them.
double SyncRate(const std::string& directory, size_t bytes, double seconds);

// A value of that many bytes that does not compress to nothing.
SharedBytes MakeValue(size_t bytes, uint64_t seed);

}  // namespace skiff::bench
