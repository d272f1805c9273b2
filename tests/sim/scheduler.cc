#include "tests/sim/scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

namespace skiff::sim {

// A thread of the simulation has a thread of the kernel, which lends it its stack and its
// thread-local storage and sleeps meanwhile: all of them run on the first thread of the kernel, so
// that passing the baton is a matter of nanoseconds, however busy the machine is.
struct SimThread {
  Scheduler* scheduler = nullptr;
  uint32_t id = 0;
  std::string name = "?";
  pthread_t handle = {};
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  void* stack = nullptr;           // where it goes on
  unsigned long storage = 0;       // its thread-local storage
  std::atomic<uint32_t> lent{0};   // the kernel's thread sleeps
  std::atomic<uint32_t> ended{0};  // and may go on
  const void* waits_for = nullptr;
  Duration deadline = Clock::kForever;
  bool blocked = false;
  bool timed_out = false;
  bool finished = false;  // its body has returned
};

namespace {

// Of AT_HWCAP2: programs may set the base of their thread-local storage.
constexpr unsigned long kHasFsGsBase = 2;
// Left of the lender's stack for its own last frames.
constexpr size_t kLenderBytes = 32 << 10;

thread_local SimThread* self = nullptr;
thread_local Scheduler* current = nullptr;

unsigned long ThreadStorage() {
  unsigned long base;
  asm volatile("movq %%fs:0, %0" : "=r"(base));
  return base;
}

void WaitFor(std::atomic<uint32_t>& flag) {
  while (flag.load(std::memory_order_acquire) == 0) {
    syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
}

void Set(std::atomic<uint32_t>& flag) {
  flag.store(1, std::memory_order_release);
  syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool Earlier(const std::pair<Duration, SimThread*>& a, const std::pair<Duration, SimThread*>& b) {
  return std::pair(a.first, a.second->id) < std::pair(b.first, b.second->id);
}

}  // namespace

// Keeps what a called function must preserve, and goes on where the other stack left off.
extern "C" void skiff_sim_switch(void** from_stack, void* to_stack, unsigned long to_storage);
asm(R"(
.text
.globl skiff_sim_switch
.type skiff_sim_switch, @function
skiff_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  wrfsbase %rdx
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size skiff_sim_switch, .-skiff_sim_switch
)");

Scheduler::Scheduler(SchedulerOptions options)
    : options_(std::move(options)), random_(options_.seed), timers_(&Earlier) {
  if ((getauxval(AT_HWCAP2) & kHasFsGsBase) == 0) {
    fprintf(stderr, "simulations need a kernel and a processor with FSGSBASE\n");
    std::abort();
  }
  auto first = std::make_unique<SimThread>();
  first->scheduler = this;
  first->id = next_id_++;
  first->handle = pthread_self();
  first->storage = ThreadStorage();
  first->name = "first";
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

void Scheduler::NameThisThread(std::string name) { self->name = std::move(name); }

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
  skiff_sim_switch(&me.stack, next.stack, next.storage);
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

// On the kernel's own thread: lends, sleeps, and ends with what the body has returned. Destructors
// of thread-local objects run then, while whoever joins it waits.
void* Scheduler::Lend(void* started) {
  auto* thread = static_cast<SimThread*>(started);
  self = thread;
  current = thread->scheduler;
  thread->storage = ThreadStorage();
  auto top = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - kLenderBytes;
  // As after a call: sixteen bytes less eight. What the first switch takes off comes below.
  auto* stack = reinterpret_cast<uint64_t*>(top & ~uintptr_t{15}) - 1;
  *stack = 0;
  *--stack = reinterpret_cast<uint64_t>(&Scheduler::RunBorrowed);
  for (int i = 0; i < 6; ++i) *--stack = 0;
  thread->stack = stack;
  Set(thread->lent);
  WaitFor(thread->ended);
  self = nullptr;
  current = nullptr;
  return thread->result;
}

void Scheduler::RunBorrowed() {
  SimThread& me = *self;
  me.result = me.body(me.argument);
  me.scheduler->Ended(me);
}

void Scheduler::Ended(SimThread& thread) {
  thread.finished = true;
  WakeAll(&thread);
  std::erase(runnable_, &thread);
  if (runnable_.empty()) PassTimeUntilSomebodyCanRun();
  SimThread& next = Choose();
  skiff_sim_switch(&thread.stack, next.stack, next.storage);
  std::abort();
}

int Scheduler::Create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                      void* argument) {
  auto thread = std::make_unique<SimThread>();
  thread->scheduler = this;
  thread->id = next_id_++;
  thread->body = body;
  thread->argument = argument;
  const int failed = Real().create(&thread->handle, attributes, &Scheduler::Lend, thread.get());
  if (failed != 0) return failed;
  WaitFor(thread->lent);
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
  while (!thread->finished) Block(thread);
  Set(thread->ended);
  const int failed = Real().join(handle, result);
  std::erase_if(threads_, [&](const auto& one) { return one.get() == thread; });
  return failed;
}

std::string Scheduler::Describe() const {
  std::string out;
  for (const auto& thread : threads_) {
    out += "  thread " + std::to_string(thread->id) + " " + thread->name +
           (thread->finished  ? " has ended"
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
