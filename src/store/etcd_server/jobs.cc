#include "store/etcd_server/jobs.h"

#include <utility>

#include "base/limits.h"

namespace skiff::store {

JobThread::JobThread() {
  thread_.emplace("etcd-jobs", [this] { Work(); });
}

bool JobThread::Submit(std::function<void()> job) {
  std::lock_guard lock(mutex_);
  if (stopping_ || queue_.size() >= limits::kMaxEtcdServerJobs) return false;
  queue_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

void JobThread::Stop() {
  std::deque<std::function<void()>> dropped;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
    wake_.notify_one();
  }
  thread_.reset();
}

void JobThread::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const std::function<void()> job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace skiff::store
