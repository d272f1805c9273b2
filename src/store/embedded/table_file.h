// Looks at the end of a table file before RocksDB does, which reads one block there, the
// properties, before it compares the checksum: a single changed bit then ends the process in an
// assertion, or gives an error that does not name the file.
//
// The format, from the end: a footer of 53 bytes (type of checksum, where the metaindex and the
// index stand, zeros, format version, magic number); the metaindex, which tells where the
// properties stand; the properties. Each block is followed by a byte for its compression and a
// CRC32C over both, rotated and added to as in record_file.h. Numbers are little-endian or
// variable: seven bits in a byte, the lowest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace skiff::store {

// Appends that part of the file; false if it cannot be read.
using ReadFilePart = std::function<bool(uint64_t offset, size_t size, std::string* out)>;

// What is wrong with the table, for people; null if nothing is, or if a part cannot be read.
const char* FindTableDamage(uint64_t file_size, const ReadFilePart& read);

}  // namespace skiff::store
