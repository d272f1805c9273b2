#include "base/random.h"

#include <bit>
#include <cassert>
#include <string_view>

#include "base/hex.h"

namespace skiff {
namespace {

// SplitMix64, which spreads a small seed over the whole state.
uint64_t Spread(uint64_t& seed) {
  seed += 0x9E3779B97F4A7C15;
  uint64_t mixed = seed;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

}  // namespace

uint64_t Random::Uniform(uint64_t bound) {
  assert(bound != 0);
  // The high half of bits × bound is below bound; the low half tells the bits that would make some
  // results more likely than others, and those are drawn again.
  const uint64_t unfair = (0 - bound) % bound;
  while (true) {
    const auto product = static_cast<unsigned __int128>(Next()) * bound;
    if (static_cast<uint64_t>(product) >= unfair) return static_cast<uint64_t>(product >> 64);
  }
}

SeededRandom::SeededRandom(uint64_t seed) {
  for (uint64_t& word : state_) word = Spread(seed);
}

uint64_t SeededRandom::Next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::string NewUuid(Random& random) {
  uint64_t high = random.Next();
  uint64_t low = random.Next();
  high = (high & ~uint64_t{0xf000}) | 0x4000;                // version 4
  low = (low & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);  // variant of RFC 9562
  std::string out;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    const uint64_t half = i < 16 ? high : low;
    out += HexDigits()[half >> (60 - 4 * (i % 16)) & 15];
  }
  return out;
}

}  // namespace skiff
