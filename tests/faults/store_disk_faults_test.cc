// The faults of a disk under a whole store: what was acknowledged is there, no revision goes back
// or is given twice, and watches see every event once.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/thread.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/rocksdb_engine.h"
#include "tests/faults/run_in_child.h"
#include "tests/faults/simulated_disk.h"
#include "tests/faults/store_script.h"
#include "tests/faults/thorough.h"
#include "tests/store/recording_sink.h"
#include "tests/store/wait.h"

namespace skiff {
namespace {

constexpr uint64_t kSteps = 90;

// A store on a simulated disk, with small buffers so that files are written all the time.
class StoreOnDisk {
 public:
  explicit StoreOnDisk(std::shared_ptr<SimulatedDisk> disk, store::DiskSpaceLimits room = {})
      : disk_(std::move(disk)), room_(room) {}

  // Empty if it opened.
  std::string Open() {
    store::EmbeddedOptions options;
    options.open_engine = [this] { return store::RocksDbEngine::Open(EngineOptions()); };
    options.probe = [this] { return store::RocksDbEngine::Probe(EngineOptions()); };
    options.clock = &clock_;
    options.random = &random_;
    options.compaction_interval = Duration::zero();
    auto store = store::EmbeddedStore::Open(std::move(options));
    if (!store) return store.error().ToString();
    store_ = std::move(*store);
    return "";
  }
  void Close() { store_.reset(); }
  store::Store& store() { return *store_; }
  SimulatedDisk& disk() { return *disk_; }
  SystemClock& clock() { return clock_; }

 private:
  store::RocksDbOptions EngineOptions() const {
    store::RocksDbOptions options;
    options.directory = "/store";
    options.file_system = disk_;
    options.write_buffer_bytes = 64 * 1024;
    options.room = room_;
    return options;
  }

  std::shared_ptr<SimulatedDisk> disk_;
  const store::DiskSpaceLimits room_;
  SystemClock clock_;
  SeededRandom random_{9};
  std::unique_ptr<store::EmbeddedStore> store_;
};

// ---- Power cuts

std::string CheckCut(const StoreScript& script, DiskState left, uint64_t acknowledged) {
  StoreOnDisk after(std::make_shared<SimulatedDisk>(std::move(left)));
  if (std::string problem = after.Open(); !problem.empty()) return "refused: " + problem;
  uint64_t step = 0;
  if (std::string problem = script.Check(after.store(), acknowledged, &step); !problem.empty()) {
    return problem;
  }
  if (step == kSteps) return "";
  const auto reply = script.Commit(after.store(), step + 1);
  if (!reply) return "does not go on: " + reply.error().ToString();
  if (!reply->succeeded) return "a condition failed that should hold";
  if (reply->revision.value != static_cast<int64_t>(StoreScript::RevisionOf(step + 1))) {
    return "revision " + std::to_string(reply->revision.value) + " after step " +
           std::to_string(step + 1);
  }
  return "";
}

std::string CutPowerEverywhere(size_t stride) {
  const StoreScript script(kSteps);
  StoreOnDisk first(std::make_shared<SimulatedDisk>());
  first.disk().Record();
  if (std::string problem = first.Open(); !problem.empty()) return problem;
  for (uint64_t step = 1; step <= kSteps; ++step) {
    const auto reply = script.Commit(first.store(), step);
    if (!reply || !reply->succeeded) return "the load itself failed";
    first.disk().Mark(step);
  }
  first.Close();
  const std::vector<DiskOperation> operations = first.disk().TakeOperations();
  DiskState state;
  uint64_t acknowledged = 0;
  for (size_t n = 0; n < operations.size(); ++n) {
    state.Apply(operations[n]);
    if (operations[n].kind == DiskOperation::Kind::kMark) acknowledged = operations[n].number;
    if (n % stride != 0) continue;
    for (int i = 0; i < kPowerCuts; ++i) {
      SeededRandom random(n * kPowerCuts + static_cast<size_t>(i));
      const std::string where = "operation " + std::to_string(n) + " (" + operations[n].ToString() +
                                "), kind of cut " + std::to_string(i);
      RecordProgress(where);
      const std::string problem =
          CheckCut(script, state.AfterPowerCut(static_cast<PowerCut>(i), random), acknowledged);
      if (!problem.empty()) return where + ": " + problem;
    }
  }
  return "";
}

TEST(StoreDiskFaultsTest, APowerCutLosesNoTransactionNoRevisionAndNoEvent) {
  const ChildResult result = RunInChild([] { return CutPowerEverywhere(Thorough() ? 1 : 23); });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

// ---- Errors while it runs

// Commits a step, through the time that the store takes to recover. The step may turn out to have
// happened although its answer was an error.
std::string CommitThrough(const StoreScript& script, StoreOnDisk& where, uint64_t step) {
  auto reply = script.Commit(where.store(), step);
  if (reply) return reply->succeeded ? "" : "a condition failed";
  const StatusReason reason = reply.error().reason();
  if (reason != StatusReason::kServerTimeout && reason != StatusReason::kServiceUnavailable) {
    return "step " + std::to_string(step) + ": " + reply.error().ToString();
  }
  const bool known = reason == StatusReason::kServiceUnavailable;
  const bool recovered = skiff::testing::WaitUntilTrue(
      where.clock(), std::chrono::seconds(60), [&] { return where.store().Health().writable; });
  if (!recovered) return "not writable again: " + where.store().Health().reason;
  reply = script.Commit(where.store(), step);
  if (!reply) return "after the recovery: " + reply.error().ToString();
  if (!reply->succeeded && known) return "it happened although the answer said that it did not";
  return "";
}

std::string FailOnce(const StoreScript& script, DiskFault fault) {
  StoreOnDisk store(std::make_shared<SimulatedDisk>());
  if (std::string problem = store.Open(); !problem.empty()) return problem;
  skiff::testing::RecordingSink sink;
  const auto watch = store.store().StartWatch(
      {.range = store::KeyRange::All(), .from = store::Revision{2}, .previous_values = false},
      &sink);
  fault.at += store.disk().operations();
  store.disk().SetFault(fault);
  for (uint64_t step = 1; step <= kSteps; ++step) {
    if (std::string problem = CommitThrough(script, store, step); !problem.empty()) return problem;
  }
  uint64_t last = 0;
  if (std::string problem = script.Check(store.store(), kSteps, &last); !problem.empty()) {
    return problem;
  }
  if (!sink.WaitForRevision(
          store::Revision{static_cast<int64_t>(StoreScript::RevisionOf(kSteps))})) {
    return "the watch from the beginning does not come to the end";
  }
  if (!sink.fault().empty()) return sink.fault();
  return script.CheckEvents(sink.events(), 1, kSteps);
}

void FailEverywhere(DiskFault::Error error) {
  const ChildResult result = RunInChild([error] {
    const StoreScript script(kSteps);
    std::string problems;
    // About 350 operations; those beyond the end fail nothing.
    const uint64_t stride = Thorough() ? 1 : 31;
    for (uint64_t n = 1; n < 400; n += stride) {
      RecordProgress("operation " + std::to_string(n));
      const std::string problem = FailOnce(script, {.at = n, .error = error});
      if (!problem.empty()) problems += "operation " + std::to_string(n) + ": " + problem + "\n";
    }
    return problems;
  });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

TEST(StoreDiskFaultsTest, AfterAnIoErrorTheStoreGoesOnByItselfAndWatchesSeeEveryEventOnce) {
  FailEverywhere(DiskFault::Error::kIo);
}

TEST(StoreDiskFaultsTest, AfterAFullDiskTheStoreGoesOnByItselfAndWatchesSeeEveryEventOnce) {
  FailEverywhere(DiskFault::Error::kNoSpace);
}

// The disk fails for good, and is put right after a while.
std::string FailForAWhile(const StoreScript& script, DiskFault fault) {
  StoreOnDisk store(std::make_shared<SimulatedDisk>());
  if (std::string problem = store.Open(); !problem.empty()) return problem;
  fault.at += store.disk().operations();
  fault.for_ever = true;
  store.disk().SetFault(fault);
  uint64_t step = 1;
  bool unknown = false;
  for (; step <= kSteps; ++step) {
    const auto reply = script.Commit(store.store(), step);
    if (reply) continue;
    unknown = reply.error().reason() == StatusReason::kServerTimeout;
    break;
  }
  if (step > kSteps) return "the disk did not fail";
  // Meanwhile it says so, turns writes away and serves reads.
  skiff::testing::LetPass(store.clock(), std::chrono::milliseconds(150));
  const store::StoreHealth health = store.store().Health();
  if (health.writable || !health.readable) return "health: " + health.reason;
  if (health.reason.find("/store") == std::string::npos) return "no directory: " + health.reason;
  if (script.Commit(store.store(), step)) return "written to a disk that fails";
  uint64_t found = 0;
  if (std::string problem = script.Check(store.store(), step - 1, &found); !problem.empty()) {
    return "while the disk fails: " + problem;
  }
  store.disk().Repair();
  const bool recovered = skiff::testing::WaitUntilTrue(
      store.clock(), std::chrono::seconds(60), [&] { return store.store().Health().writable; });
  if (!recovered) return "not writable again: " + store.store().Health().reason;
  if (std::string problem = script.Check(store.store(), step - 1, &found); !problem.empty()) {
    return "put right: " + problem;
  }
  if (found == step && !unknown) return "it happened although the answer said that it did not";
  for (step = found + 1; step <= kSteps; ++step) {
    const auto reply = script.Commit(store.store(), step);
    if (!reply || !reply->succeeded) return "does not go on";
  }
  return script.Check(store.store(), kSteps, &found);
}

TEST(StoreDiskFaultsTest, WhileTheDiskFailsReadsGoOnAndItIsWritableOnceThatIsPutRight) {
  const ChildResult result = RunInChild([] {
    const StoreScript script(kSteps);
    std::string problems;
    // Each step writes and syncs, so that there are that many operations at least.
    const uint64_t stride = Thorough() ? 3 : 61;
    for (uint64_t n = 1; n < 2 * kSteps; n += stride) {
      for (const auto error : {DiskFault::Error::kIo, DiskFault::Error::kNoSpace}) {
        RecordProgress("operation " + std::to_string(n));
        const std::string problem = FailForAWhile(script, {.at = n, .error = error});
        if (!problem.empty()) problems += "operation " + std::to_string(n) + ": " + problem + "\n";
      }
    }
    return problems;
  });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

// ---- A disk that the store fills itself

constexpr uint64_t kSmallDisk = 32 << 20;
constexpr size_t kLargeBytes = 60'000;
// Several times what is written between two looks at the disk.
constexpr store::DiskSpaceLimits kSmallDiskSpace = {.reserve = 2 << 20,
                                                    .working = 4 << 20,
                                                    .scarce = 8 << 20,
                                                    .small_growth = 4 << 20,
                                                    .tiny_growth = 2 << 20,
                                                    .deletions_only = 512 << 10,
                                                    .nothing = 512 << 10};

store::Transaction PutBytes(const std::string& key, uint64_t marker, size_t bytes) {
  std::string value = std::to_string(marker) + "-";
  value.resize(bytes, 'x');
  return {{}, {{store::Write::Kind::kPut, key, SharedBytes(value), {}}}};
}

// Until it is taken. Only what is known not to have happened, and may be tried again, is refused.
std::string CommitWithPatience(StoreOnDisk& where, const store::Transaction& transaction) {
  Result<store::CommitReply> reply;
  skiff::testing::WaitUntilTrue(where.clock(), std::chrono::seconds(60), [&] {
    reply = store::CommitAndWait(where.store(), transaction);
    return reply || reply.error().reason() != StatusReason::kServiceUnavailable;
  });
  return reply ? "" : reply.error().ToString();
}

std::string ChurnOnASmallDisk(size_t writes) {
  auto disk = std::make_shared<SimulatedDisk>();
  disk->SetCapacity(kSmallDisk);
  StoreOnDisk small(disk, kSmallDiskSpace);
  if (std::string problem = small.Open(); !problem.empty()) return problem;
  for (uint64_t i = 0; i < writes; ++i) {
    RecordProgress("write " + std::to_string(i));
    const std::string problem =
        CommitWithPatience(small, PutBytes("k" + std::to_string(i % 3), i, kLargeBytes));
    if (!problem.empty()) return "write " + std::to_string(i) + ": " + problem;
  }
  if (disk->failed()) return "the disk was full";
  return "";
}

TEST(StoreDiskFaultsTest, AStoreDoesNotFillItsDiskWithOldStates) {
  const ChildResult result = RunInChild([] { return ChurnOnASmallDisk(Thorough() ? 5000 : 700); });
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

// Fills the disk with keys, and the rest of it with what somebody else has there; then everything
// that must go on goes on, without the store being told of more room by anybody.
std::string DeleteOnAFullDisk() {
  auto disk = std::make_shared<SimulatedDisk>();
  disk->SetCapacity(kSmallDisk);
  StoreOnDisk full(disk, kSmallDiskSpace);
  if (std::string problem = full.Open(); !problem.empty()) return problem;
  uint64_t keys = 0;
  for (const size_t bytes : {kLargeBytes, size_t{3'000}}) {
    Result<store::CommitReply> reply;
    while ((reply = store::CommitAndWait(full.store(),
                                         PutBytes("k" + std::to_string(keys), keys, bytes)))) {
      if (++keys > 100'000) return "it is never full";
    }
    if (reply.error().reason() != StatusReason::kServiceUnavailable)
      return reply.error().ToString();
    if (reply.error().retry_after_seconds() == 0) return "it does not say when to try again";
  }
  uint64_t left = 0;
  if (!disk->GetFreeSpace("/", {}, &left, nullptr).ok()) return "no free space told";
  disk->SetCapacity(kSmallDisk - left);
  full.Close();
  if (std::string problem = full.Open(); !problem.empty()) return "not opened: " + problem;
  for (uint64_t i = 0; i < keys; ++i) {
    RecordProgress("deletion " + std::to_string(i));
    const store::Transaction deletion = {
        {}, {{store::Write::Kind::kDelete, "k" + std::to_string(i), {}, {}}}};
    if (std::string problem = CommitWithPatience(full, deletion); !problem.empty()) {
      return "deletion " + std::to_string(i) + ": " + problem;
    }
  }
  return CommitWithPatience(full, PutBytes("again", 1, kLargeBytes));
}

TEST(StoreDiskFaultsTest, OnAFullDiskAStoreOpensAndWhatIsDeletedGivesRoom) {
  const ChildResult result = RunInChild(DeleteOnAFullDisk);
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.exited);
}

}  // namespace
}  // namespace skiff
