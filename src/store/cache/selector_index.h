// Finds the entries that selectors ask for without looking at all of them.
//
// What can be looked up is a label's value, that a label is there, a field's value, and a name in
// whatever namespace (Lookup, in selection.h). For each such label or field that lists have asked
// for, the index has a facet: the entries by their value, those of one value in order of key, as an
// ordered index of its own, whose snapshots are as cheap and as consistent as those of the entries
// themselves. A list walks the smallest of what its selector's facets offer, and still matches each
// entry against the whole selector.
//
// Facets are made for what is worth it, because each takes memory for every entry that has its
// label, about 14 bytes, and time in every write: a resource gets its first when lists have walked
// as many entries for a label or field as the resource has. A facet is made in pieces while the
// writer goes on: it holds the entries whose keys lie before a mark, which moves on from call to
// call; what is written behind the mark will be found there. Their number is bounded, and one that
// nobody has used for a while is dropped.
//
// Not thread-safe: its owner locks. Snapshots are free of it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/cache/ordered_index.h"
#include "store/cache/selection.h"
#include "store/cache/text_hash.h"

namespace skiff::store {

// Entries among which are all that a selection matches: indexes that have none in common. Null: not
// known to be fewer than all.
using NarrowedEntries = std::shared_ptr<const std::vector<IndexSnapshot>>;

class SelectorIndex {
 public:
  SelectorIndex() = default;
  SelectorIndex(const SelectorIndex&) = delete;
  SelectorIndex& operator=(const SelectorIndex&) = delete;

  // For a list or watch that would walk `range_size` entries otherwise. Notes what it would have
  // liked to look up.
  NarrowedEntries Narrow(const Selection& selection, size_t range_size, size_t all_entries,
                         Duration now);
  // An entry takes the place of another; either may be null.
  void Change(const EntryRef& entry, const EntryRef& previous);

  // Whether Build() has something to do.
  bool incomplete() const;
  // Goes on making facets, over so many entries of the index at most.
  void Build(const IndexReader& index, size_t max_entries);

  // What is given up takes time to free, which is better done without the lock.
  class Facet;
  using Dropped = std::vector<std::shared_ptr<Facet>>;  // of which it had the only handles
  // The entries are others now: all facets are to be made anew.
  Dropped Restart();
  // Facets that were not used for long.
  Dropped Expire(Duration now);

  size_t facet_count() const { return facets_.size(); }
  // Those that Build() has done with.
  size_t complete_count() const;

 private:
  // What lists asked for and was not at hand.
  struct Wish {
    Lookup::Place place;
    size_t walked;  // entries, for want of it
  };

  Facet* Find(const Lookup::Place& place) const;
  void Note(const Lookup::Place& place, size_t walked, size_t all_entries, Duration now);

  std::vector<std::shared_ptr<Facet>> facets_;
  std::vector<Wish> wishes_;
};

}  // namespace skiff::store
