#include "profiling/unwind.h"

#include <unwind.h>

namespace skiff::profiling {
namespace {

struct Unwinding {
  std::span<uintptr_t> frames;
  uintptr_t interrupted_at;
  size_t depth = 0;
  bool found = false;
};

// The frames of the handler itself come first, and are not of interest.
_Unwind_Reason_Code TakeFrame(_Unwind_Context* context, void* argument) {
  auto& unwinding = *static_cast<Unwinding*>(argument);
  const uintptr_t address = _Unwind_GetIP(context);
  if (!unwinding.found) {
    if (address != unwinding.interrupted_at) return _URC_NO_REASON;
    unwinding.found = true;
  }
  if (address == 0 || unwinding.depth == unwinding.frames.size()) return _URC_END_OF_STACK;
  unwinding.frames[unwinding.depth] = unwinding.depth == 0 ? address : address - 1;
  ++unwinding.depth;
  return _URC_NO_REASON;
}

uintptr_t InstructionOf(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
#error "where does this processor keep the address of the instruction?"
#endif
}

_Unwind_Reason_Code Nothing(_Unwind_Context*, void*) { return _URC_END_OF_STACK; }

}  // namespace

void PrepareToUnwind() { _Unwind_Backtrace(Nothing, nullptr); }

size_t UnwindInterrupted(const ucontext_t& context, std::span<uintptr_t> frames) {
  Unwinding unwinding{frames, InstructionOf(context)};
  _Unwind_Backtrace(TakeFrame, &unwinding);
  if (unwinding.depth == 0 && !frames.empty()) {
    frames[0] = unwinding.interrupted_at;
    return 1;
  }
  return unwinding.depth;
}

}  // namespace skiff::profiling
