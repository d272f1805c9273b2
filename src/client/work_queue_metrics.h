// What queues of work tell of themselves: the metrics workqueue_*, one cell of each per queue.
//
// One object for all queues of a process. Any thread may collect; each queue tells on its executor.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"

namespace skiff::client {

class WorkQueueMetrics {
 public:
  // The cells of one queue, which outlive it.
  class Queue {
   public:
    void Added(const std::string& key, size_t depth);
    void Began(const std::string& key, size_t depth);
    void Ended(const std::string& key);
    void Retried() { retries_.Add(); }
    void Cleared();

   private:
    friend class WorkQueueMetrics;
    Queue(WorkQueueMetrics& all, std::string name, Clock& clock);
    // Seconds that keys have been seen to so far: of all of them, and the longest.
    std::pair<double, double> Running() const;

    const std::string name_;
    Clock& clock_;
    Gauge& depth_;
    Counter& adds_;
    Counter& retries_;
    Histogram& queue_duration_;
    Histogram& work_duration_;
    std::map<std::string, Duration> added_;
    mutable std::mutex mutex_;  // guards what follows
    std::map<std::string, Duration> begun_;
  };

  // The registry must outlive this object, and nothing may be collected once it is gone.
  explicit WorkQueueMetrics(MetricsRegistry& registry);
  WorkQueueMetrics(const WorkQueueMetrics&) = delete;
  WorkQueueMetrics& operator=(const WorkQueueMetrics&) = delete;

  // Queues of one name share the cells, not the object.
  std::shared_ptr<Queue> Add(std::string name, Clock& clock);

 private:
  friend class Queue;
  void Collect(const MetricsRegistry::Emit& emit, bool longest);

  GaugeFamily& depth_;
  CounterFamily& adds_;
  CounterFamily& retries_;
  HistogramFamily& queue_duration_;
  HistogramFamily& work_duration_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::weak_ptr<Queue>> queues_;
};

}  // namespace skiff::client
