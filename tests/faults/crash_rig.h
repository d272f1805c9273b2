// Kills a process that works on an embedded store, again and again, and holds what it reported
// against what the next one finds.
//
// A window is a number of cycles (start the worker, kill it at a random moment) and a last run that
// is left in peace. What must hold, through all of it:
//
// - The store opens, at a revision not below any that was told before, and at one with itself.
// - A watch that goes on where the last one was killed tells of every write once, in order, and of
//   a write before the write is answered.
// - Reads at old revisions find the state of that time.
// - The history of all operations of the window is linearizable; nothing acknowledged is lost.
//
// What is wrong is kept as text, so that a test can also expect it (planted faults).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "tests/faults/worker_report.h"
#include "tests/store/linearizability.h"
#include "tests/store/workload.h"

namespace skiff::testing {

struct CrashRigOptions {
  std::string worker;     // the program
  std::string directory;  // of the store; made by the first run
  uint64_t seed = 1;
  std::string plant;                                       // see store_worker.cc
  Duration longest_life = std::chrono::milliseconds(120);  // of a worker that gets killed
  int most_lines = 600;                                    // that it may report before
  Duration patience = std::chrono::seconds(60);            // with the one that is not
};

class CrashRig final : private ReportReader {
 public:
  explicit CrashRig(CrashRigOptions options);

  // One worker, killed at a random moment.
  void RunCycle();
  // One that is not killed; then everything since the last window is checked.
  void FinishWindow();

  // The first thing that was wrong, with the seed and the cycle; empty if nothing was.
  const std::string& fault() const { return fault_; }
  int cycles() const { return cycle_; }
  size_t acknowledged() const { return acknowledged_; }
  size_t unknown() const { return unknown_; }
  size_t events() const { return events_.size(); }
  int killed_while_opening() const { return killed_while_opening_; }

 private:
  void RunWorker(bool verify);
  void ReadUntil(int descriptor, Duration deadline, int lines);
  void CheckWindow();
  void BeginWindow();
  std::map<std::string, SeenValue> StateAt(int64_t revision) const;
  void Blame(std::string what);

  void OnOpened(int64_t revision, int64_t compacted) override;
  void OnInvoke(uint64_t number, Operation operation) override;
  void OnReturn(uint64_t number, Operation operation) override;
  void OnNothing(uint64_t number) override;
  void OnEvent(SeenEvent event) override;
  void OnProgress(int64_t revision) override;
  void OnStateAt(int64_t revision, std::map<std::string, SeenValue> state) override;
  void OnWrong(std::string what) override;

  const CrashRigOptions options_;
  SystemClock clock_;
  SeededRandom random_;
  std::string fault_;
  int cycle_ = 0;
  int lines_ = 0;  // of the worker that runs
  bool opened_ = false;
  bool progressed_ = false;
  int killed_while_opening_ = 0;
  size_t acknowledged_ = 0;
  size_t unknown_ = 0;

  std::vector<SeenEvent> events_;  // all, from the beginning
  std::map<std::string, std::vector<size_t>> events_of_key_;
  int64_t told_ = 1;     // the revision of the last event
  int64_t highest_ = 1;  // the highest revision that anyone told
  std::vector<std::pair<int64_t, std::map<std::string, SeenValue>>> old_states_;  // to be compared

  // The window.
  std::unique_ptr<History> history_;
  size_t first_event_ = 0;
  int64_t first_revision_ = 2;
};

}  // namespace skiff::testing
