#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <sys/random.h>

#include "base/random.h"

namespace skiff {

uint64_t SystemRandom::Next() {
  uint64_t bits = 0;
  // Up to 256 bytes come whole or not at all; a signal may interrupt only the wait after boot.
  while (getrandom(&bits, sizeof(bits), 0) != static_cast<ssize_t>(sizeof(bits))) {
    if (errno == EINTR) continue;
    std::perror("getrandom");
    std::abort();
  }
  return bits;
}

}  // namespace skiff
