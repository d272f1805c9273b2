// What surrounds work that may take long: it can be watched and it can be interrupted.
//
// Progress is one line on standard error, rewritten in place, and only on a terminal. Ctrl-C, and
// whatever else ends a program, first removes what is half made, says what must be known, and then
// ends the program as the signal would have.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "store/backup.h"

namespace skiff::cli {

// Made before anything that starts threads, so that none of them receives the signals. One at a
// time; any thread may call it.
class LongOperation {
 public:
  explicit LongOperation(std::string command);
  LongOperation(const LongOperation&) = delete;
  LongOperation& operator=(const LongOperation&) = delete;
  ~LongOperation();

  // Calls `make`, which makes a file or directory and returns its path. When a signal comes, it is
  // removed with all that is in it; no signal comes between the two.
  Result<void> Make(const std::function<Result<std::string>()>& make);
  // Calls `publish`, which gives what was made its final name; it then stays. No signal comes in
  // between: it would remove what is in a directory while that directory gets its name.
  Result<void> Publish(const std::function<Result<void>()>& publish);
  // What to say when a signal comes; empty: nothing.
  void PrintOnSignal(std::string text);

  // Shows how far a step has come.
  store::ProgressFunction Step(std::string_view what);
  // Takes the progress line away, before something else is printed.
  void ClearLine();

  Clock& clock() { return clock_; }

 private:
  void WaitForSignals();
  void EndBy(int number);
  void Show(const std::string& what, const store::WorkProgress& progress);

  const std::string command_;
  const bool on_terminal_;
  SystemClock clock_;
  std::mutex mutex_;
  std::string remove_;
  std::string say_;
  Duration next_show_{};
  bool line_shown_ = false;
  int signals_ = -1;  // a signalfd
  int stop_ = -1;     // an eventfd
  std::vector<int> handled_;
  std::unique_ptr<Thread> thread_;
};

// "1,234,567"
std::string Grouped(uint64_t number);
// "12.3 MiB"
std::string HumanBytes(uint64_t bytes);

}  // namespace skiff::cli
