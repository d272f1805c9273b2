#include "net/event_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <sys/epoll.h>
#include <sys/eventfd.h>

namespace skiff {
namespace {

// Events that one wait fetches.
constexpr int kEventsPerTurn = 256;

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
  thread_ = std::make_unique<Thread>(std::move(name), [this] { Run(); });
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

void EventLoop::Remove(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

EventLoop::TimerId EventLoop::AddTimer(Duration at, Task task) {
  TimerId id{at, next_timer_++};
  timers_.emplace(id, std::move(task));
  return id;
}

int EventLoop::WaitMilliseconds() const {
  if (!turn_end_.empty() || !leaving_.empty()) return 0;
  if (timers_.empty()) return -1;
  // Rounded up: a timer is never early, and the loop does not spin before it.
  auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first -
                                                           clock_.Monotonic());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
}

void EventLoop::RunPosted() {
  {
    std::lock_guard lock(mutex_);
    running_.swap(posted_);
    waking_.swap(woken_);
    signalled_ = false;
  }
  for (const auto& sleeper : waking_) sleeper->OnWake();
  waking_.clear();
  for (Task& task : running_) task();
  running_.clear();
}

void EventLoop::RunTimers() {
  while (!timers_.empty() && timers_.begin()->first.first <= now_) {
    Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    task();
  }
}

void EventLoop::RunTurnEnd() {
  turn_end_now_.swap(turn_end_);
  for (Watcher* watcher : turn_end_now_) watcher->OnTurnEnd();
  turn_end_now_.clear();
  // Whoever asked for the end of the next turn and was retired then must live until that is over.
  auto gone = std::exchange(leaving_, std::exchange(retired_, {}));
  if (turn_end_.empty()) leaving_.clear();
}

void EventLoop::AdoptThread() { current_loop = this; }

void EventLoop::Turn(int timeout_ms) {
  std::array<epoll_event, kEventsPerTurn> events;
  const int count = epoll_wait(epoll_.get(), events.data(), kEventsPerTurn, timeout_ms);
  now_ = clock_.Monotonic();
  for (int i = 0; i < count; ++i) {
    // None: a signal. Its descriptor is edge-triggered, and its count of no use: never read.
    auto* watcher = static_cast<Watcher*>(events[i].data.ptr);
    if (watcher != nullptr) watcher->OnEvents(events[i].events);
  }
  RunPosted();
  RunTimers();
  RunTurnEnd();
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
  turn_end_.clear();
  leaving_.clear();
  retired_.clear();
  timers_.clear();
  current_loop = nullptr;
}

}  // namespace skiff
