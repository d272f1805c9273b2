// The answer to a list: a snapshot of the index and what of it was asked for.
//
// Nothing is copied and nothing but the end of a page is looked for ahead, so a reply costs the
// same for ten objects and for a million. It is walked while it is being sent:
//
//   const ListReply::Page& page = reply.page();  // metadata comes before the items
//   for (ListCursor at = reply.Entries(); const CacheEntry* entry = at.Next();) Send(*entry);
//
// With a selector that matches little both walk far for nothing. Who must not be kept by that takes
// SearchPage() and NextWithin(), a few entries at a time.
//
// Threads: one at a time; whichever.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/cache/ordered_index.h"
#include "store/cache/selection.h"
#include "store/cache/selector_index.h"
#include "store/store.h"

namespace skiff::store {

// Walks the entries of a reply in order of their keys. Valid while the reply lives and stays where
// it is.
class ListCursor {
 public:
  // Null at the end.
  const CacheEntry* Next();
  // The same, but looks at no more than `budget` entries, matching or not, and counts it down. Null
  // also when the budget is spent; done() tells.
  const CacheEntry* NextWithin(size_t& budget);
  bool done() const { return at_.done() || left_ == 0; }
  // Whether the limit has been reached.
  bool filled() const { return left_ == 0; }

 private:
  friend class ListReply;
  ListCursor(IndexCursor at, const Selection* selection, int64_t limit);
  // Walks these side by side as well. They have no entries in common.
  void Join(std::vector<IndexCursor> others);
  void Step();
  // Makes at_ the one that stands at the smallest key.
  void ChooseNext();

  IndexCursor at_;  // at its end when all are
  std::vector<IndexCursor> others_;
  const Selection* selection_;  // null: everything matches
  uint64_t left_;               // entries that the limit still allows
};

class ListReply {
 public:
  struct Page {
    std::string continue_token;        // empty on the last page
    std::optional<int64_t> remaining;  // remainingItemCount: without selectors only
  };

  // Entries from `start_key` on, up to `limit` of them unless it is zero. If they have been
  // narrowed down, only those are walked; what lies behind a page is told from the snapshot all the
  // same.
  ListReply(IndexSnapshot snapshot, Revision revision, std::shared_ptr<const Selection> selection,
            std::string start_key, int64_t limit, NarrowedEntries narrowed = nullptr);
  // All that matches in the snapshot, the page being known already.
  ListReply(IndexSnapshot snapshot, Revision revision, std::shared_ptr<const Selection> selection,
            Page page);

  Revision revision() const { return revision_; }
  const Page& page();
  // Goes on with the search for the end of the page, over so many entries at most, of which it
  // leaves those that it did not need: true when the page is known.
  bool SearchPage(size_t& budget);
  ListCursor Entries() const;
  // How many entries lie in the range, matching or not.
  size_t RangeSize() const { return snapshot_.Count(from_, selection_->range_to()); }
  const Selection& selection() const { return *selection_; }

  // The objects that cannot be read, up to `max` of them. Costs a walk, but only where the cache
  // knows that there may be some.
  std::vector<const CacheEntry*> Unreadable(size_t max) const;
  void MayHaveUnreadable() { may_have_unreadable_ = true; }

  // The token for what follows after `last_key`.
  static std::string TokenAfter(std::string_view last_key, Revision revision,
                                const Selection& selection);
  // Where a list that goes on at a token's start key begins.
  static std::string StartOf(std::string_view token_start, const Selection& selection);

 private:
  // Where the search for the end of the page is.
  struct Search {
    ListCursor at;
    size_t left;  // entries that it has not looked at
    const CacheEntry* last = nullptr;
  };
  Page PageAfter(const Search& search) const;
  // How many entries Entries() walks at most.
  size_t WalkSize() const;

  IndexSnapshot snapshot_;
  NarrowedEntries narrowed_;
  Revision revision_;
  std::shared_ptr<const Selection> selection_;
  std::string from_;
  int64_t limit_;
  std::optional<Page> page_;
  std::optional<Search> search_;
  bool may_have_unreadable_ = false;
};

}  // namespace skiff::store
