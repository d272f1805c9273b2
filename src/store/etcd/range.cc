#include "store/etcd/range.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "store/check.h"
#include "store/etcd/convert.h"

namespace skiff::store {
namespace {

using RangeCall = EtcdCall<etcdserverpb::RangeRequest, etcdserverpb::RangeResponse>;

// A read of the newest state begins anew when its revision is compacted between two pages.
constexpr int kMaxRestarts = 3;

// A scan begins with what fits into a page however large the values are. A page is then at most so
// many times the one before, since entries need not be alike.
constexpr int64_t kFirstScanEntries =
    static_cast<int64_t>(limits::kEtcdPageBytes / limits::kMaxStoreTransactionBytes);
constexpr int64_t kMaxPageGrowth = 16;

// One range under way. Kept alive by the call that is under way; touched by one thread at a time.
class PagedRange : public std::enable_shared_from_this<PagedRange> {
 public:
  PagedRange(std::shared_ptr<EtcdCore> core, RangeRequest request, ScanSink* sink,
             StoreCallback<RangeReply> done)
      : core_(std::move(core)),
        request_(std::move(request)),
        sink_(sink),
        done_(std::move(done)),
        stale_(request_.may_be_stale) {
    Restart();
  }

  void AskPage() {
    etcdserverpb::RangeRequest message;
    const EtcdKeys keys = ToEtcdKeys({cursor_, request_.range.end});
    message.set_key(keys.key);
    message.set_range_end(keys.range_end);
    message.set_revision(at_.value);
    message.set_serializable(stale_);
    message.set_keys_only(request_.keys_only);
    message.set_count_only(request_.count_only);
    const int64_t left = request_.limit - static_cast<int64_t>(reply_.entries.size());
    if (!request_.count_only) message.set_limit(request_.limit > 0 ? std::min(left, page_) : page_);
    EtcdCallKind kind;
    kind.require_leader = !stale_;
    kind.current = !stale_;
    if (page_ > limits::kEtcdFirstPageEntries) {
      // Megabytes take their time.
      kind.attempt_timeout = core_->options().request_timeout;
      kind.timeout = 2 * core_->options().request_timeout;
    }
    RangeCall::Start(core_, kind, kEtcdRange, message,
                     [self = shared_from_this()](Result<etcdserverpb::RangeResponse> page) {
                       if (page) return self->OnPage(*page);
                       self->OnError(std::move(page).error());
                     });
  }

 private:
  void Restart() {
    cursor_ = request_.range.start;
    at_ = request_.at;
    page_ = sink_ == nullptr ? limits::kEtcdFirstPageEntries : kFirstScanEntries;
    reply_ = RangeReply();
    first_ = true;
  }

  void OnPage(etcdserverpb::RangeResponse& page) {
    const bool is_empty = !request_.range.end.empty() && request_.range.end <= request_.range.start;
    if (first_) {
      first_ = false;
      reply_.revision.value = page.header().revision();
      reply_.count = is_empty ? 0 : page.count();
      if (at_.value == 0) at_ = reply_.revision;
      // The next page may come from another member, which need not be as far as this one.
      stale_ = false;
    }
    if (is_empty || request_.count_only) return Finish();
    const size_t bytes = page.kvs_size() == 0 ? 0 : page.ByteSizeLong();
    const auto entries = page.kvs_size();
    for (mvccpb::KeyValue& entry : *page.mutable_kvs())
      reply_.entries.push_back(TakeKeyValue(entry));
    reply_.more = page.more();
    if (entries > 0) {
      cursor_ = reply_.entries.back().key + '\0';
      const auto fit = static_cast<int64_t>(limits::kEtcdPageBytes / (bytes / entries + 1));
      page_ = std::clamp<int64_t>(fit, 1,
                                  std::min(page_ * kMaxPageGrowth, limits::kMaxEtcdPageEntries));
    }
    const bool is_full =
        request_.limit > 0 && static_cast<int64_t>(reply_.entries.size()) >= request_.limit;
    if (sink_ != nullptr && entries > 0) sink_->OnEntries(std::exchange(reply_.entries, {}));
    if (entries == 0 || !page.more() || is_full) return Finish();
    AskPage();
  }

  void OnError(Status error) {
    if (error.reason() == StatusReason::kTimeout && stale_) {
      stale_ = false;  // the member has not come so far; the others may have
      return AskPage();
    }
    const bool may_restart = sink_ == nullptr && request_.at.value == 0 && !first_;
    if (error.reason() == StatusReason::kExpired && may_restart && ++restarts_ <= kMaxRestarts) {
      Restart();
      return AskPage();
    }
    done_(std::unexpected(std::move(error)));
  }

  void Finish() { done_(std::move(reply_)); }

  const std::shared_ptr<EtcdCore> core_;
  const RangeRequest request_;
  ScanSink* const sink_;  // null: entries are gathered in the reply
  StoreCallback<RangeReply> done_;
  bool stale_;
  bool first_ = true;
  int restarts_ = 0;
  std::string cursor_;
  Revision at_;
  int64_t page_ = 0;
  RangeReply reply_;
};

}  // namespace

void StartEtcdRange(const std::shared_ptr<EtcdCore>& core, RangeRequest request,
                    StoreCallback<RangeReply> done) {
  if (auto checked = CheckRange(request); !checked)
    return done(std::unexpected(std::move(checked).error()));
  std::make_shared<PagedRange>(core, std::move(request), nullptr, std::move(done))->AskPage();
}

void StartEtcdScan(const std::shared_ptr<EtcdCore>& core, KeyRange range, ScanSink* sink,
                   StoreCallback<Revision> done) {
  RangeRequest request;
  request.range = std::move(range);
  std::make_shared<PagedRange>(core, std::move(request), sink,
                               [done = std::move(done)](Result<RangeReply> reply) mutable {
                                 if (reply) return done(reply->revision);
                                 done(std::unexpected(std::move(reply).error()));
                               })
      ->AskPage();
}

void StartEtcdRevision(const std::shared_ptr<EtcdCore>& core, StoreCallback<Revision> done,
                       EtcdCallKind kind) {
  etcdserverpb::RangeRequest message;
  message.set_key(core->options().health_key);
  message.set_count_only(true);
  RangeCall::Start(core, kind, kEtcdRange, message,
                   [done = std::move(done)](Result<etcdserverpb::RangeResponse> reply) mutable {
                     if (reply) return done(Revision{reply->header().revision()});
                     done(std::unexpected(std::move(reply).error()));
                   });
}

void CheckEtcdHistory(const std::shared_ptr<EtcdCore>& core) {
  if (core->checking_history.exchange(true)) return;
  StartEtcdRevision(core,
                    [raw = core.get()](const Result<Revision>&) { raw->checking_history = false; });
}

}  // namespace skiff::store
