// The stack of a thread that a signal has interrupted, for handlers of such signals.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace skiff::profiling {

// To be called once before the first signal: the unwinder may allocate when it is first used, which
// a handler must not.
void PrepareToUnwind();

// In a signal handler, with the context that it was given: fills `frames` with addresses from the
// innermost outwards, of which those behind the first are of returns, less one. How many they are:
// one at least, if there is room.
size_t UnwindInterrupted(const ucontext_t& context, std::span<uintptr_t> frames);

}  // namespace skiff::profiling
