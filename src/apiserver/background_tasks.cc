#include "apiserver/background_tasks.h"

#include <algorithm>
#include <utility>

namespace skiff::apiserver {

size_t BackgroundTasks::Add(Duration interval, std::function<void()> run) {
  Task& task = tasks_.emplace_back();
  task.interval = interval;
  task.run = std::move(run);
  if (interval.count() != 0) task.next = clock_.Monotonic() + interval;
  return tasks_.size() - 1;
}

void BackgroundTasks::Start() {
  thread_ = std::make_unique<Thread>("background", [this] { Run(); });
}

void BackgroundTasks::Trigger(size_t task) {
  std::lock_guard lock(mutex_);
  tasks_[task].asked = true;
  wake_.notify_all();
}

void BackgroundTasks::Post(Executor::Work work) {
  std::lock_guard lock(mutex_);
  posted_.push_back(std::move(work));
  wake_.notify_all();
}

void BackgroundTasks::RunPosted(std::unique_lock<std::mutex>& lock) {
  std::vector<Executor::Work> posted = std::exchange(posted_, {});
  lock.unlock();
  for (Executor::Work& work : posted) work();
  posted.clear();  // what they hold may end under no lock either
  lock.lock();
}

void BackgroundTasks::RunLeft() {
  std::unique_lock lock(mutex_);
  RunPosted(lock);
}

void BackgroundTasks::DropLeft() {
  std::vector<Executor::Work> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(posted_);
  }
}

void BackgroundTasks::Stop() {
  std::unique_lock lock(mutex_);
  if (std::exchange(stopped_, true)) return;
  stopping_ = true;
  wake_.notify_all();
  lock.unlock();
  if (thread_ != nullptr) thread_->Join();
  lock.lock();
  RunPosted(lock);
}

BackgroundTasks::Task* BackgroundTasks::Due() {
  const Duration now = clock_.Monotonic();
  for (Task& task : tasks_) {
    if (task.asked || task.next <= now) return &task;
  }
  return nullptr;
}

void BackgroundTasks::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!posted_.empty()) {
      RunPosted(lock);
      continue;
    }
    if (Task* task = Due(); task != nullptr) {
      task->asked = false;
      if (task->interval.count() != 0) task->next = clock_.Monotonic() + task->interval;
      lock.unlock();
      task->run();
      lock.lock();
      continue;
    }
    Duration next = Clock::kForever;
    for (const Task& task : tasks_) next = std::min(next, task.next);
    clock_.WaitUntil(wake_, lock, next);
  }
}

}  // namespace skiff::apiserver
