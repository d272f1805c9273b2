// What grows with the number of objects: the same work over ten thousand and over a million
// ConfigMaps of 0.9 KB, on the embedded store with the watch cache before it, and what both of them
// take to start and to hold.
//
// A list is timed from its request to the last entry. Creates are the processor's time of the store
// and the cache together, with many in flight, so that the disk's pace does not count.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <string>

#include <sys/resource.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "bench/benches.h"
#include "bench/environment.h"
#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"
#include "store/blocking.h"
#include "store/cache/resource_cache.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff::bench {
namespace {

constexpr size_t kFew = 10'000;
constexpr size_t kMany = 1'000'000;
constexpr size_t kCreates = 10'000;
constexpr size_t kNamespaces = 200;

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The pods of a service share their labels; each object has one of fifty services.
std::string ObjectJson(const std::string& name_space, const std::string& name, size_t i) {
  const std::string service = "service-" + std::to_string(i % 50);
  const std::string hash = std::to_string(i * 2654435761u % 1'000'000'007u);
  std::string data;
  while (data.size() < 420) data += hash + "=" + std::to_string(data.size() + i) + "\\n";
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","namespace":")" + name_space + R"(","uid":"6ba7b810-9dad-11d1-80b4-)" +
         std::to_string(100000000000u + i) +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app.kubernetes.io/name":")" +
         service +
         R"(","team":"platform"},"managedFields":[{"manager":"kubectl",)"
         R"("operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z",)"
         R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:settings":{}},)"
         R"("f:metadata":{"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:team":{}}}}}]},)"
         R"("data":{"settings":")" +
         data + R"("}})";
}

struct Object {
  std::string key;
  SharedBytes value;
};
Object MakeObject(size_t i) {
  char name[32], name_space[32];
  std::snprintf(name, sizeof name, "object-%07zu", i);
  std::snprintf(name_space, sizeof name_space, "ns-%03zu", i % kNamespaces);
  static const object::MessageDesc* const kind = object::FindKind("v1", "ConfigMap");
  const auto document = object::DecodeJson(ObjectJson(name_space, name, i), kind);
  if (!document) std::exit(1);
  std::string bytes;
  object::EncodeStorage(document->root(), &bytes);
  return {"/registry/configmaps/" + std::string(name_space) + "/" + name, SharedBytes(bytes)};
}

// Objects [from, to), many at once. Returns how many bytes they are.
size_t Create(store::Store& store, size_t from, size_t to, double* cpu = nullptr) {
  constexpr size_t kAtOnce = 1000;
  size_t bytes = 0;
  for (size_t i = from; i < to;) {
    std::vector<Object> objects;
    for (; i < to && objects.size() < kAtOnce; ++i) objects.push_back(MakeObject(i));
    std::atomic<size_t> left = objects.size();
    std::promise<void> answered;
    const double before = CpuSeconds();
    for (const Object& object : objects) {
      bytes += object.value.size();
      store.Commit(store::Transaction::CreateIfAbsent(object.key, object.value),
                   [&](Result<store::CommitReply> reply) {
                     if (!Must(std::move(reply), "create").succeeded) std::exit(1);
                     if (left.fetch_sub(1) == 1) answered.set_value();
                   });
    }
    answered.get_future().wait();
    if (cpu != nullptr) *cpu += CpuSeconds() - before;
  }
  return bytes;
}

// Until the store has put its files in order.
void WaitForRest() {
  constexpr auto kPause = std::chrono::milliseconds(200);
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  for (double before = -1; CpuSeconds() - before > 0.01;) {
    before = CpuSeconds();
    const Duration until = TheClock().Monotonic() + kPause;
    while (TheClock().Monotonic() < until) TheClock().WaitUntil(never, lock, until);
  }
}

std::unique_ptr<store::EmbeddedStore> OpenStore(const std::string& directory) {
  store::EmbeddedOptions options;
  options.open_engine = [directory] {
    return store::RocksDbEngine::Open({.directory = directory});
  };
  options.clock = &TheClock();
  options.random = &TheRandom();
  return Must(store::EmbeddedStore::Open(std::move(options)), "open the store");
}

// Brings the files of a store into the order in which they would be after a while.
void Settle(const std::string& directory) {
  const auto engine = Must(store::RocksDbEngine::Open({.directory = directory}), "open the engine");
  if (const Result<void> done = engine->Defragment(); !done) std::exit(1);
}

// A store with its cache, as an API server has it.
class Served {
 public:
  explicit Served(const std::string& directory) : store_(OpenStore(directory)) {
    store::CacheOptions options;
    options.prefix = "/registry/configmaps/";
    options.facts = std::make_shared<store::FactsReader>(Must(
        store::FactsReader::Make(*object::FindResource("", "v1", "configmaps")->hub), "facts"));
    options.symbols = &symbols_;
    options.events_come_first = true;
    cache_.emplace(*store_, TheClock(), TheRandom(), std::move(options));
    Must(store::Await<store::Revision>([&](auto done) { cache_->Start(std::move(done)); }),
         "fill the cache");
  }
  store::EmbeddedStore& store() { return *store_; }
  store::ResourceCache& cache() { return *cache_; }

  // Entries that the selector matches.
  size_t List(std::string_view labels) {
    store::CacheListRequest request;
    request.selection.labels = Must(object::LabelSelector::Parse(labels), "selector");
    const store::ListReply reply = Must(store::Await<store::ListReply>([&](auto done) {
                                          cache_->List(std::move(request), std::move(done));
                                        }),
                                        "list");
    size_t count = 0;
    for (store::ListCursor at = reply.Entries(); at.Next() != nullptr;) ++count;
    return count;
  }
  // From the second list of its kind on, and after the time that the cache takes to index for it.
  double ListSeconds(std::string_view labels, size_t expected) {
    List(labels);
    for (size_t done = 0; done <= 2 * kMany; done += limits::kFacetEntriesPerTick) cache_->Tick();
    return BestSeconds(
        [&] {
          if (List(labels) != expected) std::exit(1);
        },
        0.3);
  }

 private:
  object::SymbolTable symbols_;
  std::unique_ptr<store::EmbeddedStore> store_;
  std::optional<store::ResourceCache> cache_;
};

struct Grown {
  double none, few, create;  // seconds
};
Grown Measure(const std::string& directory, size_t count) {
  Served served(directory);
  Grown out{};
  WaitForRest();
  out.none = served.ListSeconds("app.kubernetes.io/name=none", 0);
  out.few = served.ListSeconds("app.kubernetes.io/name=service-7,team=platform", count / 50);
  double cpu = 0;
  Create(served.store(), count, count + kCreates, &cpu);
  out.create = cpu / kCreates;
  return out;
}

}  // namespace

void BenchScale(Report& report) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/store";
  size_t bytes = Create(*OpenStore(path), 0, kFew);
  Settle(path);
  const Grown few = Measure(path, kFew);
  bytes = bytes / kFew * kMany;
  Create(*OpenStore(path), kFew + kCreates, kMany);
  Settle(path);
  malloc_trim(0);
  {
    const double before = ResidentBytes();
    const auto start = Clock::now();
    const double cpu = CpuSeconds();
    Served served(path);
    const double seconds = SecondsSince(start);
    std::printf("# %.3f s of the processors\n", CpuSeconds() - cpu);
    report.Figure("scale_start_1m", seconds, "s", seconds / 1.5, "the_limit_1.5_s", AtMost(1));
    WaitForRest();
    const double held = ResidentBytes() - before;
    report.Figure("scale_resident_1m", held / 1e6, "MB", held / static_cast<double>(bytes),
                  "its_stored_bytes", AtMost(1.1));
  }
  malloc_trim(0);
  const Grown many = Measure(path, kMany);
  report.Figure("scale_list_none_10k", few.none * 1e6, "us", 1, "itself");
  report.Figure("scale_list_none_1m", many.none * 1e6, "us", many.none / few.none,
                "10_thousand_objects", AtMost(3));
  report.Figure("scale_list_50th_10k", few.few * 1e6, "us", 1, "itself");
  report.Figure("scale_list_50th_1m", many.few * 1e6, "us", many.few / few.few / (kMany / kFew),
                "its_matches_more", AtMost(3));
  report.Figure("scale_create_10k", few.create * 1e6, "us", 1, "itself");
  report.Figure("scale_create_1m", many.create * 1e6, "us", many.create / few.create,
                "10_thousand_objects", AtMost(1.2));
}

}  // namespace skiff::bench
