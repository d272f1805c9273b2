// CRC32C (Castagnoli), the checksum of stored records: by the processor's own instruction where it
// has one, otherwise by a table. Both give the same numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace skiff {

// The checksum of some bytes followed by `bytes`, where `before` is the checksum of the first; zero
// for none.
uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);

// The way of machines without the instruction. Tests compare it with the other.
uint32_t Crc32cByTable(std::string_view bytes, uint32_t before = 0);

}  // namespace skiff
