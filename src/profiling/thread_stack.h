// What another thread of this process is doing at the moment: it is interrupted by a signal
// (SIGURG, which nobody else uses here and which is ignored by default), whose handler takes down
// the stack.
#pragma once

#include <string>

#include <sys/types.h>

namespace skiff::profiling {

// The functions of the thread's stack, the innermost first, joined by " < "; "" if it does not
// answer within a fraction of a second, or has ended. `thread` as the kernel numbers it. Any
// thread; one caller at a time, others wait.
std::string StackOfThread(pid_t thread);

}  // namespace skiff::profiling
