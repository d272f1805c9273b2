// skiff_engine_bench_ENGINE DIR [PHASE…]: the figures of one candidate for the embedded store, on
// the disk that holds DIR. Phases: idle writes restart restart2k churn kill full flip; all unless
// named. SKIFF_BENCH_KEYS replaces the million keys of a restart (a multiple of 1000).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/engines/phases.h"
#include "bench/engines/workload.h"

namespace skiff::bench::engines {

std::string FigureName(const Setting& setting, const std::string& metric) {
  std::string name = std::string("engine_") + kAdapter.name;
  if (setting.variant != kAdapter.variants.front()) name += "_" + setting.variant;
  return name + "_" + metric;
}

std::unique_ptr<Engine> MakeEngine(const Setting& setting) {
  return kAdapter.make(setting.variant);
}

namespace {

int Run(const std::string& dir, const std::vector<std::string>& phases) {
  Report report;
  bool good = true;
  const auto run = [&](const char* phase, auto work) {
    if (!phases.empty() && std::ranges::find(phases, phase) == phases.end()) return;
    if (work()) return;
    std::printf("# %s: the phase %s did not run to its end\n", kAdapter.name, phase);
    good = false;
  };
  for (const std::string& variant : kAdapter.variants) {
    const bool first = variant == kAdapter.variants.front();
    Setting s = {.dir = dir, .variant = variant};
    if (const char* keys = std::getenv("SKIFF_BENCH_KEYS"))
      s.keys = std::strtoull(keys, nullptr, 10);
    if (first) run("idle", [&] { return IdlePhase(s, report); });
    run("writes", [&] { return WritePhase(s, report); });
    run("churn", [&] { return ChurnPhase(s, report); });
    if (!first) continue;
    run("kill", [&] { return KillPhase(s, report); });
    run("full", [&] { return FullDiskPhase(s, report); });
    run("flip", [&] { return BitFlipPhase(s, report); });
    run("restart", [&] { return RestartPhase(s, 200, "200B", report); });
    run("restart2k", [&] { return RestartPhase(s, 2000, "2KB", report); });
  }
  return good ? report.ExitCode() : 1;
}

}  // namespace
}  // namespace skiff::bench::engines

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s DIR [PHASE]...\n", argv[0]);
    return 2;
  }
  // How long the program and its libraries take to start, measured by the idle phase.
  if (std::strcmp(argv[1], "nothing") == 0) return 0;
  std::filesystem::create_directories(argv[1]);
  return skiff::bench::engines::Run(argv[1], {argv + 2, argv + argc});
}
