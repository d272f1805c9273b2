// Background tasks of a server: one thread for the small things that it does beside requests, when
// others ask for them or periodically.
//
// Owner: the server. Tasks run one at a time; they may wait for nothing.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/thread.h"

namespace skiff::apiserver {

class BackgroundTasks {
 public:
  explicit BackgroundTasks(Clock& clock) : clock_(clock) {}
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;
  ~BackgroundTasks() { Stop(); }

  // Before Start(). Returns the number of the task, for Trigger(). Zero as an interval: only when
  // triggered.
  size_t Add(Duration interval, std::function<void()> run);
  void Start();
  // Any thread, under locks too: runs the task soon, once however often it is triggered.
  void Trigger(size_t task);
  // Any thread, under locks too: runs the work soon, under none.
  void Post(Executor::Work work);
  // Waits for the task at hand, and runs what was posted and has not been run.
  void Stop();
  // After Stop(), for the owner: what has been posted since. It runs as long as all is there
  // that it refers to, and is dropped when it is not.
  void RunLeft();
  void DropLeft();

 private:
  struct Task {
    Duration interval;
    std::function<void()> run;
    bool asked = false;
    Duration next = Clock::kForever;
  };
  void Run();
  // The next task that is due; null if none is.
  Task* Due();
  // With the lock, which it lets go of meanwhile.
  void RunPosted(std::unique_lock<std::mutex>& lock);

  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Task> tasks_;
  std::vector<Executor::Work> posted_;
  bool stopping_ = false;
  bool stopped_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff::apiserver
