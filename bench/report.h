// What every benchmark program shares: timing, the line format, and the exit code.
//
//   void BenchJson(bench::Report& report) {
//     const double ours = bench::BestSeconds([&] { … });
//     const double peer = bench::BestSeconds([&] { … });
//     report.Figure("json_decode", bytes / ours / 1e9, "GB/s", peer / ours, "simdjson",
//                   bench::AtLeast(0.35));
//   }
//
// prints `bench json_decode 1.234 GB/s ratio=0.41 of simdjson`. The budget bounds the ratio; a
// figure held to an absolute limit gives that limit as its peer and value / limit as the ratio.
#pragma once

#include <algorithm>
#include <chrono>
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

// Seconds that one call of `work` takes: the best of many calls, because whatever else the machine
// does only ever adds to it.
template <typename Work>
double BestSeconds(Work work, double total_seconds = 1.0) {
  using Clock = std::chrono::steady_clock;
  constexpr int kFewestCalls = 5;
  double best = std::numeric_limits<double>::infinity();
  const auto start = Clock::now();
  for (int calls = 0;; ++calls) {
    const auto before = Clock::now();
    if (calls >= kFewestCalls &&
        std::chrono::duration<double>(before - start).count() >= total_seconds) {
      return best;
    }
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - before).count());
  }
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
