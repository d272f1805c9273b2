#include "client/work_queue.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/limits.h"
#include "client/work_queue_metrics.h"

namespace skiff::client {

// Held by the queue and by each task under way, which may end after the queue.
struct WorkQueue::Core : std::enable_shared_from_this<Core> {
  struct Later {
    Duration at;
    Executor::TimerId timer;
  };

  Core(Executor& on, WorkQueueOptions given, Reconcile work)
      : executor(on),
        options(std::move(given)),
        reconcile(std::move(work)),
        limiter(options.retry),
        metrics(options.metrics != nullptr ? options.metrics->Add(options.name, on.clock())
                                           : nullptr) {}

  void Add(std::string key) {
    if (stopped || !dirty.insert(key).second) return;
    if (metrics != nullptr) metrics->Added(key, ready.size() + (running.contains(key) ? 0 : 1));
    // One that is being seen to comes into the queue when that has ended.
    if (running.contains(key)) return;
    ready.push_back(std::move(key));
    Arrange();
  }

  void AddAfter(std::string key, Duration delay) {
    if (stopped) return;
    if (delay <= Duration::zero()) return Add(std::move(key));
    const Duration at = executor.clock().Monotonic() + delay;
    const auto [entry, fresh] = later.try_emplace(key);
    if (!fresh) {
      if (entry->second.at <= at) return;
      executor.Cancel(entry->second.timer);
    }
    entry->second.at = at;
    entry->second.timer =
        executor.After(delay, [weak = weak_from_this(), key = std::move(key)]() mutable {
          const std::shared_ptr<Core> core = weak.lock();
          if (core == nullptr || core->stopped) return;
          core->later.erase(key);
          core->Add(std::move(key));
        });
  }

  void AddLimited(std::string key) {
    if (stopped) return;
    if (metrics != nullptr) metrics->Retried();
    const Duration delay = limiter.Next(key, executor.clock().Monotonic());
    AddAfter(std::move(key), delay);
  }

  // Keys are begun in a turn of their own, never within Add().
  void Arrange() {
    if (arranged || stopped || ready.empty() || running.size() >= Workers()) return;
    arranged = true;
    executor.Post([self = shared_from_this()] {
      self->arranged = false;
      self->BeginSome();
    });
  }

  // Tasks that end at once would keep everything else of the executor waiting, so that only some
  // are begun in a turn.
  void BeginSome() {
    for (size_t begun = 0; begun < limits::kMaxKeysPerTurn; ++begun) {
      if (stopped || ready.empty() || running.size() >= Workers()) return;
      std::string key = std::move(ready.front());
      ready.pop_front();
      dirty.erase(key);
      running.emplace(key, executor.clock().Monotonic());
      if (metrics != nullptr) metrics->Began(key, ready.size());
      Task<Result<void>> task = reconcile(key);
      Detach<Result<void>>(std::move(task), [self = shared_from_this(),
                                             key = std::move(key)](Result<void> result) mutable {
        self->End(std::move(key), result.has_value());
      });
    }
    Arrange();
  }

  void End(std::string key, bool well) {
    running.erase(key);
    if (stopped) return;
    if (metrics != nullptr) metrics->Ended(key);
    if (dirty.contains(key)) ready.push_back(key);
    if (well || (options.max_retries != 0 && limiter.Failures(key) >= options.max_retries)) {
      limiter.Forget(key);
    } else {
      AddLimited(std::move(key));
    }
    Arrange();
  }

  void Stop() {
    if (stopped) return;
    stopped = true;
    for (const auto& [key, timer] : later) executor.Cancel(timer.timer);
    later.clear();
    ready.clear();
    dirty.clear();
    if (metrics != nullptr) metrics->Cleared();
  }

  size_t Workers() const { return static_cast<size_t>(std::max(options.workers, 1)); }

  Executor& executor;
  const WorkQueueOptions options;
  const Reconcile reconcile;
  RetryLimiter limiter;
  const std::shared_ptr<WorkQueueMetrics::Queue> metrics;
  std::deque<std::string> ready;
  std::set<std::string> dirty;              // added, and not begun since
  std::map<std::string, Duration> running;  // since when
  std::map<std::string, Later> later;
  bool arranged = false;
  bool stopped = false;
};

WorkQueue::WorkQueue(Executor& executor, WorkQueueOptions options, Reconcile reconcile)
    : core_(std::make_shared<Core>(executor, std::move(options), std::move(reconcile))) {}

WorkQueue::~WorkQueue() { Stop(); }

void WorkQueue::Add(std::string key) { core_->Add(std::move(key)); }
void WorkQueue::AddAfter(std::string key, Duration delay) {
  core_->AddAfter(std::move(key), delay);
}
void WorkQueue::AddLimited(std::string key) { core_->AddLimited(std::move(key)); }
uint32_t WorkQueue::failures(const std::string& key) const { return core_->limiter.Failures(key); }
void WorkQueue::Stop() { core_->Stop(); }
size_t WorkQueue::waiting() const { return core_->dirty.size(); }
size_t WorkQueue::delayed() const { return core_->later.size(); }
size_t WorkQueue::under_way() const { return core_->running.size(); }

Duration WorkQueue::busy_for() const {
  const Duration now = core_->executor.clock().Monotonic();
  Duration longest{};
  for (const auto& [key, begun] : core_->running) longest = std::max(longest, now - begun);
  return longest;
}

}  // namespace skiff::client
