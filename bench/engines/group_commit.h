// Writers hand their operation to one committer, which commits whatever is queued as one batch.
#pragma once

#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <thread>

#include "bench/engines/engine.h"

namespace skiff::bench::engines {

class GroupCommitter {
 public:
  GroupCommitter(Engine& engine, uint64_t revision)
      : engine_(engine), revision_(revision), thread_([this] { Run(); }) {}

  ~GroupCommitter() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  // Returns when the write is on disk, with its revision, or when it failed.
  std::expected<uint64_t, std::string> Put(std::string_view key, std::string_view value) {
    Pending pending = {.write = {key, value}};
    {
      std::lock_guard lock(mutex_);
      queue_.push_back(&pending);
    }
    wake_.notify_one();
    pending.done.acquire();
    if (!pending.outcome) return std::unexpected(pending.outcome.error());
    return pending.write.revision;
  }

  // To be read when no Put is under way.
  uint64_t revision() const { return revision_; }
  uint64_t batches() const { return batches_; }

 private:
  struct Pending {
    Write write;
    Outcome outcome = {};
    std::binary_semaphore done{0};
  };

  void Run() {
    std::vector<Pending*> taken;
    std::vector<Write> writes;
    while (true) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
        if (queue_.empty()) return;
        taken.clear();
        taken.swap(queue_);
      }
      writes.clear();
      for (Pending* pending : taken) {
        pending->write.revision = ++revision_;
        writes.push_back(pending->write);
      }
      const Outcome outcome = engine_.Commit(writes);
      ++batches_;
      for (Pending* pending : taken) {
        pending->outcome = outcome;
        pending->done.release();
      }
    }
  }

  Engine& engine_;
  uint64_t revision_;
  uint64_t batches_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Pending*> queue_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace skiff::bench::engines
