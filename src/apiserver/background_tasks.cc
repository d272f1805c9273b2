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
  thread_ = std::make_unique<Thread>("housekeeper", [this] { Run(); });
}

void BackgroundTasks::Trigger(size_t task) {
  std::lock_guard lock(mutex_);
  tasks_[task].asked = true;
  wake_.notify_all();
}

void BackgroundTasks::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_ != nullptr) thread_->Join();
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
