#include "store/cache/watcher_registry.h"

#include <algorithm>

#include "base/limits.h"
#include "store/cache/watcher.h"

namespace skiff {
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

void WatcherRegistry::Add(Watcher* watcher, Duration first_bookmark) {
  Group& group = GroupFor(*watcher->selection_);
  watcher->group_ = &group;
  watcher->place_ = group.watchers.size();
  group.watchers.push_back(watcher);
  ++size_;
  if (closed_) watcher->End(*closed_);
  if (!watcher->bookmarks_) return;
  watcher->next_bookmark_ = BookmarkDue(watcher->deadline_, first_bookmark);
  bookmarks_.emplace(watcher->next_bookmark_, watcher);
}

void WatcherRegistry::Remove(Watcher* watcher) {
  auto& group = *static_cast<Group*>(watcher->group_);
  Watcher* const last = group.watchers.back();
  group.watchers[watcher->place_] = last;
  last->place_ = watcher->place_;
  group.watchers.pop_back();
  if (group.watchers.empty() && group.home != nullptr) {
    const std::string value = std::move(group.value);
    group.home->erase(value);
  }
  --size_;
  if (watcher->bookmarks_) bookmarks_.erase({watcher->next_bookmark_, watcher});
}

// Watcher by watcher, so that the memory of each is touched once for all of the events.
void WatcherRegistry::Tell(const Group& group, std::span<const EventRef> events, uint64_t first) {
  constexpr size_t kAhead = 4;
  const std::vector<Watcher*>& watchers = group.watchers;
  for (size_t i = 0; i < watchers.size(); ++i) {
    if (i + kAhead < watchers.size()) watchers[i + kAhead]->Prefetch();
    for (size_t event = 0; event < events.size(); ++event) {
      watchers[i]->Offer(events[event], first + event);
    }
  }
}

void WatcherRegistry::Tell(const Groups& groups, std::string_view value, const EventRef& event,
                           uint64_t number) {
  if (groups.empty()) return;
  const auto at = groups.find(value);
  if (at != groups.end()) Tell(at->second, std::span(&event, 1), number);
}

void WatcherRegistry::TellByFields(const EventRef& event, uint64_t number,
                                   const EntryShape& shape) {
  for (size_t i = 0; i < by_field_.size(); ++i) {
    const size_t field = shape.indexed[i];
    const CacheEntry* const current = event->current();
    const CacheEntry* const previous = event->previous();
    if (current != nullptr) Tell(by_field_[i], current->field(field), event, number);
    if (previous != nullptr &&
        (current == nullptr || current->field(field) != previous->field(field))) {
      Tell(by_field_[i], previous->field(field), event, number);
    }
  }
}

void WatcherRegistry::PublishOne(const EventRef& event, uint64_t number, const EntryShape& shape) {
  const CacheEntry& object = event->current() != nullptr ? *event->current() : *event->previous();
  Tell(by_key_, object.key(), event, number);
  if (shape.namespaced) Tell(by_namespace_, object.name_space(), event, number);
  Tell(by_name_, object.name(), event, number);
  TellByFields(event, number, shape);
}

void WatcherRegistry::Publish(std::span<const EventRef> events, uint64_t first,
                              const EntryShape& shape) {
  if (empty()) return;
  Tell(all_, events, first);
  if (all_.watchers.size() == size_) return;
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
    for (Watcher* watcher : group.watchers) watcher->End(why);
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

}  // namespace skiff
