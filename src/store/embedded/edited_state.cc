#include "store/embedded/edited_state.h"

#include <algorithm>

namespace skiff::store {

void EditedState::Keep() {
  if (changed()) ++revision_;
  undo_.clear();
  writes_.clear();
}

void EditedState::Discard() {
  for (; !undo_.empty(); undo_.pop_back()) {
    auto& [key, before] = undo_.back();
    if (before) {
      edits_[key] = std::move(*before);
    } else {
      edits_.erase(key);
    }
  }
  writes_.clear();
}

void EditedState::Set(const std::string& key, std::optional<KeyValue> entry) {
  const auto [at, is_new] = edits_.try_emplace(key);
  undo_.emplace_back(key, is_new ? std::nullopt : std::optional(std::move(at->second)));
  at->second = std::move(entry);
}

Result<void> EditedState::Put(const std::string& key, SharedBytes value, LeaseId lease) {
  RangeRequest request;
  request.range = KeyRange::Single(key);
  request.keys_only = true;
  SKIFF_ASSIGN_OR_RETURN(const RangeReply before, Range(request));
  KeyValue entry;
  entry.key = key;
  entry.value = value;
  entry.mod_revision.value = revision_ + 1;
  entry.lease = lease;
  const bool is_new = before.entries.empty();
  entry.create_revision = is_new ? entry.mod_revision : before.entries[0].create_revision;
  entry.version = is_new ? 1 : before.entries[0].version + 1;
  writes_.push_back({Write::Kind::kPut, key, std::move(value), lease});
  Set(key, std::move(entry));
  return {};
}

void EditedState::Delete(const std::string& key) {
  writes_.push_back({Write::Kind::kDelete, key, {}, {}});
  Set(key, std::nullopt);
}

Result<RangeReply> EditedState::Range(const RangeRequest& request) {
  const auto edit = edits_.lower_bound(request.range.start);
  const bool is_edited = edit != edits_.end() && request.range.Contains(edit->first);
  Result<RangeReply> reply =
      request.at.value == 0 && is_edited ? Merge(request, edit) : base_.range(request);
  if (reply) reply->revision.value = revision_ + (changed() ? 1 : 0);
  return reply;
}

Result<RangeReply> EditedState::Merge(const RangeRequest& request, Edits::const_iterator edit) {
  RangeRequest all = request;
  all.limit = 0;
  all.count_only = false;
  all.keys_only = request.keys_only || request.count_only;
  SKIFF_ASSIGN_OR_RETURN(RangeReply stored, base_.range(all));
  std::vector<KeyValue> merged;
  auto old = stored.entries.begin();
  for (; edit != edits_.end() && request.range.Contains(edit->first); ++edit) {
    for (; old != stored.entries.end() && old->key < edit->first; ++old)
      merged.push_back(std::move(*old));
    if (old != stored.entries.end() && old->key == edit->first) ++old;
    if (!edit->second) continue;
    merged.push_back(*edit->second);
    if (all.keys_only) merged.back().value = SharedBytes();
  }
  std::move(old, stored.entries.end(), std::back_inserter(merged));
  RangeReply reply;
  reply.count = static_cast<int64_t>(merged.size());
  if (request.count_only) return reply;
  reply.more = request.limit > 0 && reply.count > request.limit;
  if (reply.more) merged.resize(static_cast<size_t>(request.limit));
  reply.entries = std::move(merged);
  return reply;
}

}  // namespace skiff::store
