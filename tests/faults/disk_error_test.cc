// The disk fails at each single operation of a load: with an I/O error or for lack of room, once or
// from then on. The engine must say so, stay alive, and lose nothing.
#include <gtest/gtest.h>

#include "tests/faults/engine_workload.h"
#include "tests/faults/run_in_child.h"
#include "tests/faults/simulated_disk.h"
#include "tests/faults/thorough.h"

namespace skiff {
namespace {

constexpr uint64_t kSteps = 100;

std::string Contains(const Status& status, std::string_view part) {
  if (status.message().find(part) != std::string::npos) return "";
  return "the message does not say '" + std::string(part) + "': " + status.message() + "\n";
}

// What a user must be told when the store cannot be written or opened.
std::string CheckMessage(const Status& status, DiskFault::Error error) {
  std::string problem = Contains(status, "/store");
  problem += Contains(status, error == DiskFault::Error::kIo ? "failed" : "full");
  return problem;
}

// One run of the load on a failing disk, and what follows.
class ErrorCase {
 public:
  ErrorCase(const EngineWorkload& workload, DiskFault fault)
      : workload_(workload), fault_(fault), disk_(std::make_shared<SimulatedDisk>()) {
    disk_->SetFault(fault);
  }

  // Empty if all went well.
  std::string Run() {
    std::string problem = RunUntilFailure();
    if (!problem.empty() || !disk_->failed()) return problem;
    engine_.reset();  // must not end the process
    const DiskState without_power =
        disk_->state().AfterPowerCut(PowerCut::kNothingUnsynced, random_);
    if (fault_.for_ever) {
      auto opened = store::RocksDbEngine::Open(WorkloadOptions(disk_));
      if (!opened) problem += CheckMessage(opened.error(), fault_.error);
    }
    disk_->Repair();
    problem += GoOn(disk_, kSteps);
    problem += GoOn(std::make_shared<SimulatedDisk>(without_power), acknowledged_ + 1);
    return problem;
  }

 private:
  std::string RunUntilFailure() {
    auto opened = store::RocksDbEngine::Open(WorkloadOptions(disk_));
    if (!opened) return CheckMessage(opened.error(), fault_.error);
    engine_ = std::move(*opened);
    for (uint64_t step = 1; step <= kSteps; ++step) {
      if (step == kSteps / 2) {
        if (const auto done = engine_->Defragment(); !done) return AfterFailure(done.error());
      }
      const auto written = workload_.Write(*engine_, step);
      if (!written) return AfterFailure(written.error());
      acknowledged_ = step;
    }
    return "";
  }

  // The engine has reported an error: it serves reads and turns writes away.
  std::string AfterFailure(const Status& status) {
    std::string problem = CheckMessage(status, fault_.error);
    if (!disk_->failed()) return "an error without a fault: " + status.ToString();
    const auto again = workload_.Write(*engine_, acknowledged_ + 1);
    if (again) {
      // Only what never reached the log may go on, such as a failed defragmentation.
      if (!engine_->Health()) problem += "written after a failure\n";
      ++acknowledged_;
    } else if (again.error().reason() != StatusReason::kServiceUnavailable) {
      problem += "the second write says " + again.error().ToString() + "\n";
    } else if (engine_->Health()) {
      problem += "healthy after a failed write\n";
    }
    const EngineWorkload::Found found = workload_.Check(*engine_);
    if (!found.problem.empty()) problem += "reads after the failure: " + found.problem + "\n";
    if (found.revision != acknowledged_) problem += "reads see what was not acknowledged\n";
    return problem;
  }

  // Opens a disk that works again; everything acknowledged is there and the load goes on.
  std::string GoOn(const std::shared_ptr<SimulatedDisk>& disk, uint64_t until) {
    auto opened = store::RocksDbEngine::Open(WorkloadOptions(disk));
    if (!opened) return "not opened on a good disk: " + opened.error().ToString() + "\n";
    EngineWorkload::Found found = workload_.Check(**opened);
    if (!found.problem.empty()) return found.problem + "\n";
    if (found.revision < acknowledged_ || found.revision > acknowledged_ + 1) {
      return "LOST: revision " + std::to_string(found.revision) + " of " +
             std::to_string(acknowledged_) + "\n";
    }
    for (uint64_t step = found.revision + 1; step <= std::min(until, kSteps); ++step) {
      if (auto written = workload_.Write(**opened, step); !written) {
        return "does not go on: " + written.error().ToString() + "\n";
      }
    }
    found = workload_.Check(**opened);
    return found.problem;
  }

  const EngineWorkload& workload_;
  const DiskFault fault_;
  const std::shared_ptr<SimulatedDisk> disk_;
  SeededRandom random_{1};
  std::unique_ptr<store::Engine> engine_;
  uint64_t acknowledged_ = 0;
};

// Runs the cases one after the other in children; the next child takes over where one died.
void RunAllIn(const std::vector<DiskFault>& cases) {
  size_t next = 0;
  int deaths = 0;
  while (next < cases.size() && deaths < 5) {
    const ChildResult result = RunInChild([&] {
      const EngineWorkload workload(kSteps);
      std::string report;
      for (size_t i = next; i < cases.size(); ++i) {
        RecordProgress(std::to_string(i));
        const std::string problem = ErrorCase(workload, cases[i]).Run();
        if (!problem.empty()) {
          report += "operation " + std::to_string(cases[i].at) + ": " + problem + "\n";
        }
        if (report.size() > 20'000) break;
      }
      return report;
    });
    EXPECT_EQ(result.report, "");
    if (result.exited) return;
    ++deaths;
    const size_t died_at =
        std::strtoull(result.report.substr(result.report.find(" at: ") + 5).c_str(), nullptr, 10);
    ADD_FAILURE() << "the process died, operation " << cases[died_at].at;
    next = died_at + 1;
  }
}

// How many operations the load has, about: their number differs a little from run to run, since
// files are written in the background.
uint64_t CountOperations(bool reads) {
  const ChildResult result = RunInChild([reads] {
    const EngineWorkload workload(kSteps);
    auto disk = std::make_shared<SimulatedDisk>();
    auto engine = store::RocksDbEngine::Open(WorkloadOptions(disk));
    for (uint64_t step = 1; step <= kSteps; ++step) {
      if (step == kSteps / 2) (*engine)->Defragment().value();
      workload.Write(**engine, step).value();
    }
    engine->reset();
    return std::to_string(reads ? disk->reads() : disk->operations());
  });
  EXPECT_TRUE(result.exited) << result.report;
  return std::strtoull(result.report.c_str(), nullptr, 10);
}

void FailEverywhere(DiskFault::Error error, bool for_ever) {
  const uint64_t count = CountOperations(false);
  ASSERT_GT(count, 300U);
  std::vector<DiskFault> cases;
  // Another offset for each kind of failure, so that together they cover more.
  const uint64_t stride = Thorough() ? 1 : 17;
  for (uint64_t n = 1 + (for_ever ? stride / 2 : 0); n <= count; n += stride) {
    cases.push_back({.at = n, .error = error, .for_ever = for_ever, .reads = false});
  }
  RunAllIn(cases);
}

TEST(DiskErrorTest, AnIoErrorAtAnyOperationLosesNothing) {
  FailEverywhere(DiskFault::Error::kIo, false);
}

TEST(DiskErrorTest, ADiskThatFailsForGoodAtAnyOperationLosesNothing) {
  FailEverywhere(DiskFault::Error::kIo, true);
}

TEST(DiskErrorTest, AFullDiskAtAnyOperationLosesNothing) {
  FailEverywhere(DiskFault::Error::kNoSpace, false);
}

TEST(DiskErrorTest, ADiskThatStaysFullFromAnyOperationLosesNothing) {
  FailEverywhere(DiskFault::Error::kNoSpace, true);
}

// The rest is about room, step by step. A child returns what went wrong.
#define CHECK_THAT(condition) \
  if (!(condition)) return std::string("line " + std::to_string(__LINE__) + ": " #condition)

store::RocksDbOptions CautiousOptions(const std::shared_ptr<SimulatedDisk>& disk) {
  store::RocksDbOptions options = WorkloadOptions(disk);
  options.room =
      store::DiskSpaceLimits{.reserve = 2 << 20, .small_growth = 4 << 20, .nothing = 4 << 20};
  return options;
}

std::string TurnsAwayBeforeTheDiskIsFull() {
  const EngineWorkload workload(kSteps);
  auto disk = std::make_shared<SimulatedDisk>();
  disk->SetCapacity(16 << 20);
  auto engine = store::RocksDbEngine::Open(CautiousOptions(disk));
  CHECK_THAT(engine.has_value());
  // The load is repeated, and its log kept, until the disk is nearly full.
  uint64_t filler = 0;
  Result<void> written;
  while (written) {
    auto batch = (*engine)->NewBatch();
    batch->Put(store::Family::kLease, "filler" + std::to_string(filler++),
               std::string(20'000, 'x'));
    written = (*engine)->Write(*batch);
    CHECK_THAT(filler < 3000);
  }
  CHECK_THAT(written.error().reason() == StatusReason::kServiceUnavailable);
  CHECK_THAT(written.error().message().find("nearly full") != std::string::npos);
  CHECK_THAT(!(*engine)->Health());
  CHECK_THAT(!disk->failed());
  // With room the same engine goes on.
  disk->SetCapacity(50 << 20);
  auto batch = (*engine)->NewBatch();
  batch->Put(store::Family::kLease, "more", "x");
  CHECK_THAT((*engine)->Write(*batch).has_value());
  CHECK_THAT((*engine)->Health().has_value());
  std::string value;
  for (uint64_t i = 0; i + 1 < filler; ++i) {
    CHECK_THAT((*engine)->Get(store::Family::kLease, "filler" + std::to_string(i), &value).value());
  }
  return "";
}

TEST(DiskErrorTest, WritesAreTurnedAwayBeforeTheDiskIsFullAndGoOnWithRoom) {
  const ChildResult result = RunInChild(TurnsAwayBeforeTheDiskIsFull);
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

std::string ReserveLetsAFullDiskBeReopened() {
  const EngineWorkload workload(kSteps);
  auto disk = std::make_shared<SimulatedDisk>();
  auto opened = store::RocksDbEngine::Open(CautiousOptions(disk));
  CHECK_THAT(opened.has_value());
  std::unique_ptr<store::Engine> engine = std::move(*opened);
  CHECK_THAT(disk->state().Find("/store/RESERVE").has_value());
  uint64_t step = 0;
  while (step < 40) CHECK_THAT(workload.Write(*engine, ++step).has_value());
  // Somebody else takes all the room, the reserve excepted.
  uint64_t free = 0;
  disk->SetCapacity(UINT64_MAX / 2);
  CHECK_THAT(disk->GetFreeSpace("/", {}, &free, nullptr).ok());
  disk->SetCapacity(UINT64_MAX / 2 - free + 1000);
  Result<void> written;
  while (written && step < kSteps) written = workload.Write(*engine, ++step);
  CHECK_THAT(!written);
  const uint64_t acknowledged = step - 1;
  engine.reset();
  opened = store::RocksDbEngine::Open(CautiousOptions(disk));
  if (!opened) return "not opened: " + opened.error().ToString();
  engine = std::move(*opened);
  CHECK_THAT(!disk->state().Find("/store/RESERVE").has_value());
  const EngineWorkload::Found found = workload.Check(*engine);
  CHECK_THAT(found.problem.empty());
  CHECK_THAT(found.revision == acknowledged || found.revision == acknowledged + 1);
  written = workload.Write(*engine, found.revision + 1);
  CHECK_THAT(!written && written.error().reason() == StatusReason::kServiceUnavailable);
  // Room again: it goes on, and puts a reserve aside.
  disk->SetCapacity(UINT64_MAX / 2);
  CHECK_THAT(workload.Write(*engine, found.revision + 1).has_value());
  CHECK_THAT(disk->state().Find("/store/RESERVE").has_value());
  return "";
}

TEST(DiskErrorTest, TheReserveLetsAStoreOnAFullDiskBeOpenedAgain) {
  const ChildResult result = RunInChild(ReserveLetsAFullDiskBeReopened);
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

// A crash during a compaction has left a table that takes all the room.
std::string UnnamedTablesGoBeforeOpening() {
  const EngineWorkload workload(kSteps);
  auto disk = std::make_shared<SimulatedDisk>();
  store::RocksDbOptions options = WorkloadOptions(disk);
  options.room = store::DiskSpaceLimits{.small_growth = 4 << 20};
  uint64_t step = 0;
  {
    auto opened = store::RocksDbEngine::Open(options);
    CHECK_THAT(opened.has_value());
    while (step < 40) CHECK_THAT(workload.Write(**opened, ++step).has_value());
  }
  std::unique_ptr<rocksdb::FSWritableFile> table;
  CHECK_THAT(disk->NewWritableFile("/store/009999.sst", {}, &table, nullptr).ok());
  CHECK_THAT(table->Append(std::string(1 << 20, 'x'), {}, nullptr).ok());
  uint64_t free = 0;
  CHECK_THAT(disk->GetFreeSpace("/", {}, &free, nullptr).ok());
  disk->SetCapacity(UINT64_MAX / 2 - free + 1000);
  auto opened = store::RocksDbEngine::Open(options);
  if (!opened) return "not opened: " + opened.error().ToString();
  CHECK_THAT(!disk->state().Find("/store/009999.sst").has_value());
  const EngineWorkload::Found found = workload.Check(**opened);
  CHECK_THAT(found.problem.empty());
  CHECK_THAT(found.revision == step);
  return "";
}

TEST(DiskErrorTest, TablesThatNoManifestNamesDoNotKeepAStoreFromOpening) {
  const ChildResult result = RunInChild(UnnamedTablesGoBeforeOpening);
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

// An error in reading is reported where it happens, and is not mistaken for the end of the data.
std::string ReadErrorsAreReported() {
  const EngineWorkload workload(kSteps);
  auto disk = std::make_shared<SimulatedDisk>();
  {
    auto engine = store::RocksDbEngine::Open(WorkloadOptions(disk));
    for (uint64_t step = 1; step <= kSteps; ++step) workload.Write(**engine, step).value();
  }
  const DiskState state = disk->state();
  uint64_t reads = 0;
  {
    auto healthy = std::make_shared<SimulatedDisk>(state);
    auto engine = store::RocksDbEngine::Open(WorkloadOptions(healthy));
    workload.Check(**engine);
    reads = healthy->reads();
  }
  CHECK_THAT(reads > 20);
  for (uint64_t n = 1; n <= reads; n += Thorough() ? 1 : 5) {
    RecordProgress("read " + std::to_string(n));
    auto failing = std::make_shared<SimulatedDisk>(state);
    failing->SetFault({.at = n, .error = DiskFault::Error::kIo, .for_ever = false, .reads = true});
    auto engine = store::RocksDbEngine::Open(WorkloadOptions(failing));
    if (!engine) {
      if (const auto problem = CheckMessage(engine.error(), DiskFault::Error::kIo);
          !problem.empty()) {
        return "read " + std::to_string(n) + ": " + problem;
      }
      continue;
    }
    const EngineWorkload::Found found = workload.Check(**engine);
    if (found.problem.empty() && found.revision != kSteps) {
      return "read " + std::to_string(n) + ": LOST, revision " + std::to_string(found.revision);
    }
    if (found.problem.find("SILENTLY") != std::string::npos) return found.problem;
  }
  return "";
}

TEST(DiskErrorTest, AReadErrorIsReportedAndNotTakenForTheEndOfTheData) {
  const ChildResult result = RunInChild(ReadErrorsAreReported);
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

}  // namespace
}  // namespace skiff
