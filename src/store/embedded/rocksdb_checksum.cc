// The CRC32C of RocksDB's logs and tables, computed by the processor's instruction.
//
// Debian builds RocksDB for processors without that instruction, and the library does not look for
// it at run time: its checksums took a fifth of the CPU of a commit. Normal builds therefore let
// the linker lead the library's calls here (cmake/rocksdb.cmake). The numbers are the same, so that
// the files are too.
#include <cstddef>
#include <cstdint>

#include "base/crc32c.h"

// What the linker calls the replacement of rocksdb::crc32c::Extend(uint32_t, const char*, size_t).
extern "C" uint32_t __wrap__ZN7rocksdb6crc32c6ExtendEjPKcm(  // NOLINT(bugprone-reserved-identifier)
    uint32_t before, const char* bytes, size_t size) {
  return skiff::Crc32c({bytes, size}, before);
}
