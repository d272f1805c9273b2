// The functions through which threads start and wait for each other, in front of those of the C and
// C++ libraries. The linker takes these for our own code, and the loader for the libraries', since
// the executable exports them.
#include <cxxabi.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <bits/atomic_futex.h>

#include "tests/sim/scheduler.h"

using skiff::Clock;
using skiff::Duration;
using skiff::sim::Scheduler;

namespace {

// Condition variables have an older form of the same name.
void* FindReal(const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();
  return found;
}

// Looked up at the first call, which may come before any constructor has run.
#define REAL(name)                                                                        \
  (reinterpret_cast<decltype(&name)>([] {                                                 \
    static std::atomic<void*> real;                                                       \
    void* found = real.load(std::memory_order_relaxed);                                   \
    if (found == nullptr) real.store(found = FindReal(#name), std::memory_order_relaxed); \
    return found;                                                                         \
  }()))

Duration FromTimespec(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

constexpr Duration kRealTimeBase = std::chrono::seconds(1'700'000'000);

// What a deadline of that clock is for the scheduler; clock_gettime() below says the reverse.
Duration Virtual(clockid_t clock, const timespec& deadline) {
  const Duration time = FromTimespec(deadline);
  return clock == CLOCK_REALTIME ? time - kRealTimeBase : time;
}

}  // namespace

namespace skiff::sim {

const RealCalls& Real() {
  static constinit RealCalls calls{};
  if (calls.create == nullptr) {
    calls.join = REAL(pthread_join);
    calls.mutex_trylock = REAL(pthread_mutex_trylock);
    calls.mutex_unlock = REAL(pthread_mutex_unlock);
    calls.rwlock_tryrdlock = REAL(pthread_rwlock_tryrdlock);
    calls.rwlock_trywrlock = REAL(pthread_rwlock_trywrlock);
    calls.rwlock_unlock = REAL(pthread_rwlock_unlock);
    calls.create = REAL(pthread_create);
  }
  return calls;
}

}  // namespace skiff::sim

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_create)(handle, attributes, body, argument);
  return scheduler->Create(handle, attributes, body, argument);
}

int pthread_join(pthread_t handle, void** result) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_join)(handle, result);
  return scheduler->Join(handle, result);
}

int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_setname_np)(handle, name);
  scheduler->NameThisThread(name);
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_mutex_lock)(mutex);
  return scheduler->Lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_mutex_unlock)(mutex);
  return scheduler->Unlock(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_rwlock_rdlock)(lock);
  return scheduler->LockShared(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_rwlock_wrlock)(lock);
  return scheduler->LockExclusive(lock);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_rwlock_unlock)(lock);
  return scheduler->UnlockEither(lock);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_cond_wait)(condition, mutex);
  scheduler->Wait(condition, mutex, Clock::kForever);
  return 0;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_cond_clockwait)(condition, mutex, clock, deadline);
  return scheduler->Wait(condition, mutex, Virtual(clock, *deadline)) ? 0 : ETIMEDOUT;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_cond_timedwait)(condition, mutex, deadline);
  return scheduler->Wait(condition, mutex, Virtual(CLOCK_REALTIME, *deadline)) ? 0 : ETIMEDOUT;
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_cond_signal)(condition);
  scheduler->WakeOne(condition);
  scheduler->MayYield();
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_cond_broadcast)(condition);
  scheduler->WakeAll(condition);
  scheduler->MayYield();
  return 0;
}

int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  if (Scheduler::OfThisThread() == nullptr) return REAL(pthread_cond_destroy)(condition);
  return 0;  // The real one was never waited for.
}

// Zero: not called yet; two: done, as the C library has it.
int pthread_once(pthread_once_t* once, void (*body)()) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(pthread_once)(once, body);
  while (*once != 2) {
    if (*once != 0) {
      scheduler->Block(once);
      continue;
    }
    *once = 1;
    try {
      body();
    } catch (...) {
      *once = 0;
      scheduler->WakeAll(once);
      throw;
    }
    *once = 2;
    scheduler->WakeAll(once);
  }
  return 0;
}

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) {
    return REAL(clock_gettime)(clock, out);
  }
  const Duration time =
      scheduler->now() + (clock == CLOCK_REALTIME ? kRealTimeBase : Duration::zero());
  out->tv_sec = time / std::chrono::seconds(1);
  out->tv_nsec = (time % std::chrono::seconds(1)).count();
  return 0;
}

// Simulated time passes fast, and giving memory back every fifteen seconds of it takes longer than
// everything else.
int malloc_trim(size_t pad) noexcept {
  if (Scheduler::OfThisThread() == nullptr) return REAL(malloc_trim)(pad);
  return 0;
}

}  // extern "C"

// Objects that are static in a function. The first byte says that one is made, as the ABI has it;
// the second that somebody is at it.
namespace __cxxabiv1 {

extern "C" {

int __cxa_guard_acquire(__guard* guard) noexcept {
  auto* bytes = reinterpret_cast<char*>(guard);
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(__cxa_guard_acquire)(guard);
  while (bytes[0] == 0) {
    if (bytes[1] == 0) {
      bytes[1] = 1;
      return 1;
    }
    scheduler->Block(guard);
  }
  return 0;
}

void __cxa_guard_release(__guard* guard) noexcept {
  auto* bytes = reinterpret_cast<char*>(guard);
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(__cxa_guard_release)(guard);
  bytes[1] = 0;
  __atomic_store_n(&bytes[0], char{1}, __ATOMIC_RELEASE);
  scheduler->WakeAll(guard);
}

void __cxa_guard_abort(__guard* guard) noexcept {
  auto* bytes = reinterpret_cast<char*>(guard);
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return REAL(__cxa_guard_abort)(guard);
  bytes[1] = 0;
  scheduler->WakeAll(guard);
}

}  // extern "C"

}  // namespace __cxxabiv1

// What std::future waits with.
namespace std {

namespace {

bool WaitWhileEqual(const unsigned* address, unsigned value, Duration deadline) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  // Threads outside of simulations have no futures.
  if (scheduler == nullptr) abort();
  while (__atomic_load_n(address, __ATOMIC_ACQUIRE) == value) {
    if (!scheduler->Block(address, deadline)) return false;
  }
  return true;
}

}  // namespace

bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned* address, unsigned value,
                                                       bool has_timeout, chrono::seconds s,
                                                       chrono::nanoseconds ns) {
  return WaitWhileEqual(address, value, has_timeout ? s + ns - kRealTimeBase : Clock::kForever);
}

bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned* address, unsigned value,
                                                              bool has_timeout, chrono::seconds s,
                                                              chrono::nanoseconds ns) {
  return WaitWhileEqual(address, value, has_timeout ? s + ns : Clock::kForever);
}

void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned* address) {
  Scheduler* scheduler = Scheduler::OfThisThread();
  if (scheduler == nullptr) return;
  scheduler->WakeAll(address);
}

}  // namespace std
