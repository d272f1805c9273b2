// What a cache knows of its resource at one moment: the index of the objects, the revision that it
// stands for, the ring of the latest changes, and who waits for it to get fresher.
//
// All changes of one revision become visible at once, and the revision with them, so no reader ever
// sees half of one. Readers copy a handle under the lock and then go their own way.
//
// Owned by ResourceCache and by its watchers. Threads: any; one at a time calls Replace, Apply and
// Advance.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "store/cache/event_ring.h"
#include "store/cache/freshness_queue.h"
#include "store/cache/list_reply.h"
#include "store/cache/ordered_index.h"
#include "store/cache/selection.h"
#include "store/cache/selector_index.h"
#include "store/cache/snapshot_history.h"
#include "store/cache/text_hash.h"
#include "store/cache/watcher_registry.h"
#include "store/store.h"

namespace skiff::store {

struct CacheChange {
  std::string_view key;
  EntryRef entry;  // null: deleted
  Revision revision;
};

// What the store could not read when the state was loaded: keys as the index has them.
struct CacheDamage {
  KeyRange where;
  Status why;
};

// What becomes of a list that should hold something that could not be read.
enum class Unreadable : uint8_t { kFails, kLeftOut };

class CacheState {
 public:
  CacheState(EntryShape shape, const EventRingBounds& bounds)
      : shape_(std::move(shape)),
        watchers_(shape_.indexed.size()),
        ring_(bounds),
        by_field_(shape_.indexed.size()) {}

  const EntryShape& shape() const { return shape_; }
  // Its lock comes before this one's. Whoever changes the state holds it from before the change
  // until the watchers have been told.
  WatcherRegistry& watchers() { return watchers_; }

  // --- changes. What they put into `due` is to be called without locks.
  // The objects at this revision instead of all that was. The state is served from now on. Objects
  // that this very revision changed together are events of the ring, for ResumeAfter. A revision
  // below the last one means that the store has gone back.
  void Replace(std::vector<EntryRef> entries, std::vector<CacheDamage> damage, Revision revision,
               Duration now, std::vector<FreshnessQueue::Due>& due);
  // In order. The events' numbers in the ring begin with the one that is returned.
  uint64_t Apply(std::span<CacheChange> changes, Duration now, std::vector<EventRef>& events,
                 std::vector<FreshnessQueue::Due>& due);
  // There are no more changes up to this revision.
  void Advance(Revision revision, std::vector<FreshnessQueue::Due>& due);
  // The state is not kept up to date any more.
  void Suspend();
  // The state is given up; nobody can wait for it any more.
  void Stop(std::vector<FreshnessQueue::Due>& due);

  // --- reads
  // Empty while the state is not served.
  std::optional<Revision> revision() const;
  // Whether the store once went back, so that revisions above its own may be of a lost history.
  bool went_back() const;
  // Whether some of these keys could not be read.
  bool IsDamaged(std::span<const CacheChange> changes) const;
  struct Found {
    EntryRef entry;  // null: there is none
    Revision revision;
  };
  // These three are empty while the state is not served. An error tells that some of what was asked
  // for could not be read: an answer without it would say that it does not exist.
  Result<std::optional<Found>> Get(std::string_view key) const;
  // The newest state.
  Result<std::optional<ListReply>> List(std::shared_ptr<const Selection> selection,
                                        std::string start_key, int64_t limit, Duration now,
                                        Unreadable unreadable = Unreadable::kFails);
  // The state at exactly this revision, if it is at hand.
  Result<std::optional<ListReply>> ListAt(Revision revision,
                                          std::shared_ptr<const Selection> selection,
                                          std::string start_key, int64_t limit, Duration now);

  // The newest state and the number of the first event after it.
  struct Beginning {
    ListReply state;
    uint64_t next;
  };
  Result<std::optional<Beginning>> BeginWithState(std::shared_ptr<const Selection> selection,
                                                  Duration now,
                                                  Unreadable unreadable = Unreadable::kFails);
  // The number of the first event after a revision. Nothing if the state is not served.
  struct Position {
    std::optional<uint64_t> next;  // nothing: too old
    Revision oldest;               // the earliest revision that would do
    bool repeats = false;          // it is an event of that very revision
  };
  std::optional<Position> BeginAfter(Revision revision) const;
  // Likewise, for one who was told of that revision, perhaps not of all of it: see EventRing.
  std::optional<Position> ResumeAfter(Revision revision) const;

  bool ReadRing(uint64_t from, size_t max, std::vector<EventRef>& out) const;
  Revision ring_complete_after() const;

  // Calls back when the state has reached the revision, or the deadline or the end has come: at
  // once, and on this thread, if it has, or if too many wait already.
  void WaitFor(Revision revision, Duration deadline, FreshnessCallback call);
  bool anyone_waits() const;

  // Goes on, a few entries at a time, with what makes lists with selectors quick.
  void IndexForSelectors();
  // Gives up what has become too old.
  void Expire(Duration now, std::vector<FreshnessQueue::Due>& due);

 private:
  // Objects by the value of one field, each value's in order of key.
  using FieldIndex = TextMap<std::unique_ptr<OrderedIndex>>;

  void IndexFields(const EntryRef& entry, const EntryRef& previous);
  IndexSnapshot SnapshotFor(const Selection& selection) const;
  ListReply NewestFor(std::shared_ptr<const Selection> selection, Revision revision,
                      std::string start_key, int64_t limit, Duration now);
  Result<void> CheckDamage(const Selection& selection) const;
  void AdvanceLocked(Revision revision, std::vector<FreshnessQueue::Due>& due);

  const EntryShape shape_;
  WatcherRegistry watchers_;

  mutable std::mutex mutex_;
  bool served_ = false;
  bool stopped_ = false;
  Revision revision_;     // every change up to here is in the index
  Revision last_change_;  // of those that are in the index, or of its loading
  bool went_back_ = false;
  std::vector<CacheDamage> damage_;
  std::unique_ptr<OrderedIndex> index_ = std::make_unique<OrderedIndex>();
  EventRing ring_;
  SnapshotHistory history_;
  FreshnessQueue waiting_;
  std::vector<FieldIndex> by_field_;  // in the order of EntryShape::indexed
  SelectorIndex for_selectors_;
  // Since the index was loaded, an object was in it that cannot be read.
  bool has_unreadable_ = false;
};

}  // namespace skiff::store
