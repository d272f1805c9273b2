// The baton: of all threads of a simulation exactly one runs at a time, who runs next is drawn from
// the seed, and time moves only when nobody can run. So a run of code that uses threads, mutexes
// and condition variables is a function of the seed alone.
//
// The code under test is not aware of it. The executable defines the functions through which
// threads wait for each other (interpose.cc), and they come here when they are called by a thread
// of the simulation; other threads get what the C library has. Real mutexes are really locked, so
// that they can be used by both.
//
// A thread may be taken off only where it calls one of these functions: what a data race does is
// not simulated (ThreadSanitizer looks for those).
//
// There is one scheduler in a process, or none. Whoever constructs it becomes its first thread, and
// destroys it when all others have ended.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"

namespace skiff::sim {

struct SimThread;

struct SchedulerOptions {
  uint64_t seed = 0;
  // One in so many calls that could let another thread run does; zero: only those that must.
  uint32_t switch_one_in = 0;
  // Switches and wake-ups before the run is taken for one that does not end.
  uint64_t max_steps = 50'000'000;
  // Told why the run cannot go on; must not return.
  std::function<void(const std::string& why)> on_stuck = {};
};

class Scheduler {
 public:
  explicit Scheduler(SchedulerOptions options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Null outside of simulations, and for threads that are not part of one.
  static Scheduler* OfThisThread();

  Duration now() const { return now_; }
  uint64_t steps() const { return steps_; }
  // All that was decided so far, in one number.
  uint64_t trace() const { return trace_; }
  // Adds something that happened to the trace.
  void Note(uint64_t what);
  void SleepUntil(Duration deadline);

  // What interpose.cc calls, on threads of the simulation.
  void MayYield();
  int Lock(pthread_mutex_t* mutex);
  int Unlock(pthread_mutex_t* mutex);
  int LockShared(pthread_rwlock_t* lock);
  int LockExclusive(pthread_rwlock_t* lock);
  int UnlockEither(pthread_rwlock_t* lock);
  // False: the deadline has come.
  bool Wait(pthread_cond_t* condition, pthread_mutex_t* mutex, Duration deadline);
  void WakeOne(const void* what);
  void WakeAll(const void* what);
  // Until somebody wakes it, or the deadline: then false.
  bool Block(const void* what, Duration deadline = Clock::kForever);
  int Create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
             void* argument);
  int Join(pthread_t handle, void** result);
  void NameThisThread(std::string name);

 private:
  friend struct SimThread;
  static void* Lend(void* thread);
  static void RunBorrowed();
  [[noreturn]] void Ended(SimThread& thread);
  void MakeRunnable(SimThread& thread, bool timed_out);
  void GiveAway();
  SimThread& Choose();
  void PassTimeUntilSomebodyCanRun();
  void CountStep();
  [[noreturn]] void Stuck(const std::string& why);
  std::string Describe() const;

  const SchedulerOptions options_;
  SeededRandom random_;
  Duration now_{0};
  uint64_t steps_ = 0;
  uint64_t trace_ = 0xcbf29ce484222325;
  uint32_t next_id_ = 0;
  std::vector<std::unique_ptr<SimThread>> threads_;  // that have not been joined
  std::vector<SimThread*> runnable_;
  std::unordered_map<const void*, std::vector<SimThread*>> waiting_;
  std::set<std::pair<Duration, SimThread*>,
           bool (*)(const std::pair<Duration, SimThread*>&, const std::pair<Duration, SimThread*>&)>
      timers_;
};

// The machine's clock in a simulation: as the scheduler says, with a wall clock that jumps when it
// is told. A process has one.
class SimClock final : public Clock {
 public:
  explicit SimClock(Scheduler& scheduler) : scheduler_(scheduler) {}
  Duration Monotonic() override;
  Duration Wall() override;
  void WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                 Duration deadline) override;
  void JumpWall(Duration by) { wall_offset_ += by; }

 private:
  Scheduler& scheduler_;
  Duration wall_offset_{std::chrono::seconds(1'700'000'000)};
};

// The functions of the C library, for the scheduler itself.
struct RealCalls {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*join)(pthread_t, void**);
  int (*mutex_trylock)(pthread_mutex_t*);
  int (*mutex_unlock)(pthread_mutex_t*);
  int (*rwlock_tryrdlock)(pthread_rwlock_t*);
  int (*rwlock_trywrlock)(pthread_rwlock_t*);
  int (*rwlock_unlock)(pthread_rwlock_t*);
};
const RealCalls& Real();

}  // namespace skiff::sim
