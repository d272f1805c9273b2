// Randomness as something that is handed in, so that a simulation can replay it from a seed.
//
// Code that needs random numbers takes a Random&. Only main()s and tests choose which one it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace skiff {

class Random {
 public:
  virtual ~Random() = default;

  // 64 random bits.
  virtual uint64_t Next() = 0;

  // A number below `bound`, each with the same probability. `bound` must not be zero.
  uint64_t Uniform(uint64_t bound);
  // In [0, 1).
  double UniformDouble() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
};

// xoshiro256**: the same sequence for the same seed, on every machine and in every version. Not for
// secrets, not thread-safe.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed);
  uint64_t Next() override;

 private:
  std::array<uint64_t, 4> state_;
};

// The kernel's generator, fit for secrets. Thread-safe. Ends the process if the kernel has no
// random bytes to give, since nothing made without them would be safe.
class SystemRandom final : public Random {
 public:
  uint64_t Next() override;
};

// A random UUID, version 4.
std::string NewUuid(Random& random);

}  // namespace skiff
