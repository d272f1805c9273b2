// The power fails at each single operation of a load on the disk; what is left is opened again.
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "tests/faults/engine_workload.h"
#include "tests/faults/run_in_child.h"
#include "tests/faults/simulated_disk.h"
#include "tests/faults/thorough.h"

namespace skiff {
namespace {

// Runs the load from the first step to the last, with a reopening and a defragmentation within.
std::vector<DiskOperation> RunRecorded(const EngineWorkload& workload, std::string* problem) {
  auto disk = std::make_shared<SimulatedDisk>();
  disk->Record();
  std::unique_ptr<store::Engine> engine;
  for (uint64_t step = 1; step <= workload.steps() && problem->empty(); ++step) {
    if (engine == nullptr || step == workload.steps() / 2) {
      engine.reset();
      auto opened = store::RocksDbEngine::Open(WorkloadOptions(disk));
      if (!opened) {
        *problem = opened.error().ToString();
        break;
      }
      engine = std::move(*opened);
    }
    if (const auto written = workload.Write(*engine, step); !written) {
      *problem = written.error().ToString();
    }
    disk->Mark(step);
    if (step == workload.steps() * 3 / 4 && !engine->Defragment()) *problem = "defragmentation";
  }
  if (problem->empty()) *problem = workload.Check(*engine).problem;
  engine.reset();
  return disk->TakeOperations();
}

struct Cut {
  size_t after = 0;  // operations
  PowerCut how = PowerCut::kNothingUnsynced;
};

struct Tally {
  std::mutex mutex;
  std::map<std::string, int> problems;
  std::string first;
  int opened = 0;

  void Add(const std::string& problem, const std::string& where) {
    const std::lock_guard lock(mutex);
    if (problems[problem]++ == 0) first += where + ": " + problem + "\n";
  }
};

const char* NameOf(PowerCut how) {
  static constexpr const char* kNames[] = {"nothing unsynced",    "everything",
                                           "torn at a byte",      "torn at sectors",
                                           "names without bytes", "bytes without names"};
  return kNames[static_cast<size_t>(how)];
}

// Opens what a power cut left. `acknowledged` steps must be there; one more may be.
void CheckAfterCut(const EngineWorkload& workload, DiskState left, uint64_t acknowledged,
                   const std::string& where, Tally* tally,
                   std::vector<DiskOperation>* recovery = nullptr) {
  auto disk = std::make_shared<SimulatedDisk>(std::move(left));
  if (recovery != nullptr) disk->Record();
  {
    auto engine = store::RocksDbEngine::Open(WorkloadOptions(disk));
    if (!engine) return tally->Add("refused: " + engine.error().ToString(), where);
    const EngineWorkload::Found found = workload.Check(**engine);
    if (!found.problem.empty()) return tally->Add(found.problem, where);
    if (found.revision < acknowledged || found.revision > acknowledged + 1) {
      return tally->Add("LOST: revision " + std::to_string(found.revision) + " of " +
                            std::to_string(acknowledged),
                        where);
    }
    disk->Mark(found.revision);
    // It goes on from there.
    if (found.revision < workload.steps()) {
      if (auto written = workload.Write(**engine, found.revision + 1); !written) {
        return tally->Add("does not go on: " + written.error().ToString(), where);
      }
      disk->Mark(found.revision + 1);
    }
  }
  if (recovery != nullptr) *recovery = disk->TakeOperations();
  const std::lock_guard lock(tally->mutex);
  ++tally->opened;
}

// Cuts the power after each `stride`-th operation, in every way.
void CutEverywhere(const EngineWorkload& workload, const std::vector<DiskOperation>& operations,
                   size_t stride, bool twice, size_t worker, size_t workers, Tally* tally) {
  DiskState state;
  uint64_t acknowledged = 0;
  for (size_t n = 0; n < operations.size(); ++n) {
    state.Apply(operations[n]);
    if (operations[n].kind == DiskOperation::Kind::kMark) acknowledged = operations[n].number;
    if (n / workers % stride != 0 || n % workers != worker) continue;
    for (int i = 0; i < kPowerCuts; ++i) {
      const auto how = static_cast<PowerCut>(i);
      SeededRandom random(n * kPowerCuts + i);
      const std::string where = "after operation " + std::to_string(n) + " (" +
                                operations[n].ToString() + "), " + NameOf(how);
      RecordProgress(where);
      std::vector<DiskOperation> recovery;
      const DiskState left = state.AfterPowerCut(how, random);
      CheckAfterCut(workload, left, acknowledged, where, tally, twice ? &recovery : nullptr);
      // And once more while the store is being opened.
      DiskState again = left;
      uint64_t found = acknowledged;
      for (size_t m = 0; m < recovery.size(); ++m) {
        again.Apply(recovery[m]);
        if (recovery[m].kind == DiskOperation::Kind::kMark) found = recovery[m].number;
        if (random.Uniform(12) != 0) continue;
        CheckAfterCut(
            workload,
            again.AfterPowerCut(static_cast<PowerCut>(random.Uniform(kPowerCuts)), random), found,
            where + ", and again after " + recovery[m].ToString(), tally);
      }
    }
  }
}

std::string RunCuts(uint64_t steps, size_t stride, bool twice) {
  const EngineWorkload workload(steps);
  std::string problem;
  const std::vector<DiskOperation> operations = RunRecorded(workload, &problem);
  if (!problem.empty()) return "the load itself failed: " + problem;
  Tally tally;
  {
    Thread other("cuts", [&] { CutEverywhere(workload, operations, stride, twice, 1, 2, &tally); });
    CutEverywhere(workload, operations, stride, twice, 0, 2, &tally);
  }
  std::string out;
  for (const auto& [what, count] : tally.problems) {
    out += std::to_string(count) + " times: " + what + "\n";
  }
  if (!out.empty()) out += "of " + std::to_string(tally.opened) + " good ones. First of each:\n";
  if (!out.empty()) return out + tally.first;
  return "ok: " + std::to_string(operations.size()) + " operations, " +
         std::to_string(tally.opened) + " openings";
}

TEST(PowerCutTest, NothingAcknowledgedIsLostAndNothingIsHalfThereWhereverThePowerFails) {
  const ChildResult result = RunInChild([] { return RunCuts(150, Thorough() ? 1 : 9, false); });
  EXPECT_TRUE(result.exited);
  EXPECT_TRUE(result.report.starts_with("ok")) << result.report;
  RecordProperty("figures", result.report);
}

TEST(PowerCutTest, APowerCutWhileTheStoreRecoversFromOneIsSurvivedToo) {
  const ChildResult result = RunInChild([] { return RunCuts(60, Thorough() ? 1 : 17, true); });
  EXPECT_TRUE(result.exited);
  EXPECT_TRUE(result.report.starts_with("ok")) << result.report;
  RecordProperty("figures", result.report);
}

}  // namespace
}  // namespace skiff
