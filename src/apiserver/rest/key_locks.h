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
//
// Owner: the server, which calls Stop() while there is still somebody to answer those that wait.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace skiff::apiserver {

class KeyLocks {
 public:
  // Calls `go` once: with true when the caller holds the lock, at once or from another's Unlock();
  // with false when there are no locks any more.
  void Lock(const std::string& key, std::move_only_function<void(bool locked)> go);
  // Whoever holds the lock gives it up, once.
  void Unlock(const std::string& key);
  // Nobody waits when this returns, and nobody will.
  void Stop();

 private:
  using Waiters = std::deque<std::move_only_function<void(bool)>>;

  std::mutex mutex_;
  // Who waits, for each key that is locked.
  std::map<std::string, Waiters> waiting_;
  bool stopped_ = false;
};

}  // namespace skiff::apiserver
