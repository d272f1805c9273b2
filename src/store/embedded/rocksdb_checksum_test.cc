// RocksDB's checksum is ours, whichever of the two computes it (rocksdb_checksum.cc).
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/random.h"

// Not in the library's public headers.
namespace rocksdb::crc32c {
uint32_t Extend(uint32_t before, const char* bytes, size_t size);
}

namespace skiff::store {
namespace {

TEST(RocksDbChecksumTest, IsCrc32cOfAnyPieces) {
  SeededRandom random(1);
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    const size_t split = random.Uniform(bytes.size() + 1);
    const uint32_t first = rocksdb::crc32c::Extend(0, bytes.data(), split);
    EXPECT_EQ(rocksdb::crc32c::Extend(first, bytes.data() + split, bytes.size() - split),
              Crc32cByTable(bytes));
    bytes += static_cast<char>(random.Next());
  }
}

}  // namespace
}  // namespace skiff::store
