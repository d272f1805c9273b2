#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <sys/random.h>

#include "base/random.h"

namespace skiff {

namespace {

// Bits are fetched many at a time, since a request needs some and a call of the kernel costs as
// much as the rest of making an id. They are forgotten as they are used; a forked process begins
// anew.
struct Supply {
  std::array<uint64_t, 32> bits{};
  size_t left = 0;
  unsigned generation = 0;
};

std::atomic<unsigned> fork_generation = 0;

unsigned WatchForks() {
  static const int watching =
      pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1); });
  static_cast<void>(watching);
  return fork_generation.load(std::memory_order_relaxed);
}

void Refill(Supply& supply) {
  // Up to 256 bytes come whole or not at all; a signal may interrupt only the wait after boot.
  while (getrandom(supply.bits.data(), sizeof(supply.bits), 0) !=
         static_cast<ssize_t>(sizeof(supply.bits))) {
    if (errno == EINTR) continue;
    std::perror("getrandom");
    std::abort();
  }
  supply.left = supply.bits.size();
}

}  // namespace

uint64_t SystemRandom::Next() {
  static thread_local Supply supply;
  const unsigned generation = WatchForks();
  if (supply.left == 0 || supply.generation != generation) {
    Refill(supply);
    supply.generation = generation;
  }
  return std::exchange(supply.bits[--supply.left], 0);
}

}  // namespace skiff
