#include "base/hash_index.h"

#include "base/random.h"

namespace skiff {

uint64_t ProcessHashSeed() {
  static const uint64_t seed = SystemRandom().Next();
  return seed;
}

}  // namespace skiff
