// Turns at keys that many writes want to change.
//
// A write that changes other keys besides its object (a quota that is charged) is prepared again
// when somebody else changed one of them first. When many do that at once, each commit lets one of
// them through and all others have prepared in vain; with enough of them, some run out of tries. So
// a write that lost such a race waits for its turn at the key that it lost, first come, first
// served, and keeps the turn until it is done. Writes that meet nobody never come here.
//
// A write has one turn at most, so nobody waits in a circle. The writes in flight are bounded, and
// with them those that wait. Any thread may call.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace skiff {

class WriteTurns {
 public:
  // Calls `go` when it is the caller's turn: at once, or from another's Leave().
  void Take(const std::string& key, std::move_only_function<void()> go);
  // Whoever took a turn gives it up, once.
  void Leave(const std::string& key);

 private:
  std::mutex mutex_;
  // Who waits, for each key at which somebody has the turn.
  std::map<std::string, std::deque<std::move_only_function<void()>>> waiting_;
};

}  // namespace skiff
