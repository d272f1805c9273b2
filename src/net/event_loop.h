// One thread that waits for many sockets, for timers and for what other threads hand it.
//
// A turn of the loop: wait; give events to their watchers; run what was posted and wake who was
// woken; run timers that are due; then let every watcher that asked for it work at the end of the
// turn. Connections write there, so that all that a turn made for a client leaves in one call.
//
// Each of these phases stops after limits::kLoopPhaseTime, and its rest waits for the next turn, so
// that however much there is to do, a turn is short and nobody waits for more than some of it. That
// bounds the many; one task that takes long keeps the loop, and long work has to be done in steps
// (base/work_budget.h). busy_since() tells others when a loop does not turn: see loop_watchdog.h.
//
// Descriptors are watched edge-triggered for reading and writing alike and registered once: a
// watcher reads until there is nothing, or remembers that there is more.
//
// All calls belong to the loop's thread, but for Post(), Wake(), Stop(), InLoop() and what
// watchdogs ask for. Held by shared_ptr, since responders that other threads keep may outlive the
// server.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/thread.h"
#include "net/unique_fd.h"

namespace skiff::net {

class EventLoop {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // `events` as of epoll(7).
    virtual void OnEvents(uint32_t events) = 0;
    virtual void OnTurnEnd() {}
  };
  // What Wake() wakes, on the loop.
  class Sleeper {
   public:
    virtual ~Sleeper() = default;
    virtual void OnWake() = 0;
  };
  using Task = std::move_only_function<void()>;
  using TimerId = std::pair<Duration, uint64_t>;

  // The clock must outlive the loop.
  static Result<std::shared_ptr<EventLoop>> Create(Clock& clock);
  ~EventLoop();

  // Starts the thread. Once.
  void Start(std::string name);
  // For tests and fuzzers, instead of Start(): the calling thread becomes the loop's, which then
  // runs one turn at a time, without waiting.
  void AdoptThread();
  void RunTurn() { Turn(0); }
  // Ends the thread after the current turn and waits for it, unless called on it. What was posted
  // and has not run is dropped.
  void Stop();

  // Any thread. Runs `task` on the loop, soon, in order; dropped when the loop has stopped.
  void Post(Task task);
  // Any thread. Cheaper than Post() and without a promise of order against it.
  void Wake(std::shared_ptr<Sleeper> sleeper);
  bool InLoop() const;

  Result<void> Add(int fd, Watcher* watcher);
  // A descriptor that other loops watch too, for reading: an event goes to one of those that wait.
  Result<void> AddShared(int fd, Watcher* watcher);
  void Remove(int fd);
  // OnTurnEnd() at the end of this turn, or of a later one: if asked for during it, or if those who
  // asked before take all of its time. Who is to be retired asks again only once it was called.
  void AtTurnEnd(Watcher* watcher) { turn_end_.push_back(watcher); }
  // Destroys it when nothing of the loop can refer to it any more. Its timers must be cancelled.
  void Retire(std::unique_ptr<Watcher> watcher) { retired_.push_back(std::move(watcher)); }

  // Runs `task` once Monotonic() has reached `at`.
  TimerId AddTimer(Duration at, Task task);
  void CancelTimer(TimerId id) { timers_.erase(id); }

  // The time when this turn began.
  Duration now() const { return now_; }
  // Whether this phase of the turn has had its time: what can wait should. Never between turns.
  bool overdue() { return clock_.Monotonic() >= phase_until_; }
  Clock& clock() { return clock_; }

  // Any thread, as those that follow. When the turn began that is under way; kForever while the
  // loop waits.
  Duration busy_since() const { return Duration(busy_since_.load(std::memory_order_relaxed)); }
  // For how long it has been busy with one turn.
  Duration busy_for(Duration now) const {
    const Duration since = busy_since();
    return since < now ? now - since : Duration::zero();
  }
  // As given to Start(); and its thread, as the kernel numbers it, 0 before it runs.
  const std::string& name() const { return name_; }
  pid_t thread_number() const { return thread_number_.load(std::memory_order_relaxed); }

 private:
  explicit EventLoop(Clock& clock) : clock_(clock), now_(clock.Monotonic()) {}
  // Events that one wait fetches.
  static constexpr size_t kEventsPerTurn = 256;

  void Run();
  void Turn(int timeout_ms);
  void Signal();
  int WaitMilliseconds() const;
  void BeginPhase() { phase_until_ = clock_.Monotonic() + limits::kLoopPhaseTime; }
  void Wait(int timeout_ms);
  void GiveEvents();
  void RunPosted();
  void RunTimers();
  void RunTurnEnd();

  Clock& clock_;
  Duration now_;
  Duration phase_until_ = Clock::kForever;
  std::string name_;
  std::atomic<int64_t> busy_since_{Clock::kForever.count()};
  std::atomic<pid_t> thread_number_{0};
  UniqueFd epoll_;
  UniqueFd event_;
  std::array<epoll_event, kEventsPerTurn> events_;  // from next_event_ on not given yet
  size_t event_count_ = 0;
  size_t next_event_ = 0;
  std::unique_ptr<Thread> thread_;
  std::map<TimerId, Task> timers_;
  uint64_t next_timer_ = 0;
  std::vector<Watcher*> turn_end_;
  std::vector<Watcher*> turn_end_now_;  // from next_turn_end_ on not run yet
  size_t next_turn_end_ = 0;
  std::vector<std::unique_ptr<Watcher>> retired_;
  std::vector<std::unique_ptr<Watcher>> leaving_;  // retired before turn_end_now_ was made

  std::mutex mutex_;  // guards what follows
  std::vector<Task> posted_;
  std::vector<std::shared_ptr<Sleeper>> woken_;
  bool signalled_ = false;
  bool stopping_ = false;
  // Swapped with the above, to keep their memory; what is not run yet begins at the numbers.
  std::vector<Task> running_;
  std::vector<std::shared_ptr<Sleeper>> waking_;
  size_t next_task_ = 0;
  size_t next_sleeper_ = 0;
};

}  // namespace skiff::net
