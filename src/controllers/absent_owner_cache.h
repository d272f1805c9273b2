// A cache of owners that are known not to exist, so that the server is not asked again for each of
// their dependents. The ones that were used last are kept. An entry never becomes wrong: uids do
// not come back.
#pragma once

#include <list>
#include <map>

#include "base/limits.h"
#include "controllers/owner_reference.h"

namespace skiff::controllers {

class AbsentOwnerCache {
 public:
  explicit AbsentOwnerCache(size_t room = limits::kAbsentOwnerCacheEntries) : room_(room) {}

  void Add(const ObjectIdentity& owner) {
    if (Has(owner)) return;
    if (index_.size() >= room_) {
      index_.erase(used_.back());
      used_.pop_back();
    }
    used_.push_front(owner);
    index_.emplace(owner, used_.begin());
  }

  bool Has(const ObjectIdentity& owner) {
    const auto found = index_.find(owner);
    if (found == index_.end()) return false;
    used_.splice(used_.begin(), used_, found->second);
    return true;
  }

  size_t size() const { return index_.size(); }

 private:
  const size_t room_;
  std::list<ObjectIdentity> used_;  // the last used first
  std::map<ObjectIdentity, std::list<ObjectIdentity>::iterator> index_;
};

}  // namespace skiff::controllers
