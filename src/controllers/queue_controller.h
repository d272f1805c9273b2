// What control loops are built with: a queue that informers feed, and the usual loop around one.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/work_queue.h"
#include "controllers/controller.h"

namespace skiff::controllers {

// After this time it is looked whether an informer shows what a loop has made: if it went again
// before a watch that had broken was back, nobody will tell.
inline constexpr Duration kUnseenDelay = std::chrono::seconds(10);

// What is done when an object changes; an empty one does nothing.
struct Reactions {
  std::function<void(const client::ObjectPtr& object)> added = {};
  std::function<void(const client::ObjectPtr& old, const client::ObjectPtr& object)> updated = {};
  std::function<void(const client::ObjectPtr& last)> deleted = {};
};

// A work queue that collects keys until every informer that it follows has synced, so that nobody
// acts on half of the state. Errors are logged, and their keys come back. The informers outlive it.
class InformedQueue {
 public:
  // Of the context, the executor, the log and the metrics are taken.
  InformedQueue(const ControllerContext& context, client::WorkQueueOptions options,
                client::WorkQueue::Reconcile reconcile);
  ~InformedQueue();
  InformedQueue(const InformedQueue&) = delete;
  InformedQueue& operator=(const InformedQueue&) = delete;

  // Before Start().
  void Follow(client::Informer& informer, Reactions reactions);
  // The key of every object that is added or changed.
  void FollowKeys(client::Informer& informer);

  void Start();
  void Stop();
  void Add(std::string key);
  void AddAfter(std::string key, Duration delay) { queue_.AddAfter(std::move(key), delay); }
  bool idle() const { return collected_.empty() && queue_.idle(); }
  Duration busy_for() const { return queue_.busy_for(); }

 private:
  struct Followed;

  Task<Result<void>> ReconcileAndTell(std::string key);
  void OpenWhenSynced();

  Executor& executor_;
  Log& log_;
  const std::string name_;
  client::WorkQueue::Reconcile reconcile_;
  std::vector<std::unique_ptr<Followed>> followed_;
  std::set<std::string> collected_;
  bool open_ = false;
  bool stopped_ = false;
  Executor::TimerId timer_ = {};
  client::WorkQueue queue_;
};

// A loop with one queue. Those that derive from it follow informers in their constructor.
class QueueController : public Controller {
 public:
  void Start() override { queue_.Start(); }
  void Stop() override { queue_.Stop(); }
  bool idle() const override { return queue_.idle(); }
  Duration busy_for() const override { return queue_.busy_for(); }

 protected:
  QueueController(ControllerContext context, client::WorkQueueOptions options);
  virtual Task<Result<void>> Reconcile(std::string key) = 0;

  ControllerContext context_;
  InformedQueue queue_;
};

// A loop that looks at everything, in rounds: the first when its informers have synced, each next
// one `period` after the last has ended. What fails is left to the next round.
class PeriodicController : public QueueController {
 public:
  void Start() override;
  // A round may have to do with every object of a large cluster, at the rate of the client.
  Duration step_bound() const override { return std::chrono::hours(1); }

 protected:
  PeriodicController(ControllerContext context, std::string name, Duration period);
  virtual Task<void> Round() = 0;

 private:
  Task<Result<void>> Reconcile(std::string key) final;

  const Duration period_;
};

}  // namespace skiff::controllers
