// A program that a test runs beside itself, which never outlives it: not when the test fails, and
// not when it is killed.
//
// Owner: whoever started it; destroying it kills the program. Every child has a thread that forks
// it and waits for it, because the kernel ties a child to the life of the thread that forked it
// (PR_SET_PDEATHSIG), and a test may start one from a thread that soon ends. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/thread.h"

namespace skiff::testing {

struct ChildOptions {
  std::vector<std::string> command;  // a path, or a name to be found in PATH, and its arguments
  std::string output_file = {};      // for what it writes, added at its end; empty: nowhere
  int network_namespace = -1;        // a descriptor of it; -1: the test's own
};

class ChildProcess {
 public:
  static Result<std::unique_ptr<ChildProcess>> Start(ChildOptions options);
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // Does nothing when the child has ended.
  void Signal(int signal);
  // The wait status once the child has ended, or nothing if it still runs after `limit`.
  std::optional<int> WaitFor(Clock& clock, Duration limit);
  bool Running();

 private:
  ChildProcess() = default;
  void Live(const ChildOptions& options);

  std::mutex mutex_;
  std::condition_variable changed_;
  pid_t pid_ = 0;
  int start_error_ = 0;
  bool started_ = false;
  std::optional<int> ended_;
  std::unique_ptr<Thread> thread_;
};

// Runs a short command to its end. Its output, or an error that has it, if the command fails or
// takes longer than `limit`.
Result<std::string> RunCommand(Clock& clock, ChildOptions options, Duration limit);

// Whether PATH has a program of that name.
bool HasProgram(const std::string& name);

}  // namespace skiff::testing
