// States of the index at some past revisions, for the later pages of lists.
//
// A state is kept when a list hands out a continue token for it. It stands for every revision from
// the last change in it up to, but not including, the next change, so a list at any of these can be
// answered from it. With it are kept the entries that its selections were narrowed down to, so that
// the later pages need not walk more than the first. Bounded in number, age, and in the bytes of
// objects that only old states hold (limits.h).
//
// Not thread-safe: its owner locks.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/cache/ordered_index.h"
#include "store/cache/selector_index.h"
#include "store/store.h"

namespace skiff::store {

class SnapshotHistory {
 public:
  // The state since the change at `since`; it is the newest one, and still stands. Keeping the same
  // again renews it. `narrowed` is what `selection` has of it, by its identity; may be null.
  void Keep(Revision since, const IndexSnapshot& snapshot, Duration now,
            const std::string& selection = {}, const NarrowedEntries& narrowed = nullptr);
  // The newest state ended with a change at this revision, which replaced an object of so many
  // bytes, or none.
  void Changed(Revision at, size_t replaced_bytes = 0);
  struct Found {
    IndexSnapshot snapshot;
    NarrowedEntries narrowed;  // null: not known
  };
  std::optional<Found> Find(Revision revision, const std::string& selection = {}) const;
  void Expire(Duration now);
  void Clear() { states_.clear(); }
  size_t size() const { return states_.size(); }

 private:
  using NamedEntries = std::pair<std::string, NarrowedEntries>;  // by the selection's identity
  struct State {
    Revision since;
    Revision until;  // the change that ended it; zero: it stands
    Duration used;
    uint64_t replaced_before;
    IndexSnapshot snapshot;
    std::vector<NamedEntries> narrowed;  // the oldest first
  };
  std::deque<State> states_;     // ascending
  uint64_t replaced_bytes_ = 0;  // by all changes
};

}  // namespace skiff::store
