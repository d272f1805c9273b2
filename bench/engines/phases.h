// The parts of the comparison. Each prints its figures as `bench engine_NAME_METRIC …` and works in
// child processes, so that no phase inherits memory or files of another. False: it did not run.
#pragma once

#include <string>

#include "bench/engines/engine.h"
#include "bench/report.h"

namespace skiff::bench::engines {

struct Setting {
  std::string dir;            // scratch space on the disk to be measured
  std::string variant;        // of the adapter
  double seconds = 0.3;       // of each slice of a timed load
  uint64_t keys = 1'000'000;  // of the restart
};

bool IdlePhase(const Setting& setting, Report& report);
bool WritePhase(const Setting& setting, Report& report);
bool RestartPhase(const Setting& setting, size_t value_size, const char* label, Report& report);
bool ChurnPhase(const Setting& setting, Report& report);
bool KillPhase(const Setting& setting, Report& report);
bool FullDiskPhase(const Setting& setting, Report& report);
bool BitFlipPhase(const Setting& setting, Report& report);

// engine_NAME[_VARIANT]_METRIC; the first variant goes without.
std::string FigureName(const Setting& setting, const std::string& metric);
std::unique_ptr<Engine> MakeEngine(const Setting& setting);

}  // namespace skiff::bench::engines
