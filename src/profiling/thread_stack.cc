#include "profiling/thread_stack.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "base/limits.h"
#include "profiling/symbols.h"
#include "profiling/unwind.h"

namespace skiff::profiling {
namespace {

constexpr int kPatienceMs = 500;
// Of a name: with all their arguments templates go on for ever.
constexpr size_t kMaxNameBytes = 120;

enum class Asking : uint8_t { kNobody, kAsked, kBeingFilled, kFull };

// What the handler fills in. There for good: a signal may come late.
struct Answer {
  std::atomic<Asking> state{Asking::kNobody};
  std::atomic<pid_t> thread{0};
  int filled = -1;  // an eventfd
  size_t depth = 0;
  std::array<uintptr_t, limits::kMaxProfileFrames> frames;
};
Answer stack_answer;
std::mutex stack_mutex;  // of who asks

void OnStackSignal(int, siginfo_t*, void* context) {
  const int saved_errno = errno;
  Asking expected = Asking::kAsked;
  if (stack_answer.thread.load() == gettid() &&
      stack_answer.state.compare_exchange_strong(expected, Asking::kBeingFilled)) {
    stack_answer.depth =
        UnwindInterrupted(*static_cast<const ucontext_t*>(context), stack_answer.frames);
    stack_answer.state.store(Asking::kFull);
    const uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stack_answer.filled, &one, sizeof(one));
  }
  errno = saved_errno;
}

bool PrepareToAsk() {
  static const bool is_ready = [] {
    PrepareToUnwind();
    stack_answer.filled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction action = {};
    action.sa_sigaction = OnStackSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    return stack_answer.filled >= 0 && sigaction(SIGURG, &action, nullptr) == 0;
  }();
  return is_ready;
}

// Whether the answer is there.
bool AwaitAnswer() {
  pollfd wait{.fd = stack_answer.filled, .events = POLLIN, .revents = 0};
  poll(&wait, 1, kPatienceMs);
  uint64_t count = 0;
  [[maybe_unused]] const auto taken = read(stack_answer.filled, &count, sizeof(count));
  if (stack_answer.state.load() == Asking::kFull) return true;
  Asking expected = Asking::kAsked;
  if (stack_answer.state.compare_exchange_strong(expected, Asking::kNobody)) return false;
  // It is being filled at this moment, which takes some microseconds.
  while (stack_answer.state.load() != Asking::kFull) sched_yield();
  return true;
}

std::string TextOfStack(std::span<const uintptr_t> frames) {
  const LoadedCode code;
  std::string out;
  for (const uintptr_t address : frames) {
    std::string name = Demangled(code.SymbolOf(address));
    if (name.empty()) name = "?";
    name.resize(std::min(name.size(), kMaxNameBytes));
    if (!out.empty()) out += " < ";
    out += name;
  }
  return out;
}

}  // namespace

std::string StackOfThread(pid_t thread) {
  const std::lock_guard lock(stack_mutex);
  if (!PrepareToAsk()) return {};
  stack_answer.thread.store(thread);
  stack_answer.state.store(Asking::kAsked);
  const bool is_sent = syscall(SYS_tgkill, getpid(), thread, SIGURG) == 0;
  std::string out;
  if (is_sent && AwaitAnswer()) {
    out = TextOfStack({stack_answer.frames.data(), stack_answer.depth});
  }
  stack_answer.state.store(Asking::kNobody);
  return out;
}

}  // namespace skiff::profiling
