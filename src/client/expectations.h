// What a control loop has asked for and not yet seen come true.
//
// A loop that creates or deletes objects sees them change only when its informer tells. Until then
// it would, from the old state, do the same again; so it notes what it asked for under its key, and
// leaves the key alone while something is awaited. What never comes is forgotten after kTimeout:
// then the loop acts upon what it sees.
//
//   if (!expectations.Fulfilled(key)) co_return Result<void>();  // its informer will bring it back
//   expectations.Expect(key, 3, {});
//   ... creates three; of those that fail: expectations.CreationSeen(key)
//   ... OnAdd: expectations.CreationSeen(key); OnDelete: expectations.DeletionSeen(key, uid)
//
// Deletions are awaited by uid, since informers may tell of one more than once: that an object is
// being deleted, and that it is gone. Belongs to one executor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace skiff::client {

class Expectations {
 public:
  static constexpr Duration kTimeout = std::chrono::minutes(5);

  explicit Expectations(Clock& clock) : clock_(clock) {}

  // In place of what was expected before.
  void Expect(const std::string& key, int64_t creations, std::span<const std::string> deletions);
  // Also for one that was asked for and has failed. What nobody expects is of no account.
  void CreationSeen(const std::string& key);
  void DeletionSeen(const std::string& key, std::string_view uid);
  // Whether nothing is awaited any more, or it has been for too long.
  bool Fulfilled(const std::string& key) const;
  // Of a key that is gone.
  void Forget(const std::string& key) { awaited_.erase(key); }

  // How many creations and deletions are awaited.
  int64_t creations(const std::string& key) const;
  size_t deletions(const std::string& key) const;

 private:
  struct Awaited {
    int64_t creations = 0;
    std::set<std::string, std::less<>> deletions = {};
    Duration since{};
  };

  Clock& clock_;
  std::map<std::string, Awaited> awaited_;
};

}  // namespace skiff::client
