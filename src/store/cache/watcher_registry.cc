#include "store/cache/watcher_registry.h"

#include <algorithm>

#include "base/limits.h"
#include "store/cache/watcher.h"

namespace skiff::store {
namespace {

// How soon a watcher that could not be given its bookmark gets another chance.
constexpr Duration kBookmarkRetry = std::chrono::seconds(1);

// When the bookmark after this one is due.
Duration BookmarkDue(Duration deadline, Duration next) {
  return deadline == Duration{0} ? next : std::min(next, deadline - limits::kBookmarkMargin);
}

}  // namespace

WatcherRegistry::Group& WatcherRegistry::Obtain(Groups& groups, const std::string& value) {
  Group& group = groups[value];
  group.home = &groups;
  group.value = value;
  return group;
}

WatcherRegistry::Group& WatcherRegistry::GroupFor(const Selection& selection) {
  if (selection.single()) return Obtain(by_key_, selection.key());
  if (selection.indexed()) {
    return Obtain(by_field_[selection.indexed()->index], selection.indexed()->value);
  }
  if (!selection.name().empty()) return Obtain(by_name_, selection.name());
  if (!selection.name_space().empty()) return Obtain(by_namespace_, selection.name_space());
  return all_;
}

WatcherRegistry::Audience& WatcherRegistry::AudienceFor(
    Group& group, const std::shared_ptr<const Selection>& selection) {
  std::unique_ptr<Audience>& audience = group.by_identity[selection->identity()];
  if (!audience) {
    audience =
        std::make_unique<Audience>(selection, std::vector<Watcher*>(), group.audiences.size());
    group.audiences.push_back(audience.get());
  }
  return *audience;
}

void WatcherRegistry::Add(Watcher* watcher, Duration first_bookmark) {
  Group& group = GroupFor(*watcher->selection_);
  Audience& audience = AudienceFor(group, watcher->selection_);
  watcher->group_ = &group;
  watcher->audience_ = &audience;
  watcher->place_ = audience.watchers.size();
  audience.watchers.push_back(watcher);
  ++size_;
  if (closed_) watcher->End(*closed_);
  if (!watcher->bookmarks_) return;
  const Duration due = BookmarkDue(watcher->deadline_, first_bookmark);
  // A watch that is over sooner than the margin gets none before its end.
  const bool too_short = due < first_bookmark - limits::kBookmarkInterval;
  watcher->next_bookmark_ = too_short ? first_bookmark : due;
  bookmarks_.emplace(watcher->next_bookmark_, watcher);
}

void WatcherRegistry::Remove(Watcher* watcher) {
  auto& group = *static_cast<Group*>(watcher->group_);
  auto& audience = *static_cast<Audience*>(watcher->audience_);
  Watcher* const last = audience.watchers.back();
  audience.watchers[watcher->place_] = last;
  last->place_ = watcher->place_;
  audience.watchers.pop_back();
  if (audience.watchers.empty()) {
    Audience* const last_audience = group.audiences.back();
    group.audiences[audience.place] = last_audience;
    last_audience->place = audience.place;
    group.audiences.pop_back();
    group.by_identity.erase(watcher->selection_->identity());
  }
  if (group.audiences.empty() && group.home != nullptr) {
    const std::string value = std::move(group.value);
    group.home->erase(value);
  }
  --size_;
  if (watcher->bookmarks_) bookmarks_.erase({watcher->next_bookmark_, watcher});
}

// Many audiences are small, and then each step from one memory to the next waits. So they are taken
// ahead of their turn, each step when the one before it has arrived.
void WatcherRegistry::PrefetchAfter(const Group& group, size_t at) {
  constexpr size_t kAhead = 4;
  const auto ahead = [&](size_t steps) -> const Audience* {
    const size_t which = at + steps * kAhead;
    return which < group.audiences.size() ? group.audiences[which] : nullptr;
  };
  if (const Audience* audience = ahead(3)) __builtin_prefetch(audience);
  if (const Audience* audience = ahead(2)) {
    audience->selection->Prefetch();
    __builtin_prefetch(audience->watchers.data());
  }
  if (const Audience* audience = ahead(1)) {
    audience->selection->PrefetchLabels();
    audience->watchers.front()->Prefetch();
  }
}

void WatcherRegistry::Notify(const Group& group, const EventRef& event, uint64_t number) {
  constexpr size_t kAhead = 4;
  for (size_t at = 0; at < group.audiences.size(); ++at) {
    PrefetchAfter(group, at);
    const Audience& audience = *group.audiences[at];
    const std::optional<EventType> type = Watcher::TypeFor(*event, *audience.selection);
    if (!type) continue;
    const std::vector<Watcher*>& watchers = audience.watchers;
    for (size_t i = 0; i < watchers.size(); ++i) {
      if (i + kAhead < watchers.size()) watchers[i + kAhead]->Prefetch();
      watchers[i]->Offer(event, *type, number);
    }
  }
}

void WatcherRegistry::Notify(const Groups& groups, std::string_view value, const EventRef& event,
                             uint64_t number) {
  if (groups.empty()) return;
  const auto at = groups.find(value);
  if (at != groups.end()) Notify(at->second, event, number);
}

void WatcherRegistry::NotifyByFields(const EventRef& event, uint64_t number,
                                     const EntryShape& shape) {
  for (size_t i = 0; i < by_field_.size(); ++i) {
    const size_t field = shape.indexed[i];
    const CacheEntry* const current = event->current();
    const CacheEntry* const previous = event->previous();
    if ((current != nullptr && !current->readable()) ||
        (previous != nullptr && !previous->readable())) {
      for (const auto& [value, group] : by_field_[i]) Notify(group, event, number);
      continue;
    }
    if (current != nullptr) Notify(by_field_[i], current->field(field), event, number);
    if (previous != nullptr &&
        (current == nullptr || current->field(field) != previous->field(field))) {
      Notify(by_field_[i], previous->field(field), event, number);
    }
  }
}

void WatcherRegistry::PublishOne(const EventRef& event, uint64_t number, const EntryShape& shape) {
  const CacheEntry& object = event->current() != nullptr ? *event->current() : *event->previous();
  Notify(all_, event, number);
  Notify(by_key_, object.key(), event, number);
  if (shape.namespaced) Notify(by_namespace_, object.name_space(), event, number);
  Notify(by_name_, object.name(), event, number);
  NotifyByFields(event, number, shape);
}

void WatcherRegistry::Publish(std::span<const EventRef> events, uint64_t first,
                              const EntryShape& shape) {
  if (empty()) return;
  for (size_t i = 0; i < events.size(); ++i) PublishOne(events[i], first + i, shape);
}

void WatcherRegistry::SendBookmarks(Revision revision, Duration now, Random& random) {
  EventRef bookmark;  // one for all
  while (!bookmarks_.empty() && bookmarks_.begin()->first <= now) {
    Watcher* const watcher = bookmarks_.begin()->second;
    bookmarks_.erase(bookmarks_.begin());
    if (!bookmark) bookmark = CachedEvent::Bookmark(revision, false);
    Duration next = now + kBookmarkRetry;
    if (watcher->OfferBookmark(bookmark)) {
      // Spread, so that watches that began together do not stay together.
      const Duration spread = limits::kBookmarkInterval / 10;
      next = now + limits::kBookmarkInterval +
             Duration(static_cast<int64_t>(random.Uniform(static_cast<uint64_t>(spread.count()))));
      // Once the last one before the deadline is out, the deadline does not matter any more.
      const Duration last = BookmarkDue(watcher->deadline_, next);
      if (last > now) next = last;
    }
    watcher->next_bookmark_ = next;
    bookmarks_.emplace(next, watcher);
  }
}

void WatcherRegistry::EndAll(const Status& why) {
  const auto end = [&](const Group& group) {
    for (const Audience* audience : group.audiences) {
      for (Watcher* watcher : audience->watchers) watcher->End(why);
    }
  };
  end(all_);
  for (const Groups* groups : {&by_key_, &by_namespace_, &by_name_}) {
    for (const auto& [value, group] : *groups) end(group);
  }
  for (const Groups& groups : by_field_) {
    for (const auto& [value, group] : groups) end(group);
  }
}

void WatcherRegistry::Close(const Status& why) {
  closed_ = why;
  EndAll(why);
}

}  // namespace skiff::store
