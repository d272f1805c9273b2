#include "net/event_loop.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <sys/eventfd.h>

namespace skiff::net {
namespace {

thread_local const EventLoop* current_loop = nullptr;

std::unexpected<Status> SystemError(const char* call) {
  return Fail(StatusReason::kInternalError, std::string(call) + ": " + std::strerror(errno));
}

}  // namespace

Result<std::shared_ptr<EventLoop>> EventLoop::Create(Clock& clock) {
  std::shared_ptr<EventLoop> loop(new EventLoop(clock));
  loop->epoll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  if (!loop->epoll_) return SystemError("epoll_create1");
  loop->event_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!loop->event_) return SystemError("eventfd");
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (epoll_ctl(loop->epoll_.get(), EPOLL_CTL_ADD, loop->event_.get(), &event) != 0)
    return SystemError("epoll_ctl");
  return loop;
}

EventLoop::~EventLoop() {
  Stop();
  // A thread that adopted this loop must not take the next one at the same address for its own.
  if (InLoop()) current_loop = nullptr;
}

void EventLoop::Start(std::string name) {
  name_ = std::move(name);
  thread_ = std::make_unique<Thread>(name_, [this] { Run(); });
}

void EventLoop::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    Signal();
  }
  if (thread_ != nullptr && !InLoop()) thread_->Join();
  std::vector<Task> dropped;
  std::vector<std::shared_ptr<Sleeper>> asleep;
  std::lock_guard lock(mutex_);
  dropped.swap(posted_);
  asleep.swap(woken_);
}

bool EventLoop::InLoop() const { return current_loop == this; }

// The loop looks at what was posted before it waits, so its own thread need not write.
void EventLoop::Signal() {
  if (signalled_ || InLoop()) return;
  signalled_ = true;
  const uint64_t one = 1;
  [[maybe_unused]] auto written = write(event_.get(), &one, sizeof(one));
}

void EventLoop::Post(Task task) {
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  posted_.push_back(std::move(task));
  Signal();
}

void EventLoop::Wake(std::shared_ptr<Sleeper> sleeper) {
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  woken_.push_back(std::move(sleeper));
  Signal();
}

Result<void> EventLoop::Add(int fd, Watcher* watcher) {
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = watcher}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return SystemError("epoll_ctl");
  return {};
}

Result<void> EventLoop::AddShared(int fd, Watcher* watcher) {
  epoll_event event{.events = EPOLLIN | EPOLLET | EPOLLEXCLUSIVE, .data = {.ptr = watcher}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return SystemError("epoll_ctl");
  return {};
}

void EventLoop::Remove(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

EventLoop::TimerId EventLoop::AddTimer(Duration at, Task task) {
  TimerId id{at, next_timer_++};
  timers_.emplace(id, std::move(task));
  return id;
}

int EventLoop::WaitMilliseconds() const {
  const bool has_work = !turn_end_.empty() || !turn_end_now_.empty() || !running_.empty() ||
                        !waking_.empty() || !leaving_.empty() || !retired_.empty();
  if (has_work) return 0;
  if (timers_.empty()) return -1;
  // Rounded up: a timer is never early, and the loop does not spin before it.
  auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first -
                                                           clock_.Monotonic());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
}

// For events, unless some of the last wait are not given yet.
void EventLoop::Wait(int timeout_ms) {
  if (next_event_ < event_count_) return;
  next_event_ = 0;
  busy_since_.store(Clock::kForever.count(), std::memory_order_relaxed);
  const int count = epoll_wait(epoll_.get(), events_.data(), kEventsPerTurn, timeout_ms);
  event_count_ = static_cast<size_t>(std::max(count, 0));
}

void EventLoop::GiveEvents() {
  BeginPhase();
  while (next_event_ < event_count_) {
    const epoll_event& event = events_[next_event_++];
    // None: a signal. Its descriptor is edge-triggered, and its count of no use: never read.
    auto* watcher = static_cast<Watcher*>(event.data.ptr);
    if (watcher == nullptr) continue;
    watcher->OnEvents(event.events);
    if (overdue()) return;
  }
}

void EventLoop::RunPosted() {
  BeginPhase();
  if (running_.empty() && waking_.empty()) {
    std::lock_guard lock(mutex_);
    running_.swap(posted_);
    waking_.swap(woken_);
    signalled_ = false;
  }
  while (next_sleeper_ < waking_.size()) {
    waking_[next_sleeper_++]->OnWake();
    if (overdue() && next_sleeper_ < waking_.size()) return;
  }
  waking_.clear();
  next_sleeper_ = 0;
  while (next_task_ < running_.size()) {
    // What it holds ends with it, not with the last of them.
    Task task = std::move(running_[next_task_++]);
    task();
    if (overdue() && next_task_ < running_.size()) return;
  }
  running_.clear();
  next_task_ = 0;
}

void EventLoop::RunTimers() {
  BeginPhase();
  while (!timers_.empty() && timers_.begin()->first.first <= now_) {
    Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    task();
    if (overdue()) return;
  }
}

void EventLoop::RunTurnEnd() {
  BeginPhase();
  if (turn_end_now_.empty()) {
    turn_end_now_.swap(turn_end_);
    std::ranges::move(retired_, std::back_inserter(leaving_));
    retired_.clear();
  }
  while (next_turn_end_ < turn_end_now_.size()) {
    turn_end_now_[next_turn_end_++]->OnTurnEnd();
    if (overdue() && next_turn_end_ < turn_end_now_.size()) return;
  }
  turn_end_now_.clear();
  next_turn_end_ = 0;
  // Nothing refers any more to who was retired before these began, but events that still wait; and
  // to nobody who was retired at all if nobody has asked for the next end of a turn.
  if (next_event_ < event_count_) return;
  const auto gone = std::exchange(leaving_, {});
  const auto gone_too = turn_end_.empty() ? std::exchange(retired_, {}) : decltype(retired_)();
}

void EventLoop::AdoptThread() {
  current_loop = this;
  thread_number_.store(gettid(), std::memory_order_relaxed);
}

void EventLoop::Turn(int timeout_ms) {
  Wait(timeout_ms);
  now_ = clock_.Monotonic();
  busy_since_.store(now_.count(), std::memory_order_relaxed);
  GiveEvents();
  RunPosted();
  RunTimers();
  RunTurnEnd();
  phase_until_ = Clock::kForever;
}

void EventLoop::Run() {
  AdoptThread();
  for (;;) {
    int timeout = WaitMilliseconds();
    {
      std::lock_guard lock(mutex_);
      if (stopping_) break;
      if (!posted_.empty() || !woken_.empty()) timeout = 0;
    }
    Turn(timeout);
  }
  running_.clear();
  waking_.clear();
  turn_end_.clear();
  turn_end_now_.clear();
  leaving_.clear();
  retired_.clear();
  timers_.clear();
  busy_since_.store(Clock::kForever.count(), std::memory_order_relaxed);
  current_loop = nullptr;
}

}  // namespace skiff::net
