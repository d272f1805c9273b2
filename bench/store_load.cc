#include "bench/store_load.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <semaphore>

#include "base/random.h"
#include "bench/report.h"

namespace skiff::bench {
namespace {

[[noreturn]] void Die(const char* what, const std::string& why) {
  std::fprintf(stderr, "bench: %s: %s\n", what, why.c_str());
  std::exit(1);
}

// One load that is running. Answers come on the store's thread and start the next commit there.
class Runner {
 public:
  Runner(store::Store& store, const Load& load)
      : store_(store), load_(load), next_(load.first), value_(MakeValue(load.value_bytes, 1)) {}

  LoadResult Run() {
    start_ = Clock::now();
    for (size_t i = 0; i < load_.in_flight; ++i) Next();
    for (size_t i = 0; i < load_.in_flight; ++i) ended_.acquire();
    return {commits_.load(), SecondsSince(start_)};
  }

 private:
  void Next() {
    char name[24];
    std::snprintf(name, sizeof name, "%012llu",
                  static_cast<unsigned long long>(next_.fetch_add(1)));
    store_.Commit(store::Transaction::CreateIfAbsent(load_.prefix + name, value_),
                  [this](Result<store::CommitReply> reply) { Answered(std::move(reply)); });
  }
  void Answered(Result<store::CommitReply> reply) {
    if (!reply) Die("commit", reply.error().ToString());
    if (!reply->succeeded) Die("commit", "the key exists");
    commits_.fetch_add(1);
    if (SecondsSince(start_) < load_.seconds) return Next();
    ended_.release();
  }

  store::Store& store_;
  const Load& load_;
  std::atomic<uint64_t> next_;
  const SharedBytes value_;
  std::atomic<uint64_t> commits_ = 0;
  std::counting_semaphore<> ended_{0};
  Clock::time_point start_;
};

}  // namespace

LoadResult CreateKeys(store::Store& store, const Load& load) { return Runner(store, load).Run(); }

double SyncRate(const std::string& directory, size_t bytes, double seconds) {
  const std::string path = directory + "/sync-rate";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) Die("open", path);
  const SharedBytes block = MakeValue(bytes, 2);
  const auto start = Clock::now();
  uint64_t syncs = 0;
  for (; SecondsSince(start) < seconds; ++syncs) {
    const ssize_t written = write(file, block.view().data(), bytes);
    if (written != static_cast<ssize_t>(bytes) || fdatasync(file) != 0) Die("write", path);
  }
  const double rate = static_cast<double>(syncs) / SecondsSince(start);
  close(file);
  unlink(path.c_str());
  return rate;
}

SharedBytes MakeValue(size_t bytes, uint64_t seed) {
  SeededRandom random(seed);
  return SharedBytes::Make(bytes, [&](char* out) {
    for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>('0' + random.Next() % 64);
  });
}

}  // namespace skiff::bench
