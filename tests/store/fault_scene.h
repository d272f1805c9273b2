// A store under load with watchers on it, and the verdict at the end: what every fault test has.
//
//   FaultScene scene(clock, {&store}, {});
//   …break something while scene.load() writes…
//   SceneFindings findings = scene.Finish();
//   EXPECT_TRUE(findings.clean()) << findings.Describe();
//
// Finish() asks for what must hold after any fault: nothing that was acknowledged is lost and the
// history is linearizable (so revisions never go back), each watch told every event once and in
// order, and no error was one that the contract of Store does not allow.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "store/store.h"
#include "tests/store/linearizability.h"
#include "tests/store/store_load.h"
#include "tests/store/watch_checker.h"

namespace skiff::testing {

struct SceneFindings {
  Verdict linearizable;
  std::vector<WatchFinding> watches;
  std::vector<std::string> errors;

  bool clean() const { return linearizable.legal() && watches.empty() && errors.empty(); }
  std::string Describe() const;
};

class FaultScene {
 public:
  // Watchers begin at the store's present revision, before the load does; `watchers` of them on
  // each store, half of which ask for previous values.
  FaultScene(Clock& clock, std::vector<store::Store*> stores, StoreLoadOptions load,
             int watchers = 2);
  ~FaultScene();

  StoreLoad& load() { return *load_; }
  // The revision from which the first watchers watch.
  store::Revision first() const { return first_; }
  // One more watch on a store. Returns its number.
  size_t AddWatch(store::Store& store, std::string name, store::WatchRequest request);
  LoggingSink& sink(size_t watch) { return *sinks_.at(watch); }
  store::Watch& watch(size_t watch) { return *watches_.at(watch); }
  size_t watches() const { return watches_.size(); }

  // Ends the load and waits until every watch has told of the last write.
  SceneFindings Finish(store::Revision compacted = {});

 private:
  Clock& clock_;
  std::vector<store::Store*> stores_;
  std::vector<std::string> errors_;
  store::Revision first_;
  std::vector<std::unique_ptr<LoggingSink>> sinks_;
  std::vector<std::unique_ptr<store::Watch>> watches_;
  std::unique_ptr<StoreLoad> load_;
};

// How many times as long fault tests shall run: once, or once for every 500 of SKIFF_FAULT_ROUNDS,
// which counts crashes of a store that is quicker to restart (`make faults`: 10,000).
int FaultRounds();

}  // namespace skiff::testing
