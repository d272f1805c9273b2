#include "base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace skiff {
namespace {

constexpr uint32_t kReversedPolynomial = 0x82f63b78;

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = MakeTable();

#ifdef __x86_64__
// The instruction takes three cycles and could begin with every one: three lanes side by side keep
// it busy.
constexpr size_t kLaneBytes = 256;

// What a checksum becomes by as many zero bytes as a lane has. It is the sum of what each of its
// bits becomes, so that there is one table for each of its bytes.
using LaneShift = std::array<std::array<uint32_t, 256>, 4>;

constexpr LaneShift MakeLaneShift() {
  LaneShift shift{};
  for (size_t bit = 0; bit < 32; ++bit) {
    uint32_t crc = uint32_t{1} << bit;
    for (size_t i = 0; i < kLaneBytes; ++i) crc = (crc >> 8) ^ kTable[crc & 0xff];
    for (size_t byte = 0; byte < 256; ++byte) {
      if ((byte >> bit % 8 & 1) != 0) shift[bit / 8][byte] ^= crc;
    }
  }
  return shift;
}

constexpr LaneShift kLaneShift = MakeLaneShift();

uint64_t ShiftByLane(uint64_t crc) {
  return kLaneShift[0][crc & 0xff] ^ kLaneShift[1][crc >> 8 & 0xff] ^
         kLaneShift[2][crc >> 16 & 0xff] ^ kLaneShift[3][crc >> 24 & 0xff];
}

uint64_t WordAt(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

__attribute__((target("sse4.2"))) uint32_t ByInstruction(std::string_view bytes, uint32_t before) {
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t crc = static_cast<uint32_t>(~before);
  for (; left >= 3 * kLaneBytes; left -= 3 * kLaneBytes, at += 3 * kLaneBytes) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kLaneBytes; i += sizeof(uint64_t)) {
      crc = _mm_crc32_u64(crc, WordAt(at + i));
      second = _mm_crc32_u64(second, WordAt(at + kLaneBytes + i));
      third = _mm_crc32_u64(third, WordAt(at + 2 * kLaneBytes + i));
    }
    crc = ShiftByLane(ShiftByLane(crc) ^ second) ^ third;
  }
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    crc = _mm_crc32_u64(crc, WordAt(at));
  }
  auto rest = static_cast<uint32_t>(crc);
  for (; left > 0; --left, ++at) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(*at));
  return ~rest;
}

bool HasInstruction() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2") != 0;
}
#endif

}  // namespace

uint32_t Crc32cByTable(std::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

uint32_t Crc32c(std::string_view bytes, uint32_t before) {
#ifdef __x86_64__
  static const bool has_instruction = HasInstruction();
  if (has_instruction) return ByInstruction(bytes, before);
#endif
  return Crc32cByTable(bytes, before);
}

}  // namespace skiff
