// kill -9 under load, a full disk, and a flipped bit.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>

#include <sys/mount.h>
#include <sys/wait.h>

#include "bench/engines/group_commit.h"
#include "bench/engines/phases.h"
#include "bench/engines/workload.h"

namespace skiff::bench::engines {
namespace {

namespace fs = std::filesystem;
constexpr size_t kValueBytes = 2000;

struct Acknowledged {
  uint64_t salt;      // of the last write of the key that was acknowledged; 0: none
  uint64_t revision;  // of that write
};

// Each writer has keys of its own, so that it knows what their values must be.
void WriteUntilKilled(Engine& engine, uint64_t revision, uint64_t writers, uint64_t keys_each,
                      Shared<Acknowledged>& acknowledged) {
  GroupCommitter committer(engine, revision);
  std::vector<std::jthread> threads;
  for (uint64_t w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      for (uint64_t i = 0;; ++i) {
        const uint64_t n = w * keys_each + i % keys_each;
        const std::string key = KeyOf(n);
        const uint64_t salt = acknowledged[n].salt + 1;
        const auto put = committer.Put(key, ValueOf(key, salt, kValueBytes));
        if (!put) return;
        acknowledged[n] = {salt, *put};
      }
    });
  }
}

struct Verdict {
  uint64_t lost, wrong, last_revision;
  double open_ms;
  bool opened;
};

Verdict Verify(Engine& engine, const std::string& dir, uint64_t keys,
               Shared<Acknowledged>& acknowledged) {
  Verdict verdict = {};
  const auto start = Clock::now();
  verdict.opened = engine.Open(dir).has_value();
  verdict.open_ms = SecondsSince(start) * 1e3;
  if (!verdict.opened) return verdict;
  for (uint64_t n = 0; n < keys; ++n) {
    const std::string key = KeyOf(n);
    const auto value = engine.Get(key);
    if (!value) {
      verdict.lost += acknowledged[n].salt != 0;
    } else if (!ValueFits(key, *value)) {
      ++verdict.wrong;
    } else if (SaltOf(*value) < acknowledged[n].salt) {
      ++verdict.lost;
    } else {
      acknowledged[n].salt = SaltOf(*value);  // written, but killed before it was acknowledged
    }
  }
  const auto scanned = engine.Scan([&](uint64_t revision, std::string_view, std::string_view) {
    verdict.last_revision = std::max(verdict.last_revision, revision);
  });
  verdict.opened = scanned.has_value();
  return verdict;
}

// A data set of known content. Left as a crash leaves it when asked: with what is only in a log.
constexpr uint64_t kFlipKeys = 3000;
bool BuildFlipData(const Setting& setting, const std::string& dir, size_t value_size,
                   bool after_kill) {
  const int status = InChild([&] {
    auto engine = MakeEngine(setting);
    if (!engine->Open(dir)) return 1;
    for (uint64_t n = 0; n < kFlipKeys; ++n) {
      const std::string key = KeyOf(n);
      const std::string value = ValueOf(key, n, value_size);
      const Write write = {key, value, n + 1};
      if (!engine->Commit({&write, 1})) return 1;
    }
    if (after_kill) kill(getpid(), SIGKILL);
    return 0;
  });
  return after_kill ? WIFSIGNALED(status) : status == 0;
}

enum Finding { kHarmless, kRefused, kReadError, kCrashed, kWrongValue, kMissing, kFindings };
constexpr const char* kFindingNames[] = {"harmless", "refused_to_open", "read_error",
                                         "crashed",  "wrong_value",     "silently_missing"};

Finding Examine(const Setting& setting, const std::string& dir) {
  alarm(20);
  auto engine = MakeEngine(setting);
  if (!engine->Open(dir)) return kRefused;
  uint64_t scanned = 0, ranged = 0;
  bool wrong = false;
  const auto look = [&](uint64_t& count) {
    return [&](uint64_t revision, std::string_view key, std::string_view value) {
      ++count;
      wrong = wrong || !ValueFits(key, value) || SaltOf(value) + 1 != revision ||
              key != KeyOf(revision - 1);
    };
  };
  if (!engine->Scan(look(scanned)) || !engine->Range("", kFlipKeys * 2, look(ranged))) {
    return kReadError;
  }
  if (wrong) return kWrongValue;
  for (uint64_t n = 0; n < kFlipKeys; ++n) {
    if (!engine->Get(KeyOf(n))) return kMissing;
  }
  return scanned < kFlipKeys || ranged < kFlipKeys ? kMissing : kHarmless;
}

// Half of the flips choose a file first and half a byte of all, so that small files have their
// turn.
void FlipOneBit(const std::string& dir, std::mt19937_64& random) {
  std::vector<std::pair<std::string, uint64_t>> files;
  uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(dir)) {
    const std::string name = entry.path().filename();
    if (!entry.is_regular_file() || entry.file_size() == 0) continue;
    // These hold no data; the engines write or ignore them.
    if (name.starts_with("LOG") || name.starts_with("OPTIONS") || name == "IDENTITY" ||
        name == "lock.mdb") {
      continue;
    }
    files.emplace_back(entry.path(), entry.file_size());
    total += entry.file_size();
  }
  std::ranges::sort(files);
  if (random() % 2 == 0) {
    files = {files[random() % files.size()]};
    total = files[0].second;
  }
  uint64_t at = random() % std::max<uint64_t>(total, 1);
  for (const auto& [path, size] : files) {
    if (at >= size) {
      at -= size;
      continue;
    }
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    unsigned char byte = 0;
    if (pread(file, &byte, 1, static_cast<off_t>(at)) == 1) {
      byte ^= static_cast<unsigned char>(1u << random() % 8);
      if (pwrite(file, &byte, 1, static_cast<off_t>(at)) != 1) std::perror("flip");
    }
    close(file);
    return;
  }
}

struct FullResult {
  uint64_t acknowledged, lost_while_full, lost_after_reopen;
  bool failed_cleanly, reads_while_full, resumes_in_place, reopens_full, resumes_reopened;
};

uint64_t CountLost(Engine& engine, uint64_t acknowledged) {
  uint64_t lost = 0;
  for (uint64_t n = 0; n < acknowledged; ++n) {
    const auto value = engine.Get(KeyOf(n));
    lost += !value || !ValueFits(KeyOf(n), *value);
  }
  return lost;
}

Outcome PutOne(Engine& engine, uint64_t n) {
  const std::string key = KeyOf(n);
  const std::string value = ValueOf(key, n, kValueBytes);
  const Write write = {key, value, n + 1};
  return engine.Commit({&write, 1});
}

void FillDisk(const Setting& setting, const std::string& mount, FullResult& result) {
  const std::string dir = mount + "/data";
  const std::string ballast = mount + "/ballast";
  fs::create_directory(dir);
  if (FILE* file = std::fopen(ballast.c_str(), "w"); file != nullptr) {
    const std::string bytes(8 << 20, 'x');
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
  auto engine = MakeEngine(setting);
  if (!engine->Open(dir)) return;
  uint64_t n = 0;
  for (; n < 100'000; ++n) {
    if (auto put = PutOne(*engine, n); !put) {
      std::printf("# %s on a full disk: %s\n", kAdapter.name, put.error().c_str());
      break;
    }
  }
  result.acknowledged = n;
  result.failed_cleanly = n > 0 && n < 100'000;
  result.lost_while_full = CountLost(*engine, n);
  result.reads_while_full = result.lost_while_full == 0;
  engine.reset();
  engine = MakeEngine(setting);
  result.reopens_full = engine->Open(dir).has_value();
  engine.reset();
  engine = MakeEngine(setting);
  const bool opened = engine->Open(dir).has_value();
  while (opened && n < 100'000 && PutOne(*engine, n)) ++n;  // until it is full again
  fs::remove(ballast);
  // Background work of the engine may need a while to notice the room.
  const auto freed = Clock::now();
  while (opened && !result.resumes_in_place && SecondsSince(freed) < 15) {
    result.resumes_in_place = PutOne(*engine, n).has_value();
  }
  engine.reset();
  engine = MakeEngine(setting);
  if (auto open = engine->Open(dir); !open) {
    std::printf("# %s after a full disk: %s\n", kAdapter.name, open.error().c_str());
    result.lost_after_reopen = n;
    return;
  }
  result.lost_after_reopen = CountLost(*engine, n);
  result.resumes_reopened = PutOne(*engine, n + 10).has_value();
}

}  // namespace

bool KillPhase(const Setting& setting, Report& report) {
  constexpr uint64_t kWriters = 16;
  constexpr uint64_t kKeysEach = 50;
  constexpr int kCycles = 20;
  ScratchDir dir(setting.dir + "/kill");
  Shared<Acknowledged> acknowledged(kWriters * kKeysEach);
  Shared<Verdict> verdict;
  std::vector<double> opens;
  uint64_t lost = 0, revision = 0, repeated = 0;
  std::mt19937_64 random(7);
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const double seconds = 0.1 + 0.3 * static_cast<double>(random() % 1000) / 1000;
    InChildKilledAfter(seconds, [&] {
      auto engine = MakeEngine(setting);
      if (engine->Open(dir.path())) {
        WriteUntilKilled(*engine, revision, kWriters, kKeysEach, acknowledged);
      }
      return 1;
    });
    const int status = InChild([&] {
      auto engine = MakeEngine(setting);
      verdict[0] = Verify(*engine, dir.path(), kWriters * kKeysEach, acknowledged);
      return 0;
    });
    if (status != 0 || !verdict->opened) ++lost;
    lost += verdict->lost + verdict->wrong;
    for (uint64_t n = 0; n < kWriters * kKeysEach; ++n) {
      repeated += acknowledged[n].revision > verdict->last_revision;
    }
    revision = verdict->last_revision;
    opens.push_back(verdict->open_ms);
  }
  report.Figure(FigureName(setting, "kill_lost").c_str(), static_cast<double>(lost), "writes",
                static_cast<double>(lost) / static_cast<double>(revision), "acknowledged");
  report.Figure(FigureName(setting, "kill_revision_lost").c_str(), static_cast<double>(repeated),
                "revisions", static_cast<double>(repeated) / static_cast<double>(revision),
                "acknowledged");
  report.Figure(FigureName(setting, "kill_recovery").c_str(), Median(opens), "ms",
                std::ranges::max(opens) / Median(opens), "worst_to_median");
  return true;
}

bool FullDiskPhase(const Setting& setting, Report& report) {
  ScratchDir dir(setting.dir + "/full");
  if (mount("none", dir.path().c_str(), "tmpfs", 0, "size=48m") != 0) {
    std::printf("# full disk: not measured, mounting needs root\n");
    return true;
  }
  Shared<FullResult> result;
  const int status = InChild([&] {
    alarm(120);
    FillDisk(setting, dir.path(), result[0]);
    return 0;
  });
  umount(dir.path().c_str());
  const auto flag = [&](const char* metric, bool yes) {
    report.Figure(FigureName(setting, metric).c_str(), yes, "yes", yes, "wanted");
  };
  flag("full_survived", status == 0);
  flag("full_error_reported", result->failed_cleanly);
  flag("full_reads_served", result->reads_while_full);
  flag("full_reopens", result->reopens_full);
  flag("full_resumes_in_place", result->resumes_in_place);
  flag("full_resumes_after_reopen", result->resumes_reopened);
  report.Figure(FigureName(setting, "full_lost").c_str(),
                static_cast<double>(result->lost_while_full + result->lost_after_reopen), "writes",
                0, "acknowledged");
  return true;
}

bool BitFlipPhase(const Setting& setting, Report& report) {
  constexpr int kTrials = 150;
  constexpr struct {
    const char* label;
    size_t value_size;  // with small values most bytes are structure
    bool after_kill;
  } kCases[] = {
      {"flip", kValueBytes, false}, {"flip_small", 64, false}, {"flip_killed", kValueBytes, true}};
  for (const auto& one : kCases) {
    ScratchDir origin(setting.dir + "/flip");
    if (!BuildFlipData(setting, origin.path(), one.value_size, one.after_kill)) return false;
    int findings[kFindings] = {};
    std::mt19937_64 random(11);
    for (int i = 0; i < kTrials; ++i) {
      ScratchDir copy(setting.dir + "/flipped");
      fs::copy(origin.path(), copy.path(), fs::copy_options::recursive);
      FlipOneBit(copy.path(), random);
      const int status = InChild([&] { return Examine(setting, copy.path()); });
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : int{kCrashed};
      ++findings[code < kFindings ? code : kCrashed];
    }
    for (int i = 0; i < kFindings; ++i) {
      const std::string metric = std::string(one.label) + "_" + kFindingNames[i];
      report.Figure(FigureName(setting, metric).c_str(), findings[i], "trials",
                    static_cast<double>(findings[i]) / kTrials, "flips");
    }
  }
  return true;
}

}  // namespace skiff::bench::engines
