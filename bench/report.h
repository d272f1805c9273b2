// What every benchmark program shares: timing, the line format, and the exit code.
//
//   void BenchJson(bench::Report& report) {
//     const auto [ours, peer] = bench::BestSecondsEach(2.0, [&] { … }, [&] { … });
//     report.Figure("json_decode", bytes / ours / 1e9, "GB/s", peer / ours, "simdjson",
//                   bench::AtLeast(0.35));
//   }
//
// prints `bench json_decode 1.234 GB/s ratio=0.41 of simdjson`. The budget bounds the ratio; a
// figure held to an absolute limit gives that limit as its peer and value / limit as the ratio.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <limits>

namespace skiff::bench {

// tools/bench tells a missed budget from a crash by it.
inline constexpr int kMissedBudget = 3;

struct Budget {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};
inline Budget AtLeast(double ratio) { return {.least = ratio}; }
inline Budget AtMost(double ratio) { return {.most = ratio}; }

// Keeps a result alive, so that the work behind it cannot be left out.
template <typename T>
void Keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

using Clock = std::chrono::steady_clock;
inline double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds that one call of each piece of work takes: the best of many calls, because whatever else
// the machine does only ever adds to it. The pieces take turns, so that a machine that is slower
// for a while is slower for all of them.
template <typename... Work>
std::array<double, sizeof...(Work)> BestSecondsEach(double total_seconds, Work... work) {
  constexpr int kFewestRounds = 5;
  std::array<double, sizeof...(Work)> best;
  best.fill(std::numeric_limits<double>::infinity());
  const auto start = Clock::now();
  for (int rounds = 0; rounds < kFewestRounds || SecondsSince(start) < total_seconds; ++rounds) {
    size_t i = 0;
    const auto time = [&](auto& one) {
      const auto before = Clock::now();
      one();
      best[i] = std::min(best[i], SecondsSince(before));
      ++i;
    };
    (time(work), ...);
  }
  return best;
}

// The same for one piece of work by itself.
template <typename Work>
double BestSeconds(Work work, double total_seconds = 1.0) {
  return BestSecondsEach(total_seconds, work)[0];
}

class Report {
 public:
  void Figure(const char* name, double value, const char* unit, double ratio, const char* peer,
              Budget budget = {}) {
    // A figure that is not a number is a missed budget, not a kept one.
    const bool kept = ratio >= budget.least && ratio <= budget.most;
    missed_ = missed_ || !kept;
    std::printf("bench %s %.4g %s ratio=%.3f of %s%s\n", name, value, unit, ratio, peer,
                kept ? "" : "   <-- misses its budget");
    std::fflush(stdout);
  }

  int ExitCode() const { return missed_ ? kMissedBudget : 0; }

 private:
  bool missed_ = false;
};

}  // namespace skiff::bench
