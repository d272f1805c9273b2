// Every file of a store is changed in a bit, cut off, and removed. The store then opens and serves
// all that it still can, or says which file keeps it from that and what to do; what was
// acknowledged is there, or is named as damaged, and is never missing or wrong without a word.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/offline_reader.h"
#include "store/embedded/rocksdb_engine.h"
#include "tests/faults/run_in_child.h"
#include "tests/faults/simulated_disk.h"
#include "tests/faults/thorough.h"

namespace skiff {
namespace {

constexpr int kKeys = 60;

store::RocksDbOptions EngineOptions(const std::shared_ptr<SimulatedDisk>& disk) {
  store::RocksDbOptions options;
  options.directory = "/store";
  options.file_system = disk;
  options.write_buffer_bytes = 64 * 1024;
  options.room = store::DiskSpaceLimits{};
  return options;
}

struct Opened {
  SystemClock clock;
  SeededRandom random{3};
  std::unique_ptr<store::EmbeddedStore> store;
  std::string refusal;

  explicit Opened(const std::shared_ptr<SimulatedDisk>& disk) {
    store::EmbeddedOptions options;
    options.open_engine = [disk] { return store::RocksDbEngine::Open(EngineOptions(disk)); };
    options.clock = &clock;
    options.random = &random;
    options.compaction_interval = Duration::zero();
    options.scrub_interval = Duration::zero();
    auto opened = store::EmbeddedStore::Open(std::move(options));
    if (opened) {
      store = *std::move(opened);
    } else {
      refusal = opened.error().message();
    }
  }
};

std::string KeyOf(int number) { return "/registry/things/" + std::to_string(1000 + number); }

// What was written, and what is there in the end.
struct Contents {
  std::map<std::string, std::string> now;
  std::map<std::string, std::set<std::string>> ever;

  void Write(store::Store& store, int number, int round) {
    const std::string key = KeyOf(number);
    store::Transaction transaction;
    if (round < 0) {
      transaction.writes.push_back({store::Write::Kind::kDelete, key, {}, {}});
      now.erase(key);
    } else {
      SeededRandom random(static_cast<uint64_t>(1000 * round + number));
      std::string value = std::to_string(round) + " ";
      for (int i = 0; i < 150; ++i) value += std::to_string(random.Next());
      transaction.writes.push_back({store::Write::Kind::kPut, key, SharedBytes(value), {}});
      ever[key].insert(value);
      now[key] = std::move(value);
    }
    store::CommitAndWait(store, std::move(transaction)).value();
  }
};

// Tables of all families on several levels, and a log; stopped cleanly, or as a crash leaves it.
DiskState MakeStore(Contents* contents, bool crashed) {
  auto disk = std::make_shared<SimulatedDisk>();
  Opened opened(disk);
  for (int round = 0; round < 3; ++round) {
    for (int number = 0; number < kKeys; ++number) contents->Write(*opened.store, number, round);
    for (int number = round; number < kKeys; number += 10) {
      contents->Write(*opened.store, number, -1);
    }
    if (round == 0) opened.store->Defragment().value();
    if (round != 1) continue;
    const store::Revision revision = opened.store->revision();
    store::Await<store::Revision>([&](auto done) {
      opened.store->Compact(revision, std::move(done));
    }).value();
  }
  if (!crashed) opened.store.reset();
  SeededRandom random(1);
  return disk->state().AfterPowerCut(PowerCut::kEverything, random);
}

struct Harm {
  enum class Kind : uint8_t { kFlip, kCut, kRemove };
  Kind kind;
  std::string path;
  uint64_t at;

  std::string ToString() const {
    const char* const kinds[] = {"bit changed at byte ", "cut off at byte ", "removed "};
    return path + " " + kinds[static_cast<int>(kind)] + std::to_string(at);
  }
  void Do(DiskState* state) const {
    if (kind == Kind::kFlip) return state->FlipBit(path, at, static_cast<int>(at % 8));
    DiskOperation operation;
    operation.kind =
        kind == Kind::kCut ? DiskOperation::Kind::kTruncate : DiskOperation::Kind::kDelete;
    operation.path = path;
    operation.file = *state->Find(path);
    operation.number = at;
    state->Apply(operation);
  }
};

// Where a crash has cut a log off, nothing can tell that from somebody who did so later.
std::vector<Harm> HarmsOf(const DiskState& state, bool crashed) {
  std::vector<Harm> harms;
  const uint64_t flips = Thorough() ? 60 : crashed ? 2 : 6;
  const uint64_t cuts = crashed ? 0 : Thorough() ? 20 : 2;
  for (const std::string& path : state.AllFiles()) {
    const uint64_t size = state.Bytes(*state.Find(path)).size();
    harms.push_back({Harm::Kind::kRemove, path, 0});
    if (size == 0) continue;
    for (uint64_t i = 0; i < flips; ++i) {
      const uint64_t reach = i % 2 == 0 ? size : std::min<uint64_t>(size, 600);
      harms.push_back({Harm::Kind::kFlip, path, size - reach + i * reach / flips});
    }
    for (uint64_t i = 0; i < cuts; ++i) {
      harms.push_back({Harm::Kind::kCut, path, i * (size - 1) / (cuts - 1)});
    }
  }
  return harms;
}

class TolerantSink final : public store::ScanSink {
 public:
  void OnEntries(std::vector<store::KeyValue> entries) override {
    for (const store::KeyValue& entry : entries) found[entry.key] = std::string(entry.value.view());
  }
  bool OnDamage(const store::KeyRange& where, const Status& /*why*/) override {
    lost.push_back(where);
    return true;
  }
  bool IsLost(const std::string& key) const {
    return std::ranges::any_of(lost,
                               [&](const store::KeyRange& range) { return range.Contains(key); });
  }
  std::map<std::string, std::string> found;
  std::vector<store::KeyRange> lost;
};

// What is wrong with the scan of a damaged store; empty if nothing is.
std::string CheckScan(const Contents& contents, const TolerantSink& scan) {
  for (const auto& [key, value] : scan.found) {
    const auto at = contents.now.find(key);
    if (at == contents.now.end()) return key + " is there again";
    if (at->second != value) return key + " has a WRONG value";
  }
  for (const auto& [key, value] : contents.now) {
    if (!scan.found.contains(key) && !scan.IsLost(key)) return key + " is SILENTLY missing";
  }
  return "";
}

std::string CheckKey(const Contents& contents, store::Store& store, const std::string& key) {
  const auto reply = store::RangeAndWait(store, {.range = store::KeyRange::Single(key), .at = {}});
  if (!reply) {
    const bool is_named = reply.error().message().find(key) != std::string::npos;
    return is_named ? "" : "an error does not name " + key + ": " + reply.error().message();
  }
  const auto at = contents.now.find(key);
  if (reply->entries.empty()) return at == contents.now.end() ? "" : key + " is SILENTLY missing";
  if (at == contents.now.end()) return key + " is there again";
  return reply->entries[0].value.view() == at->second ? "" : key + " has a WRONG value";
}

std::string CheckWrite(store::Store& store, const std::string& key) {
  store::Transaction transaction;
  transaction.writes.push_back({store::Write::Kind::kPut, key, SharedBytes("anew"), {}});
  const auto written = store::CommitAndWait(store, std::move(transaction));
  // Where neither rows nor log can be read, it is not known what would be written over.
  if (!written) {
    const bool is_damage = written.error().reason() == StatusReason::kInternalError;
    return is_damage ? "" : "not writable: " + written.error().message();
  }
  const auto reply = store::RangeAndWait(store, {.range = store::KeyRange::Single(key), .at = {}});
  if (!reply) return "written and not to be read: " + reply.error().message();
  return reply->entries.size() == 1 ? "" : "written and not there";
}

std::string CheckOpened(const Contents& contents, store::Store& store, bool* is_harmless) {
  TolerantSink scan;
  const auto revision = store::Await<store::Revision>(
      [&](auto done) { store.Scan(store::KeyRange::All(), &scan, std::move(done)); });
  if (!revision) return "a scan failed: " + revision.error().message();
  if (std::string problem = CheckScan(contents, scan); !problem.empty()) return problem;
  for (int number = 0; number < kKeys; number += 3) {
    if (std::string problem = CheckKey(contents, store, KeyOf(number)); !problem.empty()) {
      return problem;
    }
  }
  *is_harmless = scan.lost.empty();
  const store::StoreHealth health = store.Health();
  if (!scan.lost.empty() && health.damaged == 0) return "the health does not tell of the damage";
  if (!health.writable) return "not writable: " + health.reason;
  if (std::string problem = CheckWrite(store, "/registry/things/new"); !problem.empty()) {
    return problem;
  }
  return scan.lost.empty() ? "" : CheckWrite(store, scan.lost[0].start);
}

// What is left of a store that does not open.
std::string CheckSalvage(const Contents& contents, const std::shared_ptr<SimulatedDisk>& disk) {
  store::RocksDbOptions options = EngineOptions(disk);
  options.salvage = true;
  auto engine = store::RocksDbEngine::Open(options);
  if (!engine) return "";  // tests/cli has those that are rebuilt
  SystemClock clock;
  auto reader = store::OfflineReader::OpenDamaged(std::move(*engine), &clock);
  if (!reader) return "not to be salvaged: " + reader.error().message();
  TolerantSink sink;
  const auto findings = (*reader)->Salvage(&sink);
  if (!findings) return "not salvaged: " + findings.error().message();
  for (const auto& [key, value] : sink.found) {
    if (!contents.ever.at(key).contains(value)) return key + " was salvaged with a WRONG value";
  }
  return "";
}

std::string DoAllHarm(bool crashed) {
  Contents contents;
  const DiskState whole = MakeStore(&contents, crashed);
  std::string problems;
  std::map<std::string, int> tally;
  for (const Harm& harm : HarmsOf(whole, crashed)) {
    const std::string where = harm.ToString();
    RecordProgress(where);
    DiskState state = whole;
    harm.Do(&state);
    auto disk = std::make_shared<SimulatedDisk>(std::move(state));
    std::string problem;
    bool is_harmless = false;
    Opened opened(disk);
    if (opened.store != nullptr) {
      problem = CheckOpened(contents, *opened.store, &is_harmless);
      ++tally[is_harmless ? "harmless" : "served without what is damaged"];
    } else {
      ++tally["refused"];
      const std::string name = harm.path.substr(harm.path.rfind('/') + 1);
      if (opened.refusal.find(name) == std::string::npos) problem = "the file is not named";
      if (opened.refusal.find("salvage") == std::string::npos) problem += " no remedy";
      if (!problem.empty()) problem += ": " + opened.refusal;
      if (problem.empty()) problem = CheckSalvage(contents, disk);
    }
    if (!problem.empty()) problems += where + ": " + problem + "\n";
  }
  std::string figures = "ok:";
  for (const auto& [what, count] : tally) figures += " " + what + " " + std::to_string(count);
  return problems.empty() ? figures : problems;
}

TEST(StoreDamageTest, AfterACleanStopNoFileCanBeHarmedSilentlyAndTheRestIsServed) {
  const ChildResult result = RunInChild([] { return DoAllHarm(false); });
  EXPECT_TRUE(result.exited);
  EXPECT_TRUE(result.report.starts_with("ok:")) << result.report;
  RecordProperty("figures", result.report);
}

TEST(StoreDamageTest, AfterACrashABitThatChangesOrAFileThatIsGoneIsNotSilent) {
  const ChildResult result = RunInChild([] { return DoAllHarm(true); });
  EXPECT_TRUE(result.exited);
  EXPECT_TRUE(result.report.starts_with("ok:")) << result.report;
  RecordProperty("figures", result.report);
}

}  // namespace
}  // namespace skiff
