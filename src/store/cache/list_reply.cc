#include "store/cache/list_reply.h"

#include <algorithm>
#include <limits>

#include "store/cache/continue_token.h"

namespace skiff::store {

ListCursor::ListCursor(IndexCursor at, const Selection* selection, int64_t limit)
    : at_(at),
      selection_(selection),
      left_(limit > 0 ? static_cast<uint64_t>(limit) : std::numeric_limits<uint64_t>::max()) {}

void ListCursor::Join(std::vector<IndexCursor> others) {
  others_ = std::move(others);
  ChooseNext();
}

void ListCursor::ChooseNext() {
  std::erase_if(others_, [](const IndexCursor& other) { return other.done(); });
  for (IndexCursor& other : others_) {
    if (at_.done() || other->key() < at_->key()) std::swap(at_, other);
  }
}

inline void ListCursor::Step() {
  at_.Next();
  if (!others_.empty()) [[unlikely]]
    ChooseNext();
}

const CacheEntry* ListCursor::Next() {
  size_t budget = std::numeric_limits<size_t>::max();
  return NextWithin(budget);
}

const CacheEntry* ListCursor::NextWithin(size_t& budget) {
  while (!done() && budget > 0) {
    --budget;
    const CacheEntry* entry = &*at_;
    Step();
    if (selection_ != nullptr && !selection_->Matches(*entry)) continue;
    --left_;
    return entry;
  }
  return nullptr;
}

ListReply::ListReply(IndexSnapshot snapshot, Revision revision,
                     std::shared_ptr<const Selection> selection, std::string start_key,
                     int64_t limit, NarrowedEntries narrowed)
    : snapshot_(std::move(snapshot)),
      narrowed_(std::move(narrowed)),
      revision_(revision),
      selection_(std::move(selection)),
      from_(std::max(std::move(start_key), std::string(selection_->range_from()))),
      limit_(limit) {
  const std::string_view to = selection_->range_to();
  if (!to.empty() && from_ > to) from_ = to;
}

ListReply::ListReply(IndexSnapshot snapshot, Revision revision,
                     std::shared_ptr<const Selection> selection, Page page)
    : ListReply(std::move(snapshot), revision, std::move(selection), std::string(), 0) {
  page_ = std::move(page);
}

ListCursor ListReply::Entries() const {
  const Selection* const filter = selection_->whole_range() ? nullptr : selection_.get();
  const auto cursor = [&](const IndexReader& entries) {
    return entries.Seek(from_, selection_->range_to());
  };
  if (selection_->matches_nothing()) return ListCursor(IndexCursor(), filter, limit_);
  if (narrowed_ == nullptr) return ListCursor(cursor(snapshot_), filter, limit_);
  if (narrowed_->empty()) return ListCursor(IndexCursor(), filter, limit_);
  ListCursor out(cursor(narrowed_->front()), filter, limit_);
  if (narrowed_->size() == 1) return out;
  std::vector<IndexCursor> others;
  for (size_t i = 1; i < narrowed_->size(); ++i) others.push_back(cursor((*narrowed_)[i]));
  out.Join(std::move(others));
  return out;
}

size_t ListReply::WalkSize() const {
  if (narrowed_ == nullptr) return RangeSize();
  size_t size = 0;
  for (const IndexSnapshot& part : *narrowed_) size += part.Count(from_, selection_->range_to());
  return size;
}

const ListReply::Page& ListReply::page() {
  size_t budget = std::numeric_limits<size_t>::max();
  SearchPage(budget);
  return *page_;
}

bool ListReply::SearchPage(size_t& budget) {
  if (page_) return true;
  if (!search_) {
    if (limit_ == 0 || RangeSize() <= static_cast<size_t>(limit_)) {
      page_.emplace();
      return true;
    }
    search_.emplace(Entries(), WalkSize());
  }
  size_t steps = std::min(budget, search_->left);
  budget -= steps;
  search_->left -= steps;
  while (const CacheEntry* entry = search_->at.NextWithin(steps)) search_->last = entry;
  budget += steps;
  search_->left += steps;
  if (!search_->at.done() && search_->left > 0) return false;
  page_ = PageAfter(*search_);
  search_.reset();
  return true;
}

ListReply::Page ListReply::PageAfter(const Search& search) const {
  Page page;
  if (search.last == nullptr || !search.at.filled()) return page;
  // Like Kubernetes, more entries behind the page mean another page, whether they match or not.
  const auto behind = [&] {
    if (narrowed_ == nullptr) return search.left;
    return snapshot_.Count(std::string(search.last->key()) + '\0', selection_->range_to());
  };
  if (behind() == 0) return page;
  page.continue_token = TokenAfter(search.last->key(), revision_, *selection_);
  if (selection_->unfiltered()) page.remaining = static_cast<int64_t>(RangeSize()) - limit_;
  return page;
}

std::vector<const CacheEntry*> ListReply::Unreadable(size_t max) const {
  std::vector<const CacheEntry*> out;
  if (!may_have_unreadable_) return out;
  ListCursor cursor = Entries();
  while (const CacheEntry* entry = cursor.Next()) {
    if (entry->readable()) continue;
    out.push_back(entry);
    if (out.size() == max) break;
  }
  return out;
}

std::string ListReply::TokenAfter(std::string_view last_key, Revision revision,
                                  const Selection& selection) {
  std::string start(last_key.substr(selection.page_prefix().size()));
  start.push_back('\0');
  return EncodeContinueToken({.revision = revision.value, .start_key = std::move(start)});
}

std::string ListReply::StartOf(std::string_view token_start, const Selection& selection) {
  return selection.page_prefix() + std::string(token_start);
}

}  // namespace skiff::store
