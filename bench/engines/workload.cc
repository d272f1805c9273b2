#include "bench/engines/workload.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <sys/wait.h>

#include "bench/report.h"

namespace skiff::bench::engines {
namespace {

namespace fs = std::filesystem;
constexpr size_t kHeadBytes = 16;  // hash of the key, salt

uint64_t Mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}

uint64_t HashOf(std::string_view key) {
  uint64_t hash = key.size();
  for (const char c : key) hash = Mix(hash ^ static_cast<unsigned char>(c));
  return hash;
}

constexpr std::string_view kWords[] = {"f:metadata ",  "f:labels ",
                                       "f:spec ",      "kube-controller-manager ",
                                       "containers ",  "image ",
                                       "Always ",      "resources ",
                                       "limits ",      "cpu ",
                                       "memory ",      "ownerRefs ",
                                       "conditions ",  "lastTransitionTime ",
                                       "Ready ",       "True ",
                                       "app.k8s.io/ ", "v1 ",
                                       "FieldsV1 ",    "volumeMounts "};

void Fill(uint64_t state, std::string* out, size_t size) {
  while (out->size() < size) {
    state = Mix(state + 1);
    out->append(kWords[state % std::size(kWords)]);
    // Names, identifiers and times do not repeat.
    if (state >> 62 == 0) out->append(reinterpret_cast<const char*>(&state), 8);
  }
  out->resize(size);
}

std::string Generate(uint64_t hash, uint64_t salt, size_t size) {
  std::string value(kHeadBytes, '\0');
  std::memcpy(value.data(), &hash, 8);
  std::memcpy(value.data() + 8, &salt, 8);
  value.reserve(size + 32);
  Fill(hash ^ salt, &value, std::max(size, kHeadBytes));
  return value;
}

void KillSelfAfter(double seconds) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer = {};
  itimerspec at = {};
  at.it_value.tv_sec = static_cast<time_t>(seconds);
  at.it_value.tv_nsec =
      static_cast<long>((seconds - static_cast<double>(at.it_value.tv_sec)) * 1e9);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      timer_settime(timer, 0, &at, nullptr) != 0) {
    std::abort();
  }
}

double StatusFigure(const char* name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name)) return std::strtod(line.c_str() + std::strlen(name) + 1, nullptr);
  }
  return 0;
}

}  // namespace

std::string KeyOf(uint64_t n) {
  char text[64];
  std::snprintf(text, sizeof(text), "/registry/pods/team-%03u/web-%010llu",
                static_cast<unsigned>(Mix(n) % 500), static_cast<unsigned long long>(n));
  return text;
}

std::string ValueOf(std::string_view key, uint64_t salt, size_t size) {
  return Generate(HashOf(key), salt, size);
}

uint64_t SaltOf(std::string_view value) {
  uint64_t salt = 0;
  if (value.size() >= kHeadBytes) std::memcpy(&salt, value.data() + 8, 8);
  return salt;
}

bool ValueFits(std::string_view key, std::string_view value) {
  return value.size() >= kHeadBytes && Generate(HashOf(key), SaltOf(value), value.size()) == value;
}

ScratchDir::ScratchDir(std::string path) : path_(std::move(path)) {
  fs::remove_all(path_);
  fs::create_directories(path_);
}
ScratchDir::~ScratchDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

uint64_t DirBytes(const std::string& dir) {
  uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir)) {
    struct stat info;
    if (lstat(entry.path().c_str(), &info) == 0)
      bytes += static_cast<uint64_t>(info.st_blocks) * 512;
  }
  return bytes;
}

void DropFileCache(const std::string& dir) {
  for (const auto& entry : fs::recursive_directory_iterator(dir)) {
    const int file = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    fdatasync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
  }
}

Written WrittenBytes() {
  Written written = {};
  std::ifstream in("/proc/self/io");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("wchar:")) written.issued = std::strtoull(line.c_str() + 6, nullptr, 10);
    if (line.starts_with("write_bytes:")) {
      written.dirtied = std::strtoull(line.c_str() + 12, nullptr, 10);
    }
  }
  return written;
}

Memory ResidentMemory() {
  return {StatusFigure("RssAnon:") / 1024,
          (StatusFigure("RssFile:") + StatusFigure("RssShmem:")) / 1024};
}

double SyncRate(const std::string& dir, bool grow, double seconds) {
  const std::string path = dir + "/sync_rate";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  constexpr size_t kBytes = 2048;
  constexpr size_t kAhead = 4 << 20;
  const std::string block(kBytes, 'x');
  const std::string ahead(kAhead, '\0');
  bool good = file >= 0;
  if (good && !grow) good = pwrite(file, ahead.data(), kAhead, 0) == kAhead && fsync(file) == 0;
  size_t at = 0;
  size_t syncs = 0;
  const auto start = Clock::now();
  while (good && SecondsSince(start) < seconds) {
    good = pwrite(file, block.data(), kBytes, static_cast<off_t>(at)) == kBytes &&
           fdatasync(file) == 0;
    at += kBytes;
    if (!grow) at %= kAhead;
    ++syncs;
  }
  const double rate = static_cast<double>(syncs) / SecondsSince(start);
  close(file);
  fs::remove(path);
  return good ? rate : 0;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

int InChildKilledAfter(double seconds, const std::function<int()>& work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (seconds > 0) KillSelfAfter(seconds);
    const int code = work();
    std::fflush(stdout);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int InChild(const std::function<int()>& work) { return InChildKilledAfter(0, work); }

}  // namespace skiff::bench::engines
