#include "tests/sim/scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace skiff::sim {

// A thread waits at its gate whenever it has not got the baton.
struct SimThread {
  Scheduler* scheduler = nullptr;
  uint32_t id = 0;
  pthread_t handle = {};
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
  std::atomic<uint32_t> gate{0};
  const void* waits_for = nullptr;
  Duration deadline = Clock::kForever;
  bool blocked = false;
  bool timed_out = false;
  bool ended = false;

  void WaitAtGate() {
    while (gate.load(std::memory_order_acquire) == 0) {
      syscall(SYS_futex, &gate, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
    gate.store(0, std::memory_order_relaxed);
  }
  void OpenGate() {
    gate.store(1, std::memory_order_release);
    syscall(SYS_futex, &gate, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
};

namespace {

thread_local SimThread* self = nullptr;
thread_local Scheduler* current = nullptr;

bool Earlier(const std::pair<Duration, SimThread*>& a, const std::pair<Duration, SimThread*>& b) {
  return std::pair(a.first, a.second->id) < std::pair(b.first, b.second->id);
}

// Destructors of thread_local objects run before those of keys, so that a thread keeps the baton
// until nothing of ours is left to run on it.
pthread_key_t LeaveKey(void (*leave)(void*)) {
  static const pthread_key_t key = [leave] {
    pthread_key_t made;
    if (pthread_key_create(&made, leave) != 0) std::abort();
    return made;
  }();
  return key;
}

}  // namespace

Scheduler::Scheduler(SchedulerOptions options)
    : options_(std::move(options)), random_(options_.seed), timers_(&Earlier) {
  LeaveKey(&Scheduler::Leave);
  auto first = std::make_unique<SimThread>();
  first->scheduler = this;
  first->id = next_id_++;
  first->handle = pthread_self();
  runnable_.push_back(first.get());
  self = first.get();
  threads_.push_back(std::move(first));
  current = this;
}

Scheduler::~Scheduler() {
  current = nullptr;
  self = nullptr;
  if (threads_.size() != 1) std::abort();
}

Scheduler* Scheduler::OfThisThread() { return current; }

void Scheduler::Note(uint64_t what) {
  trace_ = (trace_ ^ what) * 0x100000001b3;
  trace_ ^= trace_ >> 29;
}

void Scheduler::CountStep() {
  if (++steps_ > options_.max_steps) Stuck("the run does not come to an end");
}

SimThread& Scheduler::Choose() {
  CountStep();
  SimThread& next = *runnable_[runnable_.size() == 1 ? 0 : random_.Uniform(runnable_.size())];
  Note(next.id);
  return next;
}

// Hands the baton to somebody, and returns when it has come back.
void Scheduler::GiveAway() {
  SimThread& me = *self;
  SimThread& next = Choose();
  if (&next == &me) return;
  next.OpenGate();
  me.WaitAtGate();
}

void Scheduler::MayYield() {
  if (options_.switch_one_in == 0 || runnable_.size() < 2) return;
  if (random_.Uniform(options_.switch_one_in) == 0) GiveAway();
}

void Scheduler::MakeRunnable(SimThread& thread, bool timed_out) {
  if (thread.deadline != Clock::kForever) timers_.erase({thread.deadline, &thread});
  thread.blocked = false;
  thread.timed_out = timed_out;
  runnable_.push_back(&thread);
}

void Scheduler::PassTimeUntilSomebodyCanRun() {
  while (runnable_.empty()) {
    if (timers_.empty()) Stuck("every thread waits for another");
    const auto [deadline, thread] = *timers_.begin();
    if (deadline > now_) {
      now_ = deadline;
      Note(static_cast<uint64_t>(now_.count()));
    }
    auto waiters = waiting_.find(thread->waits_for);
    std::erase(waiters->second, thread);
    if (waiters->second.empty()) waiting_.erase(waiters);
    MakeRunnable(*thread, true);
  }
}

bool Scheduler::Block(const void* what, Duration deadline) {
  SimThread& me = *self;
  me.waits_for = what;
  me.deadline = deadline;
  me.blocked = true;
  waiting_[what].push_back(&me);
  if (deadline != Clock::kForever) timers_.emplace(deadline, &me);
  std::erase(runnable_, &me);
  if (runnable_.empty()) PassTimeUntilSomebodyCanRun();
  GiveAway();
  return !me.timed_out;
}

void Scheduler::WakeOne(const void* what) {
  const auto at = waiting_.find(what);
  if (at == waiting_.end()) return;
  std::vector<SimThread*>& waiters = at->second;
  const size_t chosen = waiters.size() == 1 ? 0 : random_.Uniform(waiters.size());
  SimThread* thread = waiters[chosen];
  waiters.erase(waiters.begin() + static_cast<ptrdiff_t>(chosen));
  if (waiters.empty()) waiting_.erase(at);
  MakeRunnable(*thread, false);
}

void Scheduler::WakeAll(const void* what) {
  const auto at = waiting_.find(what);
  if (at == waiting_.end()) return;
  const std::vector<SimThread*> waiters = std::move(at->second);
  waiting_.erase(at);
  for (SimThread* thread : waiters) MakeRunnable(*thread, false);
}

void Scheduler::SleepUntil(Duration deadline) {
  // Nobody wakes the thread itself.
  while (now_ < deadline) Block(self, deadline);
}

int Scheduler::Lock(pthread_mutex_t* mutex) {
  MayYield();
  int result;
  while ((result = Real().mutex_trylock(mutex)) == EBUSY) Block(mutex);
  return result;
}

int Scheduler::Unlock(pthread_mutex_t* mutex) {
  const int result = Real().mutex_unlock(mutex);
  WakeOne(mutex);
  MayYield();
  return result;
}

int Scheduler::LockShared(pthread_rwlock_t* lock) {
  MayYield();
  int result;
  while ((result = Real().rwlock_tryrdlock(lock)) == EBUSY) Block(lock);
  return result;
}

int Scheduler::LockExclusive(pthread_rwlock_t* lock) {
  MayYield();
  int result;
  while ((result = Real().rwlock_trywrlock(lock)) == EBUSY) Block(lock);
  return result;
}

int Scheduler::UnlockEither(pthread_rwlock_t* lock) {
  const int result = Real().rwlock_unlock(lock);
  WakeAll(lock);
  return result;
}

bool Scheduler::Wait(pthread_cond_t* condition, pthread_mutex_t* mutex, Duration deadline) {
  Real().mutex_unlock(mutex);
  WakeOne(mutex);
  const bool woken = now_ < deadline && Block(condition, deadline);
  while (Real().mutex_trylock(mutex) == EBUSY) Block(mutex);
  return woken;
}

void* Scheduler::Enter(void* started) {
  auto* thread = static_cast<SimThread*>(started);
  self = thread;
  current = thread->scheduler;
  pthread_setspecific(LeaveKey(nullptr), thread);
  thread->WaitAtGate();
  return thread->body(thread->argument);
}

void Scheduler::Leave(void* thread) {
  auto* ending = static_cast<SimThread*>(thread);
  ending->scheduler->Ended(*ending);
}

void Scheduler::Ended(SimThread& thread) {
  thread.ended = true;
  WakeAll(&thread);
  std::erase(runnable_, &thread);
  if (runnable_.empty()) PassTimeUntilSomebodyCanRun();
  SimThread& next = Choose();
  self = nullptr;
  current = nullptr;
  next.OpenGate();
}

int Scheduler::Create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                      void* argument) {
  auto thread = std::make_unique<SimThread>();
  thread->scheduler = this;
  thread->id = next_id_++;
  thread->body = body;
  thread->argument = argument;
  const int failed = Real().create(&thread->handle, attributes, &Scheduler::Enter, thread.get());
  if (failed != 0) return failed;
  *handle = thread->handle;
  runnable_.push_back(thread.get());
  threads_.push_back(std::move(thread));
  MayYield();
  return 0;
}

int Scheduler::Join(pthread_t handle, void** result) {
  const auto at = std::ranges::find_if(
      threads_, [&](const auto& thread) { return pthread_equal(thread->handle, handle) != 0; });
  if (at == threads_.end()) return Real().join(handle, result);
  SimThread* thread = at->get();
  while (!thread->ended) Block(thread);
  const int failed = Real().join(handle, result);
  std::erase_if(threads_, [&](const auto& one) { return one.get() == thread; });
  return failed;
}

std::string Scheduler::Describe() const {
  std::string out;
  for (const auto& thread : threads_) {
    char name[16] = "?";
    if (!thread->ended) pthread_getname_np(thread->handle, name, sizeof(name));
    out += "  thread " + std::to_string(thread->id) + " " + name +
           (thread->ended     ? " has ended"
            : thread->blocked ? " waits"
                              : " can run") +
           (thread->blocked && thread->deadline != Clock::kForever
                ? " until " + std::to_string(thread->deadline.count()) + " ns"
                : "") +
           "\n";
  }
  return out;
}

void Scheduler::Stuck(const std::string& why) {
  const std::string what = why + " at " + std::to_string(now_.count()) + " ns\n" + Describe();
  if (options_.on_stuck) options_.on_stuck(what);
  std::abort();
}

Duration SimClock::Monotonic() { return std::chrono::seconds(1) + scheduler_.now(); }

Duration SimClock::Wall() { return wall_offset_ + scheduler_.now(); }

void SimClock::WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                         Duration deadline) {
  const Duration virtual_deadline =
      deadline == kForever ? kForever : deadline - std::chrono::seconds(1);
  scheduler_.Wait(wake.native_handle(), lock.mutex()->native_handle(), virtual_deadline);
}

}  // namespace skiff::sim
