#include "store/cache/snapshot_history.h"

#include <algorithm>

#include "base/limits.h"

namespace skiff {

void SnapshotHistory::Keep(Revision since, const IndexSnapshot& snapshot, Duration now) {
  if (!states_.empty() && states_.back().until == Revision{}) {
    states_.back().used = now;
    return;
  }
  if (states_.size() == limits::kMaxKeptSnapshots) states_.pop_front();
  states_.push_back({.since = since, .until = {}, .used = now, .snapshot = snapshot});
}

void SnapshotHistory::Changed(Revision at) {
  if (!states_.empty() && states_.back().until == Revision{}) states_.back().until = at;
}

std::optional<IndexSnapshot> SnapshotHistory::Find(Revision revision) const {
  auto after = std::ranges::upper_bound(states_, revision, {}, &State::since);
  if (after == states_.begin()) return std::nullopt;
  const State& state = *--after;
  if (state.until != Revision{} && revision >= state.until) return std::nullopt;
  return state.snapshot;
}

void SnapshotHistory::Expire(Duration now) {
  std::erase_if(states_,
                [&](const State& state) { return state.used + limits::kKeptSnapshotAge < now; });
}

}  // namespace skiff
