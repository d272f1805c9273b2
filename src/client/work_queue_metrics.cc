#include "client/work_queue_metrics.h"

#include <algorithm>

namespace skiff::client {
namespace {

constexpr std::string_view kLabels[] = {"name"};
constexpr double kBuckets[] = {
    1e-08, 1e-07, 1e-06, 9.999999999999999e-06, 9.999999999999999e-05, 0.001, 0.01, 0.1, 1, 10};

constexpr MetricSpec kDepth{
    .name = "workqueue_depth", .help = "[ALPHA] Items that wait in a queue.", .labels = kLabels};
constexpr MetricSpec kAdds{.name = "workqueue_adds_total",
                           .help = "[ALPHA] Items that were put into a queue.",
                           .labels = kLabels};
constexpr MetricSpec kRetries{.name = "workqueue_retries_total",
                              .help = "[ALPHA] Items that came back to a queue after a failure.",
                              .labels = kLabels};
constexpr MetricSpec kQueueDuration{.name = "workqueue_queue_duration_seconds",
                                    .help = "[ALPHA] Seconds that an item waited in a queue.",
                                    .labels = kLabels,
                                    .buckets = kBuckets};
constexpr MetricSpec kWorkDuration{.name = "workqueue_work_duration_seconds",
                                   .help = "[ALPHA] Seconds that the work on an item took.",
                                   .labels = kLabels,
                                   .buckets = kBuckets};
constexpr MetricSpec kUnfinished{
    .name = "workqueue_unfinished_work_seconds",
    .help =
        "[ALPHA] Seconds spent so far on all items that are being worked on; what is stuck "
        "makes it grow.",
    .labels = kLabels};
constexpr MetricSpec kLongest{
    .name = "workqueue_longest_running_processor_seconds",
    .help = "[ALPHA] Seconds spent so far on the item that has been worked on longest.",
    .labels = kLabels};

double Seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

WorkQueueMetrics::WorkQueueMetrics(MetricsRegistry& registry)
    : depth_(registry.AddGauge(kDepth)),
      adds_(registry.AddCounter(kAdds)),
      retries_(registry.AddCounter(kRetries)),
      queue_duration_(registry.AddHistogram(kQueueDuration)),
      work_duration_(registry.AddHistogram(kWorkDuration)) {
  registry.AddCollected(kUnfinished, MetricKind::kGauge,
                        [this](const auto& emit) { Collect(emit, false); });
  registry.AddCollected(kLongest, MetricKind::kGauge,
                        [this](const auto& emit) { Collect(emit, true); });
}

std::shared_ptr<WorkQueueMetrics::Queue> WorkQueueMetrics::Add(std::string name, Clock& clock) {
  std::shared_ptr<Queue> queue(new Queue(*this, std::move(name), clock));
  std::lock_guard lock(mutex_);
  std::erase_if(queues_, [](const auto& other) { return other.expired(); });
  queues_.push_back(queue);
  return queue;
}

void WorkQueueMetrics::Collect(const MetricsRegistry::Emit& emit, bool longest) {
  std::map<std::string, std::pair<double, double>> by_name;
  {
    std::lock_guard lock(mutex_);
    for (const auto& weak : queues_) {
      const std::shared_ptr<Queue> queue = weak.lock();
      if (queue == nullptr) continue;
      const auto [sum, most] = queue->Running();
      auto& total = by_name[queue->name_];
      total.first += sum;
      total.second = std::max(total.second, most);
    }
  }
  for (const auto& [name, running] : by_name)
    emit({name}, longest ? running.second : running.first);
}

WorkQueueMetrics::Queue::Queue(WorkQueueMetrics& all, std::string name, Clock& clock)
    : name_(std::move(name)),
      clock_(clock),
      depth_(all.depth_.With({name_})),
      adds_(all.adds_.With({name_})),
      retries_(all.retries_.With({name_})),
      queue_duration_(all.queue_duration_.With({name_})),
      work_duration_(all.work_duration_.With({name_})) {}

void WorkQueueMetrics::Queue::Added(const std::string& key, size_t depth) {
  adds_.Add();
  depth_.Set(static_cast<double>(depth));
  added_.emplace(key, clock_.Monotonic());
}

void WorkQueueMetrics::Queue::Began(const std::string& key, size_t depth) {
  const Duration now = clock_.Monotonic();
  depth_.Set(static_cast<double>(depth));
  if (const auto found = added_.find(key); found != added_.end()) {
    queue_duration_.Observe(Seconds(now - found->second));
    added_.erase(found);
  }
  std::lock_guard lock(mutex_);
  begun_[key] = now;
}

void WorkQueueMetrics::Queue::Ended(const std::string& key) {
  std::lock_guard lock(mutex_);
  const auto found = begun_.find(key);
  if (found == begun_.end()) return;
  work_duration_.Observe(Seconds(clock_.Monotonic() - found->second));
  begun_.erase(found);
}

void WorkQueueMetrics::Queue::Cleared() {
  depth_.Set(0);
  added_.clear();
}

std::pair<double, double> WorkQueueMetrics::Queue::Running() const {
  const Duration now = clock_.Monotonic();
  std::pair<double, double> running{0, 0};
  std::lock_guard lock(mutex_);
  for (const auto& [key, since] : begun_) {
    const double seconds = Seconds(now - since);
    running.first += seconds;
    running.second = std::max(running.second, seconds);
  }
  return running;
}

}  // namespace skiff::client
