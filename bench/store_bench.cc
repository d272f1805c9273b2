// Durable writes beside the disk and beside etcd, and what a large store costs.
//
// Store, bare disk and etcd take turns on the same disk, so that a machine that is slow for a while
// is slow for all of them; of each, the best turn counts. The limit of the disk is its own rate of
// appends and syncs, each as large as the store's mean batch was, times the writes of that batch.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>

#include <sys/resource.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "bench/benches.h"
#include "bench/environment.h"
#include "bench/samples.h"
#include "bench/store_load.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"
#include "store/blocking.h"
#include "store/cache/resource_cache.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/rocksdb_engine.h"
#include "store/etcd/etcd_store.h"
#include "tests/store/etcd_cluster.h"

namespace skiff::bench {
namespace {

using testing::EtcdCluster;

constexpr int kTurns = 4;
constexpr double kTurnSeconds = 1.0;
// What RocksDB's log adds to a value: both rows of a write, their keys and headers.
constexpr size_t kRowOverheadBytes = 200;

constexpr size_t kManyKeys = 1'000'000;
constexpr size_t kFewKeys = 10'000;
constexpr double kStartLimitSeconds = 5;

std::unique_ptr<store::EmbeddedStore> OpenEmbedded(const std::string& directory) {
  store::EmbeddedOptions options;
  options.open_engine = [directory] {
    return store::RocksDbEngine::Open({.directory = directory});
  };
  options.clock = &TheClock();
  options.random = &TheRandom();
  return Must(store::EmbeddedStore::Open(std::move(options)), "open the embedded store");
}

std::unique_ptr<store::EtcdStore> OpenEtcd(const EtcdCluster& cluster) {
  store::EtcdOptions options;
  options.endpoints = cluster.endpoints();
  options.clock = &TheClock();
  options.random = &TheRandom();
  return Must(store::EtcdStore::Open(std::move(options)), "open the etcd store");
}

uint64_t Syncs(store::Store& store) {
  return Must(store::Await<store::StoreFigures>([&](auto done) { store.Figures(std::move(done)); }),
              "figures")
      .syncs;
}

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct PutFigures {
  double ours = 0;      // puts a second
  double cpu_us = 1e9;  // a put
  double disk = 0;      // puts a second that the disk allows
  double etcd = 0;      // puts a second
  double batch = 0;     // writes a sync
};

// A store and its peers on one disk.
class WriteBench {
 public:
  WriteBench() : store_(OpenEmbedded(directory_.path() + "/store")) {
    if (const auto why = EtcdCluster::Missing({})) {
      std::fprintf(stderr, "bench: no etcd to compare with: %s\n", why->c_str());
      std::exit(1);
    }
    etcd_ = Must(EtcdCluster::Start(TheClock(), {}), "start etcd");
    etcd_store_ = OpenEtcd(*etcd_);
  }

  PutFigures Run(size_t in_flight) {
    PutFigures best;
    for (int turn = 0; turn < kTurns; ++turn) {
      const uint64_t syncs = Syncs(*store_);
      const double cpu = CpuSeconds();
      const LoadResult ours = Create(*store_, in_flight);
      const double batch =
          static_cast<double>(ours.commits) / static_cast<double>(Syncs(*store_) - syncs);
      if (ours.rate() > best.ours) {
        best.ours = ours.rate();
        best.batch = batch;
      }
      best.cpu_us = std::min(best.cpu_us, (CpuSeconds() - cpu) * 1e6 / ours.commits);
      const auto bytes = static_cast<size_t>(batch * (kValueBytes + kRowOverheadBytes));
      best.disk = std::max(best.disk, batch * SyncRate(directory_.path(), bytes, kTurnSeconds / 2));
      best.etcd = std::max(best.etcd, Create(*etcd_store_, in_flight).rate());
    }
    return best;
  }

 private:
  static constexpr size_t kValueBytes = 1024;

  LoadResult Create(store::Store& store, size_t in_flight) {
    const Load load{.in_flight = in_flight,
                    .value_bytes = kValueBytes,
                    .seconds = kTurnSeconds,
                    .prefix = "/registry/configmaps/bench/",
                    .first = next_};
    const LoadResult result = CreateKeys(store, load);
    next_ += result.commits + in_flight;
    return result;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<store::EmbeddedStore> store_;
  std::unique_ptr<EtcdCluster> etcd_;
  std::unique_ptr<store::EtcdStore> etcd_store_;
  uint64_t next_ = 0;
};

void BenchWrites(Report& report) {
  WriteBench bench;
  for (const size_t in_flight : {1, 16, 256}) {
    const PutFigures best = bench.Run(in_flight);
    const std::string name = "store_put_" + std::to_string(in_flight);
    std::printf("# %zu in flight: %.1f writes a sync, %.1f us of CPU a put\n", in_flight,
                best.batch, best.cpu_us);
    report.Figure(name.c_str(), best.ours, "puts/s", best.ours / best.disk, "the_disk",
                  AtLeast(0.8));
    report.Figure((name + "_etcd").c_str(), best.ours, "puts/s", best.ours / best.etcd, "etcd",
                  in_flight == 16 ? AtLeast(3) : Budget());
  }
}

// ConfigMaps of about 2 KB, as they are stored.
class Objects {
 public:
  Objects() : samples_(MakeSamples("configmap-2k", 1000)) {
    for (const Sample& sample : samples_.all) {
      std::string out;
      object::AppendProtobufEnvelope(
          {.api_version = samples_.api_version, .kind = samples_.kind, .raw = sample.protobuf},
          &out);
      values_.emplace_back(out);
    }
  }
  const SharedBytes& value(size_t i) const { return values_[i % values_.size()]; }
  std::string key(size_t i) const {
    char text[64];
    std::snprintf(text, sizeof text, "/registry/configmaps/ns-%03zu/object-%07zu", i % 200, i);
    return text;
  }

 private:
  Samples samples_;
  std::vector<SharedBytes> values_;
};

// Creates objects [from, to), many at once.
void Fill(store::Store& store, const Objects& objects, size_t from, size_t to) {
  constexpr size_t kAtOnce = 2000;
  for (size_t i = from; i < to;) {
    std::atomic<size_t> left = std::min(kAtOnce, to - i);
    std::promise<void> answered;
    for (size_t n = left; n > 0; --n, ++i) {
      store.Commit(store::Transaction::CreateIfAbsent(objects.key(i), objects.value(i)),
                   [&](Result<store::CommitReply> reply) {
                     if (!Must(std::move(reply), "create").succeeded) std::exit(1);
                     if (left.fetch_sub(1) == 1) answered.set_value();
                   });
    }
    answered.get_future().wait();
  }
}

// Until the store has read ahead and put its files in order.
void WaitForRest() {
  constexpr auto kPause = std::chrono::milliseconds(200);
  constexpr double kRestSeconds = 0.01;
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  for (double before = -1; CpuSeconds() - before > kRestSeconds;) {
    before = CpuSeconds();
    const Duration until = TheClock().Monotonic() + kPause;
    while (TheClock().Monotonic() < until) TheClock().WaitUntil(never, lock, until);
  }
}

// CPU that one update with its conditions takes, over the whole range of keys.
double UpdateCpu(store::Store& store, const Objects& objects, size_t keys) {
  constexpr size_t kUpdates = 20'000;
  constexpr size_t kAtOnce = 256;
  SeededRandom random(7);
  double best = 1e9;
  WaitForRest();
  for (int turn = 0; turn < 3; ++turn) {
    const double cpu = CpuSeconds();
    for (size_t i = 0; i < kUpdates; i += kAtOnce) {
      std::atomic<size_t> left = kAtOnce;
      std::promise<void> answered;
      for (size_t n = 0; n < kAtOnce; ++n) {
        const size_t which = random.Uniform(keys);
        store::Transaction update;
        update.writes.push_back(
            {store::Write::Kind::kPut, objects.key(which), objects.value(which + turn + 1), {}});
        store.Commit(std::move(update), [&](Result<store::CommitReply> reply) {
          Must(std::move(reply), "update");
          if (left.fetch_sub(1) == 1) answered.set_value();
        });
      }
      answered.get_future().wait();
    }
    best = std::min(best, (CpuSeconds() - cpu) / kUpdates);
  }
  return best;
}

// Brings the files of a store into the order in which they would be after a while.
void Settle(const std::string& directory) {
  const auto engine = Must(store::RocksDbEngine::Open({.directory = directory}), "open the engine");
  if (const Result<void> done = engine->Defragment(); !done) std::exit(1);
}

std::unique_ptr<store::ResourceCache> StartCache(store::Store& store,
                                                 object::SymbolTable& symbols) {
  store::CacheOptions options;
  options.prefix = "/registry/configmaps/";
  options.facts = std::make_shared<store::FactsReader>(
      Must(store::FactsReader::Make(*object::FindResource("", "v1", "configmaps")->hub), "facts"));
  options.symbols = &symbols;
  options.events_come_first = true;
  auto cache =
      std::make_unique<store::ResourceCache>(store, TheClock(), TheRandom(), std::move(options));
  Must(store::Await<store::Revision>([&](auto done) { cache->Start(std::move(done)); }),
       "fill the cache");
  return cache;
}

void BenchLargeStore(Report& report) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/store";
  const Objects objects;
  auto store = OpenEmbedded(path);
  Fill(*store, objects, 0, kFewKeys);
  store.reset();
  Settle(path);
  store = OpenEmbedded(path);
  const double few = UpdateCpu(*store, objects, kFewKeys);
  Fill(*store, objects, kFewKeys, kManyKeys);
  store.reset();
  Settle(path);
  store = OpenEmbedded(path);
  const double many = UpdateCpu(*store, objects, kManyKeys);
  report.Figure("store_update_cpu", many * 1e6, "us", many / few, "10_thousand_keys", AtMost(1.3));
  store.reset();

  object::SymbolTable symbols;
  const auto start = Clock::now();
  store = OpenEmbedded(path);
  const double opened = SecondsSince(start);
  const auto cache = StartCache(*store, symbols);
  const double seconds = SecondsSince(start);
  std::printf("# opened in %.3f s\n", opened);
  report.Figure("store_start_1M", seconds, "s", seconds / kStartLimitSeconds, "the_limit_5_s",
                AtMost(1));
}

}  // namespace

void BenchStore(Report& report) {
  BenchWrites(report);
  BenchLargeStore(report);
}

}  // namespace skiff::bench
