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
__attribute__((target("sse4.2"))) uint32_t ByInstruction(std::string_view bytes, uint32_t before) {
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t crc = ~before;
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    crc = _mm_crc32_u64(crc, word);
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
