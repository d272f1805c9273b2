// One thread that waits for many sockets, for timers and for what other threads hand it.
//
// A turn of the loop: wait; give events to their watchers; run what was posted and wake who was
// woken; run timers that are due; then let every watcher that asked for it work at the end of the
// turn. Connections write there, so that all that a turn made for a client leaves in one call.
//
// Descriptors are watched edge-triggered for reading and writing alike and registered once: a
// watcher reads until there is nothing, or remembers that there is more.
//
// All calls belong to the loop's thread, but for Post(), Wake(), Stop() and InLoop(). Held by
// shared_ptr, since responders that other threads keep may outlive the server.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/thread.h"
#include "net/unique_fd.h"

namespace skiff {

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
  void Remove(int fd);
  // OnTurnEnd() at the end of this turn; at the end of the next one if asked for during it. Callers
  // ask once a turn.
  void AtTurnEnd(Watcher* watcher) { turn_end_.push_back(watcher); }
  // Destroys it when nothing of this turn can refer to it any more. Its timers must be cancelled.
  void Retire(std::unique_ptr<Watcher> watcher) { retired_.push_back(std::move(watcher)); }

  // Runs `task` once Monotonic() has reached `at`.
  TimerId AddTimer(Duration at, Task task);
  void CancelTimer(TimerId id) { timers_.erase(id); }

  // The time when this turn began.
  Duration now() const { return now_; }
  Clock& clock() { return clock_; }

 private:
  explicit EventLoop(Clock& clock) : clock_(clock), now_(clock.Monotonic()) {}
  void Run();
  void Turn(int timeout_ms);
  void Signal();
  int WaitMilliseconds() const;
  void RunPosted();
  void RunTimers();
  void RunTurnEnd();

  Clock& clock_;
  Duration now_;
  UniqueFd epoll_;
  UniqueFd event_;
  std::unique_ptr<Thread> thread_;
  std::map<TimerId, Task> timers_;
  uint64_t next_timer_ = 0;
  std::vector<Watcher*> turn_end_;
  std::vector<Watcher*> turn_end_now_;
  std::vector<std::unique_ptr<Watcher>> retired_;
  std::vector<std::unique_ptr<Watcher>> leaving_;  // retired in the turn before

  std::mutex mutex_;  // guards what follows
  std::vector<Task> posted_;
  std::vector<std::shared_ptr<Sleeper>> woken_;
  bool signalled_ = false;
  bool stopping_ = false;
  // Swapped with the above, to keep their memory.
  std::vector<Task> running_;
  std::vector<std::shared_ptr<Sleeper>> waking_;
};

}  // namespace skiff
