#include "store/cache/selector_index.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace skiff::store {
namespace {

// Walking fewer entries than this costs less than looking anything up would save.
constexpr size_t kShortWalk = 1024;
// What a list takes from a facet at once: parts that are walked side by side, and entries of small
// parts that are gathered into one.
constexpr size_t kMaxParts = 16;
constexpr size_t kSmallPart = 64;
constexpr size_t kMaxGathered = 4096;

// The value by which an entry is found there; nothing if it is not.
std::optional<std::string_view> ValueAt(const Lookup::Place& place, const CacheEntry& entry) {
  switch (place.kind) {
    case Lookup::Kind::kLabelValue:
      return entry.labels().Find(place.label);
    case Lookup::Kind::kLabelKey:
      return entry.labels().Find(place.label) ? std::optional(std::string_view()) : std::nullopt;
    case Lookup::Kind::kField:
      return entry.field(place.field);
    case Lookup::Kind::kName:
      return entry.name();
  }
  return std::nullopt;
}

// The entries of one value. Many values have a single one.
class Posting {
 public:
  void Put(const EntryRef& entry) {
    if (many_.empty() && (!single_ || single_->key() == entry->key())) {
      single_ = entry;
      return;
    }
    if (single_) many_.Put(std::exchange(single_, {}));
    many_.Put(entry);
  }
  void Erase(std::string_view key) {
    if (!single_) {
      many_.Erase(key);
    } else if (single_->key() == key) {
      single_ = {};
    }
  }
  bool empty() const { return !single_ && many_.empty(); }

  size_t Count(std::string_view from, std::string_view to) const {
    if (!single_) return many_.Count(from, to);
    return single_->key() >= from && (to.empty() || single_->key() < to) ? 1 : 0;
  }
  size_t size() const { return single_ ? 1 : many_.size(); }
  void Gather(std::vector<EntryRef>& out) const {
    if (single_) out.push_back(single_);
    for (IndexCursor at = many_.Seek(); !at.done(); at.Next()) out.emplace_back(&*at);
  }
  IndexSnapshot Snapshot() const { return many_.Snapshot(); }  // of more than one

 private:
  EntryRef single_;
  OrderedIndex many_;
};

}  // namespace

class SelectorIndex::Facet {
 public:
  Facet(Lookup::Place place, Duration now) : used(now), place_(std::move(place)) {}

  const Lookup::Place& place() const { return place_; }
  bool complete() const { return complete_; }

  void Change(const EntryRef& entry, const EntryRef& previous) {
    const std::string_view key = (entry ? entry : previous)->key();
    if (!complete_ && key >= made_before_) return;
    const auto value = entry ? ValueAt(place_, *entry) : std::nullopt;
    const auto before = previous ? ValueAt(place_, *previous) : std::nullopt;
    if (before && before != value) Erase(*before, key);
    if (value) Put(*value, entry);
  }

  // Returns how many entries it looked at.
  size_t Build(const IndexReader& index, size_t max_entries) {
    size_t looked_at = 0;
    IndexCursor at = index.Seek(made_before_);
    for (; !at.done() && looked_at < max_entries; at.Next(), ++looked_at) {
      if (const auto value = ValueAt(place_, *at)) Put(*value, EntryRef(&*at));
    }
    complete_ = at.done();
    made_before_ = complete_ ? std::string() : std::string(at->key());
    return looked_at;
  }

  const Posting* Find(std::string_view value) const {
    const auto at = values_.find(value);
    return at == values_.end() ? nullptr : &at->second;
  }

  Duration used;

 private:
  void Put(std::string_view value, const EntryRef& entry) {
    auto at = values_.find(value);
    if (at == values_.end()) at = values_.try_emplace(std::string(value)).first;
    at->second.Put(entry);
  }
  void Erase(std::string_view value, std::string_view key) {
    const auto at = values_.find(value);
    if (at == values_.end()) return;
    at->second.Erase(key);
    if (at->second.empty()) values_.erase(at);
  }

  const Lookup::Place place_;
  TextMap<Posting> values_;
  std::string made_before_;  // keys before this one are in it
  bool complete_ = false;
};

namespace {

// The postings of the values that a lookup asks for.
struct Found {
  std::vector<const Posting*> postings;
  size_t count = 0;  // of entries in the range
};

Found FindPostings(const SelectorIndex::Facet& facet, const Lookup& lookup,
                   const Selection& selection) {
  Found out;
  for (const std::string& value : lookup.values) {
    const Posting* posting = facet.Find(value);
    const size_t count =
        posting == nullptr ? 0 : posting->Count(selection.range_from(), selection.range_to());
    if (count == 0) continue;
    out.postings.push_back(posting);
    out.count += count;
  }
  return out;
}

// Null if they are too many.
NarrowedEntries Join(const std::vector<const Posting*>& postings) {
  std::vector<IndexSnapshot> parts;
  std::vector<EntryRef> gathered;
  for (const Posting* posting : postings) {
    if (posting->size() > kSmallPart) {
      if (parts.size() == kMaxParts) return nullptr;
      parts.push_back(posting->Snapshot());
    } else {
      if (gathered.size() + posting->size() > kMaxGathered) return nullptr;
      posting->Gather(gathered);
    }
  }
  if (!gathered.empty()) {
    OrderedIndex index;
    index.Load(std::move(gathered));
    parts.push_back(index.Snapshot());
  }
  return std::make_shared<const std::vector<IndexSnapshot>>(std::move(parts));
}

}  // namespace

NarrowedEntries SelectorIndex::Narrow(const Selection& selection, size_t range_size,
                                      size_t all_entries, Duration now) {
  if (range_size < kShortWalk || selection.single()) return nullptr;
  std::optional<Found> best;
  size_t to_walk = range_size;
  for (const Lookup& lookup : selection.lookups()) {
    Facet* const facet = Find(lookup.place);
    if (facet == nullptr || !facet->complete()) continue;
    Found found = FindPostings(*facet, lookup, selection);
    // A walk over postings jumps about in memory.
    if (found.count * 2 > to_walk) continue;
    facet->used = now;
    to_walk = found.count;
    best = std::move(found);
  }
  NarrowedEntries narrowed = best ? Join(best->postings) : nullptr;
  if (narrowed == nullptr) to_walk = range_size;
  if (to_walk >= kShortWalk) {
    for (const Lookup& lookup : selection.lookups()) Note(lookup.place, to_walk, all_entries, now);
  }
  return narrowed;
}

SelectorIndex::Facet* SelectorIndex::Find(const Lookup::Place& place) const {
  const auto at = std::ranges::find(facets_, place, &Facet::place);
  return at == facets_.end() ? nullptr : at->get();
}

void SelectorIndex::Note(const Lookup::Place& place, size_t walked, size_t all_entries,
                         Duration now) {
  if (Find(place) != nullptr) return;
  auto wish = std::ranges::find(wishes_, place, &Wish::place);
  if (wish == wishes_.end()) {
    // The least wanted makes room.
    if (wishes_.size() == limits::kMaxSelectorFacets) {
      wishes_.erase(std::ranges::min_element(wishes_, {}, &Wish::walked));
    }
    wish = wishes_.insert(wishes_.end(), {place, 0});
  }
  wish->walked += walked;
  if (wish->walked < all_entries || facets_.size() == limits::kMaxSelectorFacets) return;
  wishes_.erase(wish);
  facets_.push_back(std::make_shared<Facet>(place, now));
}

void SelectorIndex::Change(const EntryRef& entry, const EntryRef& previous) {
  if (!entry && !previous) return;
  for (const auto& facet : facets_) facet->Change(entry, previous);
}

bool SelectorIndex::incomplete() const { return complete_count() != facets_.size(); }

size_t SelectorIndex::complete_count() const {
  return static_cast<size_t>(std::ranges::count_if(facets_, &Facet::complete));
}

void SelectorIndex::Build(const IndexReader& index, size_t max_entries) {
  for (const auto& facet : facets_) {
    if (facet->complete()) continue;
    max_entries -= facet->Build(index, max_entries);
    if (!facet->complete()) return;
  }
}

SelectorIndex::Dropped SelectorIndex::Restart() {
  Dropped old = std::exchange(facets_, {});
  for (const auto& facet : old) {
    facets_.push_back(std::make_shared<Facet>(facet->place(), facet->used));
  }
  return old;
}

SelectorIndex::Dropped SelectorIndex::Expire(Duration now) {
  Dropped old;
  const auto in_use =
      std::ranges::stable_partition(facets_, [&](const std::shared_ptr<Facet>& facet) {
        return facet->used + limits::kSelectorFacetAge >= now;
      }).begin();
  std::move(in_use, facets_.end(), std::back_inserter(old));
  facets_.erase(in_use, facets_.end());
  return old;
}

}  // namespace skiff::store
