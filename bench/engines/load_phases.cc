// Idle, durable writes, restart and churn.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include <sys/resource.h>

#include "bench/engines/bare_log.h"
#include "bench/engines/group_commit.h"
#include "bench/engines/phases.h"
#include "bench/engines/workload.h"

namespace skiff::bench::engines {
namespace {

constexpr size_t kValueBytes = 2000;
constexpr int kRepetitions = 3;
constexpr uint64_t kHotKeys = 100;
constexpr size_t kLoadBatch = 1000;

// Other work on the machine slows everything down for seconds at a time, and a thread that sleeps
// in a sync more than one that is busy. Hence many short slices that take turns with slices of the
// same load on a bare log, and ratios of neighbours.
constexpr int kSlices = 8;

struct WriteResult {
  double puts_per_second[kSlices];
  double bare_puts_per_second[kSlices];
  double syncs_per_second;
  double mean_batch;
  double issued_per_put;
  double dirtied_per_put;
  double cpu_us_per_put;
  double bare_cpu_us_per_put;
  bool good;
};

struct Load {
  Engine& engine;
  int writers;
  bool hot;  // a few keys again and again, not new ones
  std::atomic<uint64_t> next = 1;
  std::atomic<bool> failed = false;
  uint64_t revision = 0;
  uint64_t batches = 0;
  double cpu_seconds = 0;
};

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Writers that each wait for their write before the next one. Returns writes per second.
double RunSlice(Load& load, double seconds) {
  const uint64_t first = load.next;
  const double cpu_before = CpuSeconds();
  GroupCommitter committer(load.engine, load.revision);
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < load.writers; ++i) {
      threads.emplace_back([&] {
        while (SecondsSince(start) < seconds && !load.failed) {
          const uint64_t n = load.next++;
          const std::string key = KeyOf(load.hot ? n % kHotKeys : n);
          if (!committer.Put(key, ValueOf(key, n, kValueBytes))) load.failed = true;
        }
      });
    }
  }
  const double taken = SecondsSince(start);
  load.revision = committer.revision();
  load.batches += committer.batches();
  load.cpu_seconds += CpuSeconds() - cpu_before;
  return static_cast<double>(load.next - first) / taken;
}

WriteResult RunWriters(const Setting& setting, const std::string& dir, int writers, bool hot) {
  auto engine = MakeEngine(setting);
  if (!engine->Open(dir)) return {};
  WriteResult result = {};
  BareLog bare;
  if (!bare.Open(setting.dir)) return {};
  Load load = {.engine = *engine, .writers = writers, .hot = hot};
  Load bare_load = {.engine = bare, .writers = writers, .hot = hot};
  std::vector<double> syncs;
  Written written = {};
  const auto add_since = [&](const Written& before) {
    const Written now = WrittenBytes();
    written.issued += now.issued - before.issued;
    written.dirtied += now.dirtied - before.dirtied;
  };
  for (int i = 0; i < kSlices; ++i) {
    syncs.push_back(SyncRate(setting.dir, true, setting.seconds / 3));
    result.bare_puts_per_second[i] = RunSlice(bare_load, setting.seconds);
    const Written before = WrittenBytes();
    result.puts_per_second[i] = RunSlice(load, setting.seconds);
    add_since(before);
  }
  const Written before = WrittenBytes();
  engine.reset();  // what the engine puts off until it closes counts as well
  add_since(before);
  const auto puts = static_cast<double>(load.next - 1);
  result.mean_batch = puts / static_cast<double>(load.batches);
  result.issued_per_put = static_cast<double>(written.issued) / puts;
  result.dirtied_per_put = static_cast<double>(written.dirtied) / puts;
  result.cpu_us_per_put = load.cpu_seconds * 1e6 / puts;
  result.bare_cpu_us_per_put =
      bare_load.cpu_seconds * 1e6 / static_cast<double>(bare_load.next - 1);
  result.syncs_per_second = Median(syncs);
  result.good = !load.failed && !bare_load.failed;
  return result;
}

bool MeasureWriters(const Setting& setting, int writers, bool hot, Report& report) {
  Shared<WriteResult> result;
  ScratchDir dir(setting.dir + "/writes");
  const int status = InChild([&] {
    result[0] = RunWriters(setting, dir.path(), writers, hot);
    return 0;
  });
  if (status != 0 || !result->good) return false;
  std::vector<double> puts, bare, ratios;
  for (int i = 0; i < kSlices; ++i) {
    puts.push_back(result->puts_per_second[i]);
    bare.push_back(result->bare_puts_per_second[i]);
    ratios.push_back(puts.back() / bare.back());
  }
  const std::string metric =
      hot ? "hot_updates_16_writers" : "creates_" + std::to_string(writers) + "_writers";
  const auto figure = [&](const char* what, double value, const char* unit, double ratio,
                          const char* of) {
    report.Figure(FigureName(setting, metric + what).c_str(), value, unit, ratio, of);
  };
  const double batch = result->mean_batch;
  const double syncs = result->syncs_per_second;
  figure("", Median(puts), "puts/s", Median(ratios), "bare_log");
  figure("_best", std::ranges::max(puts), "puts/s", std::ranges::max(puts) / std::ranges::max(bare),
         "bare_log");
  figure("_bare_log", Median(bare), "puts/s", Median(bare) / (syncs * batch), "disk_sync_x_batch");
  figure("_disk_sync", syncs, "syncs/s", 1, "itself");
  // Includes making the value and waking the writer, which is what the bare log costs.
  figure("_cpu", result->cpu_us_per_put, "us/put",
         result->cpu_us_per_put / result->bare_cpu_us_per_put, "bare_log");
  figure("_batch", batch, "puts", batch / writers, "writers");
  figure("_written", result->issued_per_put, "B/put", result->issued_per_put / kValueBytes,
         "value_bytes");
  figure("_dirtied", result->dirtied_per_put, "B/put", result->dirtied_per_put / kValueBytes,
         "value_bytes");
  return true;
}

struct RestartResult {
  double open_ms, scan_s, get_us, range_ms;
  Memory opened, scanned;
  bool good;
};

bool LoadKeys(const Setting& setting, const std::string& dir, size_t value_size) {
  auto engine = MakeEngine(setting);
  if (!engine->Open(dir)) return false;
  std::vector<std::string> keys(kLoadBatch), values(kLoadBatch);
  std::vector<Write> writes(kLoadBatch);
  for (uint64_t revision = 0; revision < setting.keys;) {
    for (size_t i = 0; i < kLoadBatch; ++i) {
      ++revision;
      keys[i] = KeyOf(revision);
      values[i] = ValueOf(keys[i], revision, value_size);
      writes[i] = {keys[i], values[i], revision};
    }
    if (!engine->Commit(writes)) return false;
  }
  return true;
}

RestartResult Restart(const Setting& setting, const std::string& dir) {
  RestartResult result = {};
  auto start = Clock::now();
  auto engine = MakeEngine(setting);
  const std::string some = KeyOf(setting.keys / 2);
  if (!engine->Open(dir) || !engine->Get(some)) return result;
  result.open_ms = SecondsSince(start) * 1e3;
  result.opened = ResidentMemory();
  start = Clock::now();
  uint64_t records = 0, bytes = 0;
  const auto count = [&](uint64_t, std::string_view key, std::string_view value) {
    ++records;
    // One byte of each page, as any use of the value would.
    for (size_t i = 0; i < value.size(); i += 64) bytes += static_cast<unsigned char>(value[i]);
    bytes += key.size();
  };
  result.good = engine->Scan(count).has_value() && records == setting.keys;
  Keep(bytes);
  result.scan_s = SecondsSince(start);
  result.scanned = ResidentMemory();
  constexpr uint64_t kGets = 20'000;
  start = Clock::now();
  for (uint64_t i = 0; i < kGets; ++i) {
    result.good = result.good && engine->Get(KeyOf(1 + i * 7919 % setting.keys)).has_value();
  }
  result.get_us = SecondsSince(start) * 1e6 / kGets;
  std::vector<double> ranges;
  for (int i = 0; i < 5; ++i) {
    start = Clock::now();
    result.good =
        result.good && engine->Range("/registry/pods/team-100", 10'000, count).has_value();
    ranges.push_back(SecondsSince(start) * 1e3);
  }
  result.range_ms = Median(ranges);
  return result;
}

struct ChurnResult {
  double working_set_mb, after_mb, reclaimed_mb, reclaim_ms;
  bool good;
};

ChurnResult Churn(const Setting& setting, const std::string& dir) {
  constexpr uint64_t kKeys = 10'000;
  constexpr uint64_t kRounds = 10;
  constexpr uint64_t kBatch = 100;
  ChurnResult result = {};
  auto engine = MakeEngine(setting);
  if (!engine->Open(dir)) return result;
  uint64_t revision = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (uint64_t n = 0; n < kKeys; n += kBatch) {
      std::vector<std::string> keys, values;
      std::vector<Write> writes;
      for (uint64_t i = n; i < n + kBatch; ++i) {
        keys.push_back(KeyOf(i * 7919 % kKeys));
        values.push_back(ValueOf(keys.back(), round, kValueBytes));
      }
      for (size_t i = 0; i < kBatch; ++i) writes.push_back({keys[i], values[i], ++revision});
      if (!engine->Commit(writes)) return result;
    }
    std::vector<uint64_t> old;
    if (round > 0) {
      for (uint64_t r = revision - 2 * kKeys + 1; r <= revision - kKeys; ++r) old.push_back(r);
      if (!engine->Forget(old)) return result;
    }
  }
  result.working_set_mb = static_cast<double>(kKeys * kValueBytes) / 1e6;
  result.after_mb = static_cast<double>(DirBytes(dir)) / 1e6;
  const auto start = Clock::now();
  if (!engine->Reclaim()) return result;
  result.reclaim_ms = SecondsSince(start) * 1e3;
  engine.reset();
  result.reclaimed_mb = static_cast<double>(DirBytes(dir)) / 1e6;
  result.good = true;
  return result;
}

}  // namespace

bool IdlePhase(const Setting& setting, Report& report) {
  std::vector<double> opens, memory, start_ups;
  Shared<RestartResult> result;
  for (int i = 0; i < 9; ++i) {
    ScratchDir dir(setting.dir + "/idle");
    const auto open = [&] {
      const auto start = Clock::now();
      auto engine = MakeEngine(setting);
      result->good = engine->Open(dir.path()).has_value();
      result->open_ms = SecondsSince(start) * 1e3;
      result->opened = ResidentMemory();
      return 0;
    };
    InChild(open);  // creates the files
    if (InChild(open) != 0 || !result->good) return false;
    opens.push_back(result->open_ms);
    memory.push_back(result->opened.anon_mb + result->opened.file_mb);
    const auto start = Clock::now();
    InChild([] { return execl("/proc/self/exe", "skiff_engine_bench", "nothing", nullptr); });
    start_ups.push_back(SecondsSince(start) * 1e3);
  }
  report.Figure(FigureName(setting, "empty_open").c_str(), Median(opens), "ms", Median(opens) / 100,
                "ready_in_100_ms");
  report.Figure(FigureName(setting, "empty_resident").c_str(), Median(memory), "MB",
                Median(memory) / 20, "idle_20_MB");
  report.Figure(FigureName(setting, "exec_to_exit").c_str(), Median(start_ups), "ms",
                Median(start_ups) / 100, "ready_in_100_ms");
  return true;
}

bool WritePhase(const Setting& setting, Report& report) {
  {
    ScratchDir dir(setting.dir + "/sync");
    std::vector<double> grow, overwrite;
    for (int i = 0; i < 5; ++i) {
      grow.push_back(SyncRate(dir.path(), true, 0.3));
      overwrite.push_back(SyncRate(dir.path(), false, 0.3));
    }
    report.Figure(FigureName(setting, "disk_sync_overwrite").c_str(), Median(overwrite), "syncs/s",
                  Median(overwrite) / Median(grow), "disk_sync");
  }
  bool good = true;
  for (const int writers : {1, 16, 256})
    good = MeasureWriters(setting, writers, false, report) && good;
  return MeasureWriters(setting, 16, true, report) && good;
}

bool RestartPhase(const Setting& setting, size_t value_size, const char* label, Report& report) {
  ScratchDir dir(setting.dir + "/restart");
  const auto start = Clock::now();
  const int status = InChild([&] { return LoadKeys(setting, dir.path(), value_size) ? 0 : 1; });
  if (status != 0) return false;
  const double load_s = SecondsSince(start);
  const double logical = static_cast<double>(setting.keys) * static_cast<double>(value_size);
  std::vector<double> opens, scans, gets, ranges, anon, scanned, file;
  Shared<RestartResult> result;
  for (int i = 0; i < kRepetitions; ++i) {
    DropFileCache(dir.path());
    InChild([&] {
      result[0] = Restart(setting, dir.path());
      return 0;
    });
    if (!result->good) return false;
    opens.push_back(result->open_ms);
    scans.push_back(result->scan_s);
    gets.push_back(result->get_us);
    ranges.push_back(result->range_ms);
    anon.push_back(result->opened.anon_mb);
    scanned.push_back(result->scanned.anon_mb);
    file.push_back(result->scanned.file_mb);
  }
  const std::string prefix = std::string("restart_") + label;
  const auto name = [&](const char* what) { return FigureName(setting, prefix + what); };
  const double disk = static_cast<double>(DirBytes(dir.path()));
  report.Figure(name("_load").c_str(), load_s, "s", load_s / 5, "5_s");
  report.Figure(name("_size").c_str(), disk / 1e6, "MB", disk / logical, "value_bytes");
  report.Figure(name("_open").c_str(), Median(opens), "ms", Median(opens) / 100, "ready_in_100_ms");
  report.Figure(name("_scan").c_str(), Median(scans), "s", Median(scans) / 5, "start_up_5_s");
  report.Figure(name("_get").c_str(), Median(gets), "us", 1, "itself");
  report.Figure(name("_range_10000").c_str(), Median(ranges), "ms", 1, "itself");
  report.Figure(name("_anon_opened").c_str(), Median(anon), "MB", Median(anon) / 20, "idle_20_MB");
  report.Figure(name("_anon_scanned").c_str(), Median(scanned), "MB", Median(scanned) / 20,
                "idle_20_MB");
  report.Figure(name("_mapped_scanned").c_str(), Median(file), "MB", Median(file) / 20,
                "idle_20_MB");
  return true;
}

bool ChurnPhase(const Setting& setting, Report& report) {
  ScratchDir dir(setting.dir + "/churn");
  Shared<ChurnResult> result;
  InChild([&] {
    result[0] = Churn(setting, dir.path());
    return 0;
  });
  if (!result->good) return false;
  report.Figure(FigureName(setting, "churn_size").c_str(), result->after_mb, "MB",
                result->after_mb / result->working_set_mb, "working_set");
  report.Figure(FigureName(setting, "churn_reclaimed").c_str(), result->reclaimed_mb, "MB",
                result->reclaimed_mb / result->working_set_mb, "working_set");
  report.Figure(FigureName(setting, "churn_reclaim").c_str(), result->reclaim_ms, "ms",
                result->reclaim_ms / 1000, "1_s");
  return true;
}

}  // namespace skiff::bench::engines
