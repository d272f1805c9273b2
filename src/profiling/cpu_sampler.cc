#include "profiling/cpu_sampler.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/limits.h"
#include "profiling/unwind.h"

namespace skiff::profiling {
namespace {

enum class Place : uint8_t { kFree, kBeingFilled, kFull };

struct Sample {
  std::atomic<Place> place{Place::kFree};
  uint32_t times = 0;
  uint32_t depth = 0;
  std::array<uintptr_t, limits::kMaxProfileFrames> frames;
};

// What the signal handler uses: found through one pointer, which is null when nobody samples.
struct Samples {
  std::array<Sample, limits::kMaxWaitingSamples> samples;
  std::atomic<uint32_t> next{0};
  std::atomic<uint64_t> lost{0};
};

std::atomic<bool> in_use{false};
std::atomic<Samples*> current{nullptr};
std::atomic<int> handlers_running{0};

void TakeSample(Samples& samples, const siginfo_t& info, const ucontext_t& context) {
  const uint32_t number = samples.next.fetch_add(1, std::memory_order_relaxed);
  Sample& sample = samples.samples[number % samples.samples.size()];
  Place expected = Place::kFree;
  if (!sample.place.compare_exchange_strong(expected, Place::kBeingFilled,
                                            std::memory_order_acquire)) {
    samples.lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  sample.times = 1 + static_cast<uint32_t>(std::max(info.si_overrun, 0));
  sample.depth = static_cast<uint32_t>(UnwindInterrupted(context, sample.frames));
  sample.place.store(Place::kFull, std::memory_order_release);
}

void OnSignal(int, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  handlers_running.fetch_add(1);
  if (Samples* samples = current.load(); samples != nullptr) {
    TakeSample(*samples, *info, *static_cast<const ucontext_t*>(context));
  }
  handlers_running.fetch_sub(1);
  errno = saved_errno;
}

// Stays for good: a signal that comes late must not end the process.
bool InstallHandler() {
  struct sigaction action = {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(SIGPROF, &action, nullptr) == 0;
}

std::vector<pid_t> ThreadsOfProcess() {
  std::vector<pid_t> out;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return out;
  while (const dirent* entry = readdir(folder)) {
    const pid_t thread = std::atoi(entry->d_name);
    if (thread > 0) out.push_back(thread);
  }
  closedir(folder);
  return out;
}

// The clock of a thread's processor time, as the kernel numbers it; glibc tells only that of
// threads whose handle one has.
clockid_t ProcessorTimeOf(pid_t thread) {
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6U);
}

}  // namespace

Result<std::unique_ptr<CpuSampler>> CpuSampler::Start(Duration period) {
  if (in_use.exchange(true)) return Fail(StatusReason::kConflict, "cpu profiling already in use");
  PrepareToUnwind();
  if (!InstallHandler()) {
    in_use = false;
    return Fail(StatusReason::kInternalError, "the signal handler could not be set");
  }
  current = new Samples;
  std::unique_ptr<CpuSampler> sampler(new CpuSampler(period));
  sampler->TimeNewThreads();
  return sampler;
}

CpuSampler::~CpuSampler() {
  for (const auto& [thread, timer] : timers_) timer_delete(timer);
  const Samples* samples = current.exchange(nullptr);
  // A handler takes some microseconds.
  while (handlers_running.load() != 0) sched_yield();
  delete samples;
  in_use = false;
}

void CpuSampler::TimeNewThreads() {
  for (const pid_t thread : ThreadsOfProcess()) {
    if (timers_.contains(thread) || timers_.size() >= limits::kMaxProfiledThreads) continue;
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = thread;
    timer_t timer = nullptr;
    if (timer_create(ProcessorTimeOf(thread), &event, &timer) != 0) continue;  // it has ended
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(period_);
    const timespec each{seconds.count(), (period_ - seconds).count()};
    const itimerspec times{each, each};
    timer_settime(timer, 0, &times, nullptr);
    timers_.emplace(thread, timer);
  }
}

void CpuSampler::Count(const Stack& stack, uint64_t times) {
  auto found = stacks_.find(stack);
  if (found == stacks_.end()) {
    if (stacks_.size() >= limits::kMaxProfileStacks) {
      lost_ += times;
      return;
    }
    found = stacks_.emplace(stack, 0).first;
  }
  found->second += times;
}

void CpuSampler::Collect() {
  Samples& samples = *current.load();
  for (Sample& each : samples.samples) {
    if (each.place.load(std::memory_order_acquire) != Place::kFull) continue;
    const Stack stack(each.frames.begin(), each.frames.begin() + each.depth);
    Count(stack, each.times);
    each.place.store(Place::kFree, std::memory_order_release);
  }
  lost_ += samples.lost.exchange(0);
  TimeNewThreads();
}

}  // namespace skiff::profiling
