// What benchmarks of stores run in: the machine's clock and randomness, and no way to go on after
// an error.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"

namespace skiff::bench {

template <typename T>
T Must(Result<T> result, const char* what) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "bench: %s: %s\n", what, result.error().ToString().c_str());
  std::exit(1);
}

inline SystemClock& TheClock() {
  static SystemClock clock;
  return clock;
}
inline SystemRandom& TheRandom() {
  static SystemRandom random;
  return random;
}

}  // namespace skiff::bench
