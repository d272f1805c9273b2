#include "store/cache/store_list.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "store/cache/freshness.h"

namespace skiff::store {
namespace {

class StoreList : public std::enable_shared_from_this<StoreList> {
 public:
  StoreList(Store& store, EntryBuilder maker, StoreListRequest request,
            StoreCallback<ListReply> done)
      : store_(store),
        maker_(std::move(maker)),
        request_(std::move(request)),
        done_(std::move(done)),
        at_(request_.at) {
    const Selection& selection = *request_.selection;
    range_ = KeyRange::Prefix(maker_.prefix());
    const std::string from =
        std::max(std::string(selection.range_from()), std::move(request_.start_key));
    range_.start = maker_.prefix() + from;
    if (!selection.range_to().empty()) {
      range_.end = maker_.prefix() + std::string(selection.range_to());
    }
    token_start_ = from.substr(std::min(from.size(), selection.page_prefix().size()));
  }

  void ReadPage() {
    RangeRequest page{.range = range_, .at = at_, .limit = limits::kListPageFromStore};
    if (request_.limit > 0 && request_.selection->whole_range()) {
      page.limit = std::min(page.limit, request_.limit - static_cast<int64_t>(entries_.size()));
    }
    store_.Range(std::move(page), [self = shared_from_this()](Result<RangeReply> reply) {
      self->GotPage(std::move(reply));
    });
  }

 private:
  void GotPage(Result<RangeReply> reply) {
    if (!reply && reply.error().reason() == StatusReason::kTimeout) return TellTooLarge();
    if (!reply) return done_(std::unexpected(Explain(std::move(reply.error()))));
    if (request_.at == Revision{} && reply->revision < request_.not_older_than) {
      return done_(
          std::unexpected(TooLargeResourceVersion(request_.not_older_than, reply->revision)));
    }
    if (at_ == Revision{}) at_ = reply->revision;
    if (total_ < 0) total_ = reply->count;
    for (size_t i = 0; i < reply->entries.size(); ++i) {
      EntryRef entry = maker_.Make(reply->entries[i]);
      if (!request_.selection->Matches(*entry)) continue;
      has_unreadable_ = has_unreadable_ || !entry->readable();
      entries_.push_back(std::move(entry));
      if (static_cast<int64_t>(entries_.size()) == request_.limit) {
        return Finish(i + 1 < reply->entries.size() || reply->more);
      }
    }
    if (!reply->more || reply->entries.empty()) return Finish(false);
    range_.start = reply->entries.back().key + '\0';
    ReadPage();
  }

  Status Explain(Status error) const {
    if (error.reason() == StatusReason::kExpired) {
      return request_.continues ? TooOldToContinue(token_start_) : TooOldToList();
    }
    return error;
  }

  void TellTooLarge() {
    store_.CurrentRevision([self = shared_from_this()](Result<Revision> revision) {
      self->done_(std::unexpected(
          TooLargeResourceVersion(self->request_.at, revision.value_or(Revision{}))));
    });
  }

  void Finish(bool more) {
    ListReply::Page page;
    if (more) {
      page.continue_token = ListReply::TokenAfter(entries_.back()->key(), at_, *request_.selection);
      if (request_.selection->unfiltered()) page.remaining = total_ - request_.limit;
    }
    OrderedIndex index;
    index.Load(std::move(entries_));
    ListReply reply(index.Snapshot(), at_, request_.selection, std::move(page));
    if (has_unreadable_) reply.MayHaveUnreadable();
    done_(std::move(reply));
  }

  Store& store_;
  EntryBuilder maker_;
  StoreListRequest request_;
  StoreCallback<ListReply> done_;
  Revision at_;
  KeyRange range_;
  std::string token_start_;
  int64_t total_ = -1;
  std::vector<EntryRef> entries_;
  bool has_unreadable_ = false;
};

}  // namespace

void ListFromStore(Store& store, EntryBuilder maker, StoreListRequest request,
                   StoreCallback<ListReply> done) {
  std::make_shared<StoreList>(store, std::move(maker), std::move(request), std::move(done))
      ->ReadPage();
}

}  // namespace skiff::store
