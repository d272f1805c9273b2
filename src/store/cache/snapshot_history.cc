#include "store/cache/snapshot_history.h"

#include <algorithm>

#include "base/limits.h"

namespace skiff::store {

void SnapshotHistory::Keep(Revision since, const IndexSnapshot& snapshot, Duration now,
                           const std::string& selection, const NarrowedEntries& narrowed) {
  if (states_.empty() || states_.back().until != Revision{}) {
    if (states_.size() == limits::kMaxKeptSnapshots) states_.pop_front();
    states_.push_back({.since = since,
                       .until = {},
                       .used = now,
                       .replaced_before = replaced_bytes_,
                       .snapshot = snapshot,
                       .narrowed = {}});
  }
  State& state = states_.back();
  state.used = now;
  if (narrowed == nullptr) return;
  const auto kept = std::ranges::find(state.narrowed, selection, &NamedEntries::first);
  if (kept != state.narrowed.end()) return;
  if (state.narrowed.size() == limits::kMaxKeptNarrowings) {
    state.narrowed.erase(state.narrowed.begin());
  }
  state.narrowed.emplace_back(selection, narrowed);
}

void SnapshotHistory::Changed(Revision at, size_t replaced_bytes) {
  replaced_bytes_ += replaced_bytes;
  if (states_.empty()) return;
  if (states_.back().until == Revision{}) states_.back().until = at;
  while (!states_.empty() &&
         replaced_bytes_ - states_.front().replaced_before > limits::kMaxKeptSnapshotBytes) {
    states_.pop_front();
  }
}

std::optional<SnapshotHistory::Found> SnapshotHistory::Find(Revision revision,
                                                            const std::string& selection) const {
  auto after = std::ranges::upper_bound(states_, revision, {}, &State::since);
  if (after == states_.begin()) return std::nullopt;
  const State& state = *--after;
  if (state.until != Revision{} && revision >= state.until) return std::nullopt;
  const auto narrowed = std::ranges::find(state.narrowed, selection, &NamedEntries::first);
  return Found{state.snapshot, narrowed == state.narrowed.end() ? nullptr : narrowed->second};
}

void SnapshotHistory::Expire(Duration now) {
  std::erase_if(states_,
                [&](const State& state) { return state.used + limits::kKeptSnapshotAge < now; });
}

}  // namespace skiff::store
