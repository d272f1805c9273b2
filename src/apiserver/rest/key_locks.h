// Fair locks on keys that many writes want to change.
//
// A write that changes other keys besides its object (a quota that is charged) is prepared again
// when somebody else changed one of them first. When many do that at once, each commit lets one of
// them through and all others have prepared in vain; with enough of them, some run out of tries. So
// a write that lost such a race waits for a lock on the key that it lost, first come, first served,
// and holds it until it is done. Writes that meet nobody never come here.
//
// A write holds one lock at most, so that there is no deadlock. The writes in flight are bounded,
// and with them those that wait. Any thread may call.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace skiff::apiserver {

class KeyLocks {
 public:
  // Calls `go` when the caller holds the lock: at once, or from another's Unlock().
  void Lock(const std::string& key, std::move_only_function<void()> go);
  // Whoever holds the lock gives it up, once.
  void Unlock(const std::string& key);

 private:
  std::mutex mutex_;
  // Who waits, for each key that is locked.
  std::map<std::string, std::deque<std::move_only_function<void()>>> waiting_;
};

}  // namespace skiff::apiserver
