// The parts of the watch cache: its ordered index beside std::map and a plain array, the memory of
// a cached object, and reading labels and fields from storage bytes beside decoding them.
//
// Growth is measured between a hundred indexes of ten thousand entries and one of a million: the
// same memory, so that what is left is what the size of an index costs, and not that a small one
// fits the processor's cache. The logarithm of the size grows by half.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "bench/benches.h"
#include "bench/samples.h"
#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"
#include "store/cache/object_facts.h"
#include "store/cache/ordered_index.h"

namespace skiff::bench {
namespace {

constexpr size_t kSmall = 10'000;
constexpr size_t kLarge = 1'000'000;
constexpr size_t kIndexes = kLarge / kSmall;
constexpr size_t kObjects = 20'000;  // for figures of memory
constexpr size_t kProbes = 200'000;
const double kLogarithm = std::log(double{kLarge}) / std::log(double{kSmall});

// NAMESPACE/APP-HASH-SUFFIX, as the pods of deployments are called.
std::string RandomKey(Random& random) {
  constexpr std::string_view kSafe = "bcdfghjklmnpqrstvwxz2456789";
  std::string key = "team-" + std::to_string(random.Uniform(200)) + "/service-" +
                    std::to_string(random.Uniform(50)) + "-";
  for (int i = 0; i < 10; ++i) key += kSafe[random.Uniform(kSafe.size())];
  key += '-';
  for (int i = 0; i < 5; ++i) key += kSafe[random.Uniform(kSafe.size())];
  return key;
}

std::vector<std::string> RandomKeys(size_t count) {
  SeededRandom random(7);
  std::vector<std::string> keys(count);
  for (std::string& key : keys) key = RandomKey(random);
  return keys;
}

store::EntryRef MakeEntry(std::string_view key) {
  return store::CacheEntry::Make(key, store::Revision{1}, SharedBytes(), object::LabelSet());
}
std::vector<store::EntryRef> MakeEntries(const std::vector<std::string>& keys) {
  std::vector<store::EntryRef> entries;
  entries.reserve(keys.size());
  for (const std::string& key : keys) entries.push_back(MakeEntry(key));
  return entries;
}

[[noreturn]] void Die(const char* why) {
  std::fprintf(stderr, "cache_bench: %s\n", why);
  std::exit(1);
}

using Map = std::map<std::string, store::EntryRef, std::less<>>;

// Keys in an order that has nothing to do with where they lie.
struct Probe {
  size_t index;  // which of the hundred
  const std::string* key;
};
std::vector<Probe> MakeProbes(const std::vector<std::string>& keys) {
  SeededRandom random(11);
  std::vector<Probe> probes(kProbes);
  for (Probe& probe : probes) {
    const size_t which = random.Uniform(keys.size());
    probe = {which % kIndexes, &keys[which]};
  }
  return probes;
}

void BenchIndex(Report& report) {
  const std::vector<std::string> keys = RandomKeys(kLarge);
  const std::vector<Probe> probes = MakeProbes(keys);
  std::vector<store::OrderedIndex> small(kIndexes);
  store::OrderedIndex large;
  Map map;

  const auto fill = [&](auto put) {
    const auto start = Clock::now();
    for (size_t i = 0; i < keys.size(); ++i) put(i);
    return SecondsSince(start) / kLarge * 1e9;
  };
  const double small_insert = fill([&](size_t i) { small[i % kIndexes].Put(MakeEntry(keys[i])); });
  const double insert = fill([&](size_t i) { large.Put(MakeEntry(keys[i])); });
  const double map_insert = fill([&](size_t i) { map.emplace(keys[i], MakeEntry(keys[i])); });
  report.Figure("cache_index_insert_1m", insert, "ns", insert / map_insert, "std_map", AtMost(1.0));
  report.Figure("cache_index_insert_growth", insert / small_insert, "x",
                insert / small_insert / kLogarithm, "the_logarithm", AtMost(1.3));

  const auto each = [&](auto use) {
    return [&, use] {
      for (const Probe& probe : probes) use(probe);
    };
  };
  const auto ns = [](double seconds) { return seconds / kProbes * 1e9; };
  {
    const auto [in_small, in_large, in_map] = BestSecondsEach(
        3.0, each([&](const Probe& probe) { Keep(small[probe.index].Find(*probe.key)); }),
        each([&](const Probe& probe) { Keep(large.Find(*probe.key)); }),
        each([&](const Probe& probe) { Keep(map.find(*probe.key)); }));
    report.Figure("cache_index_find_1m", ns(in_large), "ns", in_large / in_map, "std_map",
                  AtMost(0.7));
    report.Figure("cache_index_find_growth", in_large / in_small, "x",
                  in_large / in_small / kLogarithm, "the_logarithm", AtMost(1.3));
  }
  {
    const auto [in_small, in_large, in_map] = BestSecondsEach(
        3.0, each([&](const Probe& probe) { small[probe.index].Put(MakeEntry(*probe.key)); }),
        each([&](const Probe& probe) { large.Put(MakeEntry(*probe.key)); }),
        each([&](const Probe& probe) { map.find(*probe.key)->second = MakeEntry(*probe.key); }));
    report.Figure("cache_index_replace_1m", ns(in_large), "ns", in_large / in_map, "std_map",
                  AtMost(0.8));
    report.Figure("cache_index_replace_growth", in_large / in_small, "x",
                  in_large / in_small / kLogarithm, "the_logarithm", AtMost(1.3));
  }
  {
    // A snapshot before every write, held until the next: all nodes on the way are copied.
    store::IndexSnapshot held;
    const auto [snapshotted] = BestSecondsEach(1.0, each([&](const Probe& probe) {
                                                 held = large.Snapshot();
                                                 large.Put(MakeEntry(*probe.key));
                                               }));
    report.Figure("cache_index_replace_under_snapshots_1m", ns(snapshotted), "ns",
                  ns(snapshotted) / 5000, "the_limit_5000_ns", AtMost(1.0));
  }
  {
    std::vector<store::EntryRef> entries = MakeEntries(keys);
    store::OrderedIndex loaded;
    const auto start = Clock::now();
    loaded.Load(std::move(entries));
    const double seconds = SecondsSince(start);
    report.Figure("cache_index_load_1m", seconds, "s", seconds / (insert * kLarge * 1e-9),
                  "one_by_one", AtMost(1.0));
  }
}

// Walks through memory larger than the caches, so that all else must be read afresh.
void EmptyCaches() {
  static std::vector<uint64_t> ballast(8 * 1024 * 1024);
  uint64_t sum = 0;
  for (size_t i = 0; i < ballast.size(); i += 8) sum += ballast[i]++;
  Keep(sum);
}

// Seconds that each piece of work takes when nothing of it is in the processor's caches.
template <typename... Work>
std::array<double, sizeof...(Work)> BestColdSecondsEach(int rounds, Work... work) {
  std::array<double, sizeof...(Work)> best;
  best.fill(std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    size_t i = 0;
    const auto time = [&](auto& one) {
      EmptyCaches();
      const auto start = Clock::now();
      one();
      best[i] = std::min(best[i], SecondsSince(start));
      ++i;
    };
    (time(work), ...);
  }
  return best;
}

// --- lists

// What every list does with an entry at least.
uint64_t Visit(const store::CacheEntry& entry) {
  return static_cast<uint64_t>(entry.revision().value) + (entry.value().empty() ? 1 : 0);
}

void BenchListOf(Report& report, const char* name, size_t count) {
  store::OrderedIndex index;
  for (const std::string& key : RandomKeys(count)) index.Put(MakeEntry(key));
  const store::IndexSnapshot snapshot = index.Snapshot();
  std::vector<const store::CacheEntry*> plain;
  for (store::IndexCursor at = snapshot.Seek(); !at.done(); at.Next()) plain.push_back(&*at);
  const auto [ours, peer] = BestColdSecondsEach(
      11,
      [&] {
        uint64_t sum = 0;
        for (store::IndexCursor at = snapshot.Seek(); !at.done(); at.Next()) sum += Visit(*at);
        Keep(sum);
      },
      [&] {
        uint64_t sum = 0;
        for (const store::CacheEntry* entry : plain) sum += Visit(*entry);
        Keep(sum);
      });
  // An entry is one line of memory; its share of a leaf that is two thirds full, another quarter.
  report.Figure(name, ours * 1e3, "ms", ours / peer, "an_array_of_pointers", AtMost(1.5));
}

void BenchLabelList(Report& report) {
  object::SymbolTable table;
  store::OrderedIndex index;
  SeededRandom random(5);
  for (size_t i = 0; i < kSmall; ++i) {
    const std::string app = "service-" + std::to_string(random.Uniform(50));
    const std::string hash = std::to_string(random.Uniform(500));
    const std::string name = std::to_string(i);
    const object::LabelSet::Label labels[] = {{"app.kubernetes.io/name", app},
                                              {"pod-template-hash", hash},
                                              {"team", "platform"},
                                              {"statefulset.kubernetes.io/pod-name", name}};
    index.Put(store::CacheEntry::Make(RandomKey(random), store::Revision{1},
                                      SharedBytes(std::string(1800, 'x')),
                                      object::LabelSet(table, labels)));
  }
  const store::IndexSnapshot snapshot = index.Snapshot();
  const object::BoundSelector selector(
      table, object::LabelSelector::Parse("app.kubernetes.io/name=none").value());
  std::vector<object::LabelSet> sets;
  for (store::IndexCursor at = snapshot.Seek(); !at.done(); at.Next()) sets.push_back(at->labels());
  const auto list = [&] {
    size_t matches = 0;
    for (store::IndexCursor at = snapshot.Seek(); !at.done(); at.Next()) {
      if (selector.Matches(at->labels())) ++matches;
    }
    if (matches != 0) Die("a label that no object has was found");
  };
  const double ms = BestSeconds(list, 0.5) * 1e3;
  report.Figure("cache_label_list_10k_none", ms, "ms", ms / 0.3, "the_limit_0.3_ms", AtMost(1.0));
  const auto [cold, peer] = BestColdSecondsEach(21, list, [&] {
    size_t matches = 0;
    selector.MatchAll(sets, [&](size_t) { ++matches; });
    Keep(matches);
  });
  report.Figure("cache_label_list_10k_none_cold", cold * 1e3, "ms", cold / peer,
                "an_array_of_label_sets", AtMost(2.0));
}

// --- facts and memory

std::vector<std::string> StoredSamples(const Samples& samples) {
  std::vector<std::string> out;
  for (const Sample& sample : samples.all) {
    object::AppendProtobufEnvelope(
        {.api_version = samples.api_version, .kind = samples.kind, .raw = sample.protobuf},
        &out.emplace_back());
  }
  return out;
}

store::FactsReader ReaderOf(std::string_view group, std::string_view resource) {
  auto reader = store::FactsReader::Make(*object::FindPreferredResource(group, resource)->hub);
  if (!reader) Die(reader.error().message().c_str());
  return std::move(*reader);
}

void BenchFacts(Report& report) {
  const std::vector<std::string> pods = StoredSamples(Pods());
  const store::FactsReader reader = ReaderOf("", "pods");
  store::ObjectFacts facts;
  const auto [ours, decode] = BestSecondsEach(
      1.5,
      [&] {
        for (const std::string& pod : pods) {
          if (!reader.Read(pod, facts)) Die("a pod has no facts");
          Keep(facts);
        }
      },
      [&] {
        for (const std::string& pod : pods) Keep(object::DecodeStorage(pod));
      });
  const double ns = ours / static_cast<double>(pods.size()) * 1e9;
  report.Figure("cache_facts_of_pod", ns, "ns", ours / decode, "a_full_decode", AtMost(0.2));
  report.Figure("cache_facts_limit", ns, "ns", ns / 1000, "the_limit_1000_ns", AtMost(1.0));
}

size_t HeapBytes() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// All that the cache holds for an object: storage bytes, entry, labels, its place in the index.
void BenchMemoryOf(Report& report, const char* name, std::string_view group,
                   std::string_view resource, const std::vector<std::string>& stored) {
  const store::FactsReader reader = ReaderOf(group, resource);
  SeededRandom random(3);
  object::SymbolTable table;
  size_t storage_bytes = 0;
  const size_t before = HeapBytes();
  store::OrderedIndex index;
  for (const std::string& bytes : stored) {
    store::ObjectFacts facts;
    const SharedBytes value(bytes);
    if (!reader.Read(value.view(), facts)) Die("a sample has no facts");
    index.Put(store::CacheEntry::Make(RandomKey(random), store::Revision{1}, value,
                                      object::LabelSet(table, facts.labels), facts.fields));
    storage_bytes += bytes.size();
  }
  const auto count = static_cast<double>(stored.size());
  const double each = static_cast<double>(HeapBytes() - before) / count;
  report.Figure(name, each, "bytes", each * count / static_cast<double>(storage_bytes),
                "its_storage_bytes", AtMost(1.3));
}

// Objects of a kind with the text in the field, whose size the text decides.
std::vector<std::string> StoredCopies(std::string_view api_version, std::string_view kind,
                                      std::string_view before, size_t text_size,
                                      std::string_view after) {
  const std::string json = std::string(before) + std::string(text_size, 'x') + std::string(after);
  const auto object = object::DecodeJson(json, object::FindKind(api_version, kind));
  if (!object) Die(object.error().message().c_str());
  std::string stored;
  object::EncodeStorage(object->root(), &stored);
  return std::vector<std::string>(kObjects, stored);
}

void BenchMemory(Report& report) {
  const auto samples = [](const char* file) { return StoredSamples(MakeSamples(file, kObjects)); };
  BenchMemoryOf(report, "cache_memory_of_pod", "", "pods", samples("pod"));
  BenchMemoryOf(report, "cache_memory_of_configmap", "", "configmaps", samples("configmap"));
  BenchMemoryOf(report, "cache_memory_of_event", "", "events", samples("event"));
  BenchMemoryOf(report, "cache_memory_of_2_kb", "", "configmaps",
                StoredCopies("v1", "ConfigMap", R"({"data":{"file":")", 2'000, R"("}})"));
  BenchMemoryOf(
      report, "cache_memory_of_lease", "coordination.k8s.io", "leases",
      StoredCopies("coordination.k8s.io/v1", "Lease", R"({"metadata":{"annotations":{"a":")", 360,
                   R"("}},"spec":{"holderIdentity":"node-1234.example.com",
                                "leaseDurationSeconds":40}})"));
}

}  // namespace

void BenchCache(Report& report) {
  BenchIndex(report);
  BenchListOf(report, "cache_list_10k", kSmall);
  BenchListOf(report, "cache_list_1m", kLarge);
  BenchLabelList(report);
  BenchFacts(report);
  BenchMemory(report);
}

}  // namespace skiff::bench
