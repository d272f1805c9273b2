// Rows of keys (record.h) that were read or written lately, so that the committer finds most of
// them without asking the engine, which with many keys takes as long as all the rest of a commit.
//
// Keys are known by a keyed hash alone, of which 64 bits are compared and others choose the place:
// with a million keys the chance that any two are taken for each other is about 1 in 10^12. The
// table grows with what it holds up to a bound, and from then on forgets rows at random.
//
// Used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/random.h"
#include "store/embedded/record.h"

namespace skiff::store {

class RowCache {
 public:
  explicit RowCache(Random& random, size_t max_rows = limits::kMaxStoreCachedRows);

  std::optional<CurrentRow> Find(std::string_view key) const;
  void Put(std::string_view key, const CurrentRow& row);
  void Remove(std::string_view key);

 private:
  static constexpr size_t kWays = 8;

  struct Hash {
    uint64_t tag;  // not zero
    uint64_t place;
  };
  // A row in 32 bytes. Rows that do not fit are not kept.
  struct Packed {
    int64_t revision;
    int64_t create_revision;
    int64_t lease;
    uint32_t version;
    uint32_t op_and_deleted;
  };
  struct Set {
    std::array<uint64_t, kWays> tags{};  // zero: free
    std::array<uint32_t, kWays> places{};
    std::array<Packed, kWays> rows;
  };

  Hash HashOf(std::string_view key) const;
  void Insert(uint64_t tag, uint32_t place, const Packed& row);
  void Grow();

  std::array<uint64_t, 4> seeds_;
  size_t max_sets_;
  std::vector<Set> sets_;  // a power of two
  size_t rows_ = 0;
  size_t next_victim_ = 0;
};

}  // namespace skiff::store
