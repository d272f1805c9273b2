// The program that the crash tests kill: opens the embedded store in a directory, tells how it
// found it, and works on it with concurrent clients, a watch and compaction until it is killed.
//
//   store_worker DIRECTORY SEED NAME FROM MODE [PLANT]
//
// NAME is part of the values that this run writes. The watch begins at revision FROM. MODE is
// "load", or "verify", which reads everything and ends by itself. PLANT is a fault for the test to
// find: "lossy-log", "skip-event", "repeat-event". The reports are described in worker_report.h.
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/rocksdb_engine.h"
#include "tests/faults/lossy_files.h"
#include "tests/faults/worker_report.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

constexpr std::string_view kPrefix = "/crash/";
// Always written together, with one value. Nobody watches them.
constexpr std::string_view kPair[] = {"/pair/a", "/pair/b"};

struct Arguments {
  std::string directory;
  uint64_t seed = 0;
  std::string name;
  int64_t from = 0;
  bool verify = false;
  std::string plant;
};

class ReportingSink final : public store::WatchSink {
 public:
  explicit ReportingSink(ReportWriter& report) : report_(report) {}

  void OnEvents(std::span<const store::Event> events) override {
    std::vector<SeenEvent> seen;
    for (const store::Event& event : events)
      seen.push_back({event.revision().value, event.entry.key,
                      event.kind == store::Event::Kind::kDelete,
                      std::string(event.entry.value.view())});
    report_.Told(seen);
    told_ = seen.back().revision;
  }
  void OnProgress(store::Revision revision) override {
    report_.Progress(revision.value);
    const std::lock_guard lock(mutex_);
    progressed_ = true;
    changed_.notify_all();
  }
  void OnEnd(Status why) override {
    if (!closing_) report_.Wrong("the watch ended: " + why.ToString());
  }

  void WaitForProgress() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return progressed_; });
  }
  // Every event up to here has been reported.
  int64_t told() const { return told_; }
  void Close() { closing_ = true; }

 private:
  ReportWriter& report_;
  std::atomic<int64_t> told_ = 0;
  std::atomic<bool> closing_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool progressed_ = false;
};

struct CollectingSink final : store::ScanSink {
  void OnEntries(std::vector<store::KeyValue> entries) override {
    for (store::KeyValue& entry : entries) found.emplace(entry.key, std::move(entry));
  }
  std::map<std::string, store::KeyValue> found;
};

// Opening must leave the store at one with itself.
void CheckWhole(store::Store& store, const store::StoreFigures& figures, ReportWriter& report) {
  const auto range = store::RangeAndWait(store, {.range = store::KeyRange::All()});
  CollectingSink scanned;
  const auto scan = store::Await<store::Revision>(
      [&](auto done) { store.Scan(store::KeyRange::All(), &scanned, std::move(done)); });
  if (!range || !scan) return report.Wrong("it cannot be read");
  if (range->revision != figures.revision || *scan != figures.revision)
    report.Wrong("reads and figures tell different revisions");
  if (range->count != figures.keys || range->entries.size() != scanned.found.size())
    report.Wrong(Text("range counts ", range->count, ", scan ", scanned.found.size(),
                      ", the figures ", figures.keys));
  const store::KeyValue& left = scanned.found[std::string(kPair[0])];
  const store::KeyValue& right = scanned.found[std::string(kPair[1])];
  if (left.value != right.value || left.mod_revision != right.mod_revision)
    report.Wrong("one half of a transaction is missing");
  for (const store::KeyValue& entry : range->entries) {
    const auto same = scanned.found.find(entry.key);
    if (same == scanned.found.end() || !(same->second == entry))
      report.Wrong("scan and range differ in " + entry.key);
  }
}

void ReadOldState(store::Store& store, const store::StoreFigures& figures, Random& random,
                  ReportWriter& report) {
  const int64_t oldest = std::max<int64_t>(figures.compacted.value, 1);
  const store::Revision at{
      oldest + static_cast<int64_t>(random.Uniform(figures.revision.value - oldest + 1))};
  const auto old =
      store::RangeAndWait(store, {.range = store::KeyRange::Prefix(kPrefix), .at = at});
  if (!old) return report.Wrong("an old state cannot be read: " + old.error().ToString());
  std::map<std::string, SeenValue> state;
  for (const store::KeyValue& entry : old->entries)
    state[entry.key] = SeenValue{std::string(entry.value.view()), entry.mod_revision.value};
  report.StateAt(at.value, state);
}

Result<std::unique_ptr<store::EmbeddedStore>> OpenStore(const Arguments& arguments, Clock& clock,
                                                        Random& random) {
  store::EmbeddedOptions options;
  options.clock = &clock;
  options.random = &random;
  options.compaction_interval = Duration::zero();
  options.open_engine = [&arguments] {
    store::RocksDbOptions engine;
    engine.directory = arguments.directory;
    // In every other run so little that RocksDB writes tables and compacts them all the time.
    if (arguments.seed % 2 == 0) engine.write_buffer_bytes = 64 * 1024;
    if (arguments.plant == "lossy-log") engine.file_system = MakeLossyFiles();
    return store::RocksDbEngine::Open(std::move(engine));
  };
  return store::EmbeddedStore::Open(std::move(options));
}

void WritePair(store::Store& store, const std::string& value) {
  store::Transaction transaction;
  for (const std::string_view key : kPair)
    transaction.writes.push_back(
        {store::Write::Kind::kPut, std::string(key), SharedBytes(value), store::LeaseId()});
  (void)store::CommitAndWait(store, std::move(transaction));
}

// Until the process is killed.
void Load(store::Store& store, const WorkloadOptions& options, ReportingSink& sink,
          ReportWriter& report) {
  std::vector<std::unique_ptr<Thread>> threads;
  for (int client = 0; client < options.clients; ++client) {
    threads.push_back(std::make_unique<Thread>("client", [&, client] {
      WorkloadClient self(store, options, client, report);
      for (int i = 0;; ++i) {
        self.Step();
        if (client == 1) WritePair(store, Text(options.name, "-", i));
        // Not beyond what has been told of, so that the next run's watch can go on from there.
        if (client == 0 && i % 20 == 19)
          (void)store::Await<store::Revision>(
              [&](auto done) { store.Compact(store::Revision{sink.told() - 5}, std::move(done)); });
      }
    }));
  }
}

int Run(const Arguments& arguments) {
  ReportWriter report(STDOUT_FILENO);
  SystemClock clock;
  SeededRandom random(arguments.seed);
  const auto store = OpenStore(arguments, clock, random);
  if (!store) {
    report.Wrong("it cannot be opened: " + store.error().ToString());
    return 1;
  }
  const auto figures =
      store::Await<store::StoreFigures>([&](auto done) { (*store)->Figures(std::move(done)); });
  if (!figures) {
    report.Wrong("no figures: " + figures.error().ToString());
    return 1;
  }
  report.Opened(figures->revision.value, figures->compacted.value);
  CheckWhole(**store, *figures, report);
  SeededRandom dice(arguments.seed + 1);
  ReadOldState(**store, *figures, dice, report);

  WorkloadOptions options{.seed = arguments.seed,
                          .clients = 8,
                          .keys = 6,
                          .prefix = std::string(kPrefix),
                          .name = arguments.name,
                          .value_bytes = dice.Uniform(600)};
  // Before anything is written, all keys are read: what was acknowledged must be there.
  WorkloadClient(**store, options, options.clients, report).ReadAll();
  ReportingSink sink(report);
  const int64_t shift = arguments.plant == "skip-event"     ? 1
                        : arguments.plant == "repeat-event" ? -1
                                                            : 0;
  const auto watch = (*store)->StartWatch(
      {store::KeyRange::Prefix(kPrefix), store::Revision{arguments.from + shift}, false}, &sink);
  if (!arguments.verify) Load(**store, options, sink, report);
  watch->RequestProgress();
  sink.WaitForProgress();
  sink.Close();
  return 0;
}

}  // namespace
}  // namespace skiff::testing

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  skiff::testing::Arguments arguments;
  arguments.directory = argv[1];
  arguments.seed = std::strtoull(argv[2], nullptr, 10);
  arguments.name = argv[3];
  arguments.from = std::strtoll(argv[4], nullptr, 10);
  arguments.verify = std::string_view(argv[5]) == "verify";
  if (argc > 6) arguments.plant = argv[6];
  return skiff::testing::Run(arguments);
}
