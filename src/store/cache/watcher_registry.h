// The watchers of one resource, arranged so that a change finds those that it may concern by hash:
// by key, by the value of an indexed field before and after it, by namespace, by name; only those
// that watch everything are all visited.
//
// A watcher stands in one group, the narrowest that holds all that it may see, and there among
// those with the same selectors (each node's proxy watches the same services), which are matched
// once for all of them.
//
// Threads: whoever calls holds mutex(). It is taken before the lock of CacheState, and is held by
// the publisher while it tells the watchers of a change, so that nobody joins, leaves or is given a
// bookmark in between.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "store/cache/cached_event.h"
#include "store/cache/selection.h"
#include "store/cache/text_hash.h"
#include "store/store.h"

namespace skiff::store {

class Watcher;

class WatcherRegistry {
 public:
  // As many indexed fields as EntryShape has.
  explicit WatcherRegistry(size_t indexed_fields) : by_field_(indexed_fields) {}
  std::mutex& mutex() { return mutex_; }

  // After Close() the watcher ends at once.
  void Add(Watcher* watcher, Duration first_bookmark);
  void Remove(Watcher* watcher);
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Tells those concerned. The events' numbers begin with `first`.
  void Publish(std::span<const EventRef> events, uint64_t first, const EntryShape& shape);
  // Gives a bookmark to those whose turn it is, if all that came before it is in their queues.
  void SendBookmarks(Revision revision, Duration now, Random& random);
  bool anyone_wants_bookmarks() const { return !bookmarks_.empty(); }
  void EndAll(const Status& why);
  // Ends all, and whoever comes.
  void Close(const Status& why);

 private:
  // Those who want the same: whether a change concerns them is found out once for all.
  struct Audience {
    std::shared_ptr<const Selection> selection;
    std::vector<Watcher*> watchers;
    size_t place;  // in Group::audiences
  };
  struct Group;
  using Groups = TextMap<Group>;
  struct Group {
    std::vector<Audience*> audiences;
    TextMap<std::unique_ptr<Audience>> by_identity;  // of the selection
    Groups* home = nullptr;  // where the group is found; null: it always exists
    std::string value;
  };

  Group& GroupFor(const Selection& selection);
  static Group& Obtain(Groups& groups, const std::string& value);
  static Audience& AudienceFor(Group& group, const std::shared_ptr<const Selection>& selection);
  static void PrefetchAfter(const Group& group, size_t at);
  static void Notify(const Group& group, const EventRef& event, uint64_t number);
  static void Notify(const Groups& groups, std::string_view value, const EventRef& event,
                     uint64_t number);
  void NotifyByFields(const EventRef& event, uint64_t number, const EntryShape& shape);
  void PublishOne(const EventRef& event, uint64_t number, const EntryShape& shape);

  std::mutex mutex_;
  size_t size_ = 0;
  std::optional<Status> closed_;
  Group all_;
  Groups by_key_;
  Groups by_namespace_;
  Groups by_name_;                                     // in all namespaces
  std::vector<Groups> by_field_;                       // in the order of EntryShape::indexed
  std::set<std::pair<Duration, Watcher*>> bookmarks_;  // by when they are due
};

}  // namespace skiff::store
