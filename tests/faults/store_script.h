// A scripted load for an embedded store whose every state and every event is known: step s is one
// transaction (a key is made, changed or deleted) and gets revision s + 1. Old states are compacted
// on the way.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/store.h"

namespace skiff {

class StoreScript {
 public:
  explicit StoreScript(uint64_t steps);

  uint64_t steps() const { return steps_.size(); }
  // Commits a step, and compacts where it is time to. Steps count from 1.
  Result<store::CommitReply> Commit(store::Store& store, uint64_t step) const;

  // What is wrong with a store that has seen the steps up to `at_least`, and perhaps one more; it
  // sets `revision`. Reads everything, and watches from the oldest state that is left.
  std::string Check(store::Store& store, uint64_t at_least, uint64_t* step) const;
  // What is wrong with the events that a watch from the beginning has seen, up to that step.
  std::string CheckEvents(const std::vector<store::Event>& events, uint64_t first,
                          uint64_t last) const;

  static uint64_t RevisionOf(uint64_t step) { return step + 1; }

 private:
  struct Step {
    store::Write::Kind kind = store::Write::Kind::kPut;
    std::string key;
    std::string value;
    uint64_t expected = 0;  // the revision of the key before
  };
  std::string CheckRange(store::Store& store, uint64_t step) const;
  std::string CheckWatch(store::Store& store, uint64_t step) const;

  std::vector<Step> steps_;
  std::vector<std::map<std::string, std::pair<std::string, uint64_t>>> states_;  // after each
};

}  // namespace skiff
