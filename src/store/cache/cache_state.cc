#include "store/cache/cache_state.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/limits.h"

namespace skiff::store {

void CacheState::Replace(std::vector<EntryRef> entries, std::vector<CacheDamage> damage,
                         Revision revision, Duration now, std::vector<FreshnessQueue::Due>& due) {
  std::vector<EntryRef> changed_last;
  std::ranges::copy_if(entries, std::back_inserter(changed_last),
                       [&](const EntryRef& entry) { return entry->revision() == revision; });
  const bool unreadable =
      std::ranges::any_of(entries, [](const EntryRef& entry) { return !entry->readable(); });
  // Made without the lock; what it replaces is freed without it, too.
  auto index = std::make_unique<OrderedIndex>();
  std::vector<FieldIndex> by_field(shape_.indexed.size());
  for (size_t i = 0; i < shape_.indexed.size(); ++i) {
    std::unordered_map<std::string_view, std::vector<EntryRef>, TextHash> by_value;
    for (const EntryRef& entry : entries) {
      by_value[entry->field(shape_.indexed[i])].push_back(entry);
    }
    for (auto& [value, list] : by_value) {
      auto& values = by_field[i][std::string(value)];
      values = std::make_unique<OrderedIndex>();
      values->Load(std::move(list));
    }
  }
  index->Load(std::move(entries));
  SelectorIndex::Dropped dropped;  // freed behind the lock
  std::lock_guard lock(mutex_);
  dropped = for_selectors_.Restart();
  index_.swap(index);
  by_field_.swap(by_field);
  ring_.Reset(revision);
  // As changes that took nothing into or out of view: what they were before nobody knows.
  if (changed_last.size() > 1) {
    for (const EntryRef& entry : changed_last)
      ring_.Push(CachedEvent::Change(revision, entry, entry, now));
  }
  history_.Clear();
  has_unreadable_ = unreadable;
  last_change_ = revision;
  damage_ = std::move(damage);
  went_back_ = went_back_ || revision < revision_;
  revision_ = revision;
  served_ = !stopped_;
  AdvanceLocked(revision, due);
}

uint64_t CacheState::Apply(std::span<CacheChange> changes, Duration now,
                           std::vector<EventRef>& events, std::vector<FreshnessQueue::Due>& due) {
  std::lock_guard lock(mutex_);
  const uint64_t first = ring_.end();
  for (CacheChange& change : changes) {
    const bool deleted = !change.entry;
    if (!deleted && !change.entry->readable()) has_unreadable_ = true;
    EntryRef previous = deleted ? index_->Erase(change.key) : index_->Put(change.entry);
    if (deleted && !previous) continue;
    history_.Changed(change.revision, previous ? previous->kept().size() : 0);
    last_change_ = change.revision;
    IndexFields(change.entry, previous);
    for_selectors_.Change(change.entry, previous);
    events.push_back(
        CachedEvent::Change(change.revision, std::move(change.entry), std::move(previous), now));
    ring_.Push(events.back());
  }
  if (!changes.empty()) AdvanceLocked(changes.back().revision, due);
  return first;
}

void CacheState::IndexFields(const EntryRef& entry, const EntryRef& previous) {
  for (size_t i = 0; i < shape_.indexed.size(); ++i) {
    const size_t field = shape_.indexed[i];
    FieldIndex& values = by_field_[i];
    if (previous && (!entry || entry->field(field) != previous->field(field))) {
      const auto at = values.find(previous->field(field));
      if (at != values.end()) {
        at->second->Erase(previous->key());
        if (at->second->empty()) values.erase(at);
      }
    }
    if (!entry) continue;
    auto at = values.find(entry->field(field));
    if (at == values.end()) {
      at = values.emplace(entry->field(field), std::make_unique<OrderedIndex>()).first;
    }
    at->second->Put(entry);
  }
}

void CacheState::Advance(Revision revision, std::vector<FreshnessQueue::Due>& due) {
  std::lock_guard lock(mutex_);
  AdvanceLocked(revision, due);
}

void CacheState::AdvanceLocked(Revision revision, std::vector<FreshnessQueue::Due>& due) {
  revision_ = std::max(revision_, revision);
  if (served_) waiting_.TakeFresh(revision_, due);
}

void CacheState::Suspend() {
  std::lock_guard lock(mutex_);
  served_ = false;
}

void CacheState::Stop(std::vector<FreshnessQueue::Due>& due) {
  std::lock_guard lock(mutex_);
  served_ = false;
  stopped_ = true;
  waiting_.TakeAll(due);
}

std::optional<Revision> CacheState::revision() const {
  std::lock_guard lock(mutex_);
  return served_ ? std::optional(revision_) : std::nullopt;
}

bool CacheState::went_back() const {
  std::lock_guard lock(mutex_);
  return went_back_;
}

bool CacheState::IsDamaged(std::span<const CacheChange> changes) const {
  std::lock_guard lock(mutex_);
  if (damage_.empty()) return false;
  return std::ranges::any_of(changes, [&](const CacheChange& change) {
    return std::ranges::any_of(
        damage_, [&](const CacheDamage& damage) { return damage.where.Contains(change.key); });
  });
}

Result<std::optional<CacheState::Found>> CacheState::Get(std::string_view key) const {
  std::lock_guard lock(mutex_);
  if (!served_) return std::nullopt;
  EntryRef entry(index_->Find(key));
  for (const CacheDamage& damage : damage_) {
    if (!entry && damage.where.Contains(key)) return std::unexpected(damage.why);
  }
  return Found{std::move(entry), revision_};
}

Result<void> CacheState::CheckDamage(const Selection& selection) const {
  for (const CacheDamage& damage : damage_) {
    const KeyRange& where = damage.where;
    const bool is_before = !where.end.empty() && where.end <= selection.range_from();
    const bool is_after = !selection.range_to().empty() && where.start >= selection.range_to();
    if (is_before || is_after) continue;
    if (selection.single() && index_->Find(selection.key())) continue;
    return std::unexpected(damage.why);
  }
  return {};
}

IndexSnapshot CacheState::SnapshotFor(const Selection& selection) const {
  // What fields an object has that cannot be read is not known.
  if (!selection.indexed() || selection.single() || has_unreadable_) return index_->Snapshot();
  const FieldIndex& values = by_field_[selection.indexed()->index];
  const auto at = values.find(selection.indexed()->value);
  return at == values.end() ? IndexSnapshot() : at->second->Snapshot();
}

Result<std::optional<ListReply>> CacheState::List(std::shared_ptr<const Selection> selection,
                                                  std::string start_key, int64_t limit,
                                                  Duration now, Unreadable unreadable) {
  std::lock_guard lock(mutex_);
  if (!served_) return std::nullopt;
  if (unreadable == Unreadable::kFails) SKIFF_RETURN_IF_ERROR(CheckDamage(*selection));
  return NewestFor(std::move(selection), revision_, std::move(start_key), limit, now);
}

// The newest state, which stands for this revision.
ListReply CacheState::NewestFor(std::shared_ptr<const Selection> selection, Revision revision,
                                std::string start_key, int64_t limit, Duration now) {
  IndexSnapshot snapshot = SnapshotFor(*selection);
  NarrowedEntries narrowed;
  // Selectors match what cannot be read, whatever they ask for.
  if (!has_unreadable_ && !selection->lookups().empty()) {
    const size_t range_size = snapshot.Count(selection->range_from(), selection->range_to());
    narrowed = for_selectors_.Narrow(*selection, range_size, index_->size(), now);
  }
  ListReply reply(snapshot, revision, selection, std::move(start_key), limit, narrowed);
  if (has_unreadable_) reply.MayHaveUnreadable();
  // A list that may have another page wants to find this state again. Which it does not know before
  // somebody has walked the page; its upper bound will do.
  if (limit > 0 && reply.RangeSize() > static_cast<size_t>(limit)) {
    const bool by_field = selection->indexed() && !selection->single() && !has_unreadable_;
    if (narrowed == nullptr && by_field) {
      narrowed = std::make_shared<const std::vector<IndexSnapshot>>(1, std::move(snapshot));
    }
    history_.Keep(last_change_, index_->Snapshot(), now, selection->identity(), narrowed);
  }
  return reply;
}

Result<std::optional<ListReply>> CacheState::ListAt(Revision revision,
                                                    std::shared_ptr<const Selection> selection,
                                                    std::string start_key, int64_t limit,
                                                    Duration now) {
  std::lock_guard lock(mutex_);
  if (!served_ || revision > revision_) return std::nullopt;
  SKIFF_RETURN_IF_ERROR(CheckDamage(*selection));
  if (revision >= last_change_) {
    return NewestFor(std::move(selection), revision, std::move(start_key), limit, now);
  }
  std::optional<SnapshotHistory::Found> found = history_.Find(revision, selection->identity());
  if (!found) return std::nullopt;
  ListReply reply(std::move(found->snapshot), revision, std::move(selection), std::move(start_key),
                  limit, std::move(found->narrowed));
  if (has_unreadable_) reply.MayHaveUnreadable();
  return reply;
}

Result<std::optional<CacheState::Beginning>> CacheState::BeginWithState(
    std::shared_ptr<const Selection> selection, Duration now, Unreadable unreadable) {
  std::lock_guard lock(mutex_);
  if (!served_) return std::nullopt;
  if (unreadable == Unreadable::kFails) SKIFF_RETURN_IF_ERROR(CheckDamage(*selection));
  return Beginning{NewestFor(std::move(selection), revision_, {}, 0, now), ring_.end()};
}

std::optional<CacheState::Position> CacheState::BeginAfter(Revision revision) const {
  std::lock_guard lock(mutex_);
  if (!served_) return std::nullopt;
  return Position{.next = ring_.FirstAfter(revision), .oldest = ring_.complete_after()};
}

std::optional<CacheState::Position> CacheState::ResumeAfter(Revision revision) const {
  std::lock_guard lock(mutex_);
  if (!served_) return std::nullopt;
  Position out{.next = ring_.ResumeAfter(revision), .oldest = ring_.complete_after()};
  out.repeats = out.next && *out.next != *ring_.FirstAfter(revision);
  return out;
}

bool CacheState::ReadRing(uint64_t from, size_t max, std::vector<EventRef>& out) const {
  std::lock_guard lock(mutex_);
  return ring_.Read(from, max, out);
}

Revision CacheState::ring_complete_after() const {
  std::lock_guard lock(mutex_);
  return ring_.complete_after();
}

void CacheState::WaitFor(Revision revision, Duration deadline, FreshnessCallback call) {
  Waited waited = Waited::kFresh;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) {
      waited = Waited::kStopped;
    } else if (!served_ || revision_ < revision) {
      if (waiting_.size() < limits::kMaxFreshnessWaiters) {
        return waiting_.Add(revision, deadline, std::move(call));
      }
      waited = Waited::kTooMany;
    }
  }
  call(waited);
}

bool CacheState::anyone_waits() const {
  std::lock_guard lock(mutex_);
  return waiting_.size() > 0;
}

void CacheState::IndexForSelectors() {
  for (size_t left = limits::kFacetEntriesPerTick; left > 0;) {
    const size_t at_once = std::min(left, limits::kFacetEntriesAtOnce);
    std::lock_guard lock(mutex_);
    if (!served_ || !for_selectors_.incomplete()) return;
    for_selectors_.Build(*index_, at_once);
    left -= at_once;
  }
}

void CacheState::Expire(Duration now, std::vector<FreshnessQueue::Due>& due) {
  SelectorIndex::Dropped dropped;  // freed behind the lock
  std::lock_guard lock(mutex_);
  dropped = for_selectors_.Expire(now);
  waiting_.TakeOverdue(now, due);
  history_.Expire(now);
  // Watchers that are not slow have encoded what they send within seconds.
  ring_.DropEncodings(now - std::chrono::seconds(2));
}

}  // namespace skiff::store
