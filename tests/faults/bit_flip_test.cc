// Single bits of a store's files change, in every file and every region of it. Each change must be
// reported, with the name of the file, or be harmless; none may give a wrong or a missing value.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/faults/engine_workload.h"
#include "tests/faults/run_in_child.h"
#include "tests/faults/simulated_disk.h"
#include "tests/faults/thorough.h"

namespace skiff {
namespace {

constexpr uint64_t kSteps = 150;

// A store with tables on several levels, a manifest of many records and a log.
DiskState MakeStore(const EngineWorkload& workload) {
  auto disk = std::make_shared<SimulatedDisk>();
  auto engine = store::RocksDbEngine::Open(WorkloadOptions(disk));
  for (uint64_t step = 1; step <= kSteps; ++step) {
    workload.Write(**engine, step).value();
    if (step == kSteps / 2) (*engine)->Defragment().value();
  }
  // As a crash leaves it, with the log in use.
  SeededRandom random(1);
  return disk->state().AfterPowerCut(PowerCut::kEverything, random);
}

enum class Outcome : uint8_t { kRefused, kReadError, kHarmless };

struct Flip {
  std::string path;
  uint64_t offset;
  int bit;
};

class FlipTest {
 public:
  FlipTest() : workload_(kSteps), state_(MakeStore(workload_)) {}

  // All that is worth changing: of logs and manifests much, since their parts are small; of others
  // enough to hit every kind of block.
  std::vector<Flip> Flips() const {
    std::vector<Flip> flips;
    SeededRandom random(2);
    for (const std::string& path : state_.AllFiles()) {
      const uint64_t size = state_.Bytes(*state_.Find(path)).size();
      if (size == 0) continue;
      const bool records = path.ends_with(".log") || path.find("MANIFEST") != std::string::npos;
      const uint64_t wanted = (Thorough() ? 10 : 1) * (records ? 40 : 12);
      for (uint64_t i = 0; i < wanted; ++i) {
        // Half of them at the end, where footers, indexes and the last records stand.
        const uint64_t reach = i % 2 == 0 ? size : std::min<uint64_t>(size, 600);
        flips.push_back(
            {path, size - reach + i * reach / wanted, static_cast<int>(random.Uniform(8))});
      }
    }
    return flips;
  }

  // The problem, if it is one.
  std::string Run(const Flip& flip) {
    const std::string where =
        flip.path + " byte " + std::to_string(flip.offset) + " bit " + std::to_string(flip.bit);
    RecordProgress(where);
    DiskState state = state_;
    state.FlipBit(flip.path, flip.offset, flip.bit);
    auto disk = std::make_shared<SimulatedDisk>(std::move(state));
    auto engine = store::RocksDbEngine::Open(WorkloadOptions(disk));
    const std::string kind = KindOf(flip.path);
    if (!engine) {
      ++tally_[kind + " refused"];
      return CheckMessage(where, flip.path, engine.error().message());
    }
    EngineWorkload::Found found = workload_.Check(**engine);
    if (IsSilent(found)) return where + ": " + found.problem + "\n";
    if (!found.problem.empty()) {
      // Rewriting all files must not lose what it cannot read.
      const bool rewritten = (*engine)->Defragment().has_value();
      const EngineWorkload::Found after = workload_.Check(**engine);
      if (IsSilent(after) || (rewritten && !after.problem.empty())) {
        return where + ", rewritten: " + after.problem + "\n";
      }
    }
    if (!found.problem.empty()) {
      ++tally_[kind + " read error"];
      return CheckMessage(where, flip.path, found.problem);
    }
    ++tally_[kind + " harmless"];
    if (found.revision != kSteps) {
      return where + ": LOST, revision " + std::to_string(found.revision) + "\n";
    }
    if (kind == "table") harmless_ += where + "; ";
    return "";
  }

  std::string Figures() const {
    std::string out;
    for (const auto& [what, count] : tally_) out += what + " " + std::to_string(count) + ", ";
    return out + "harmless in tables: " + harmless_;
  }

 private:
  static bool IsSilent(const EngineWorkload::Found& found) {
    return found.problem.find("SILENTLY") != std::string::npos;
  }

  static std::string KindOf(const std::string& path) {
    if (path.ends_with(".log")) return "log";
    if (path.ends_with(".sst")) return "table";
    return path.substr(path.rfind('/') + 1, path.find('-') - path.rfind('/') - 1);
  }

  static std::string CheckMessage(const std::string& where, const std::string& path,
                                  const std::string& message) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (message.find(name) != std::string::npos) return "";
    return where + ": the message does not name the file: " + message + "\n";
  }

  EngineWorkload workload_;
  DiskState state_;
  std::map<std::string, int> tally_;
  std::string harmless_;
};

TEST(BitFlipTest, EveryChangedBitIsReportedOrHarmless) {
  const ChildResult result = RunInChild([] {
    FlipTest test;
    std::string problems;
    const std::vector<Flip> flips = test.Flips();
    for (const Flip& flip : flips) problems += test.Run(flip);
    return (problems.empty() ? "ok: " : problems) + std::to_string(flips.size()) +
           " flips: " + test.Figures();
  });
  EXPECT_TRUE(result.exited);
  EXPECT_TRUE(result.report.starts_with("ok")) << result.report;
  RecordProperty("figures", result.report);
}

}  // namespace
}  // namespace skiff
