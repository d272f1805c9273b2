#include "store/etcd_server/watch_stream.h"

#include <utility>
#include <vector>

#include "base/limits.h"
#include "store/etcd_server/convert.h"

namespace skiff::store {
namespace {

using etcdserverpb::WatchCreateRequest;
using etcdserverpb::WatchResponse;

constexpr int64_t kNoWatchId = -1;
// etcd's words, which are not those of gRPC statuses.
constexpr std::string_view kEmptyRange = "mvcc: watcher range is empty";
constexpr std::string_view kDuplicateId = "mvcc: duplicate watch ID provided on the WatchStream";
constexpr std::string_view kTooManyWatches = "etcdserver: too many requests";

}  // namespace

class WatchStream::Entry final : public WatchSink {
 public:
  Entry(WatchStream& stream, int64_t watch_id) : id(watch_id), stream_(stream) {}

  void OnEvents(std::span<const Event> events) override { stream_.OnEvents(*this, events); }
  void OnProgress(Revision revision) override { stream_.OnProgress(*this, revision); }
  void OnEnd(Status why) override { stream_.OnEnd(*this, why); }

  const int64_t id;
  KeyRange range;
  bool previous_values = false;
  bool without_puts = false;
  bool without_deletes = false;
  bool fragment = false;
  bool progress_notify = false;

  // Guarded by the stream's mutex.
  int64_t next = 0;          // the first revision that the client has not been told of
  bool lags = false;         // events are dropped until it starts again
  bool has_ended = false;    // by the store
  bool was_quiet = false;    // no event since the last time that progress was due
  bool owes_report = false;  // progress is told to this watch alone

  std::unique_ptr<Watch> watch;  // of the loop; destroyed first

 private:
  WatchStream& stream_;
};

WatchStream::WatchStream(EtcdServerCore& core, WatchRegistry& registry,
                         std::shared_ptr<grpc::GrpcOutput> output)
    : core_(core), output_(output), ticket_(registry.Enter(std::move(output))) {}

WatchStream::~WatchStream() {
  // Ending a watch waits for calls that take the mutex.
  for (const auto& [id, entry] : entries_) entry->watch.reset();
}

void WatchStream::OnMessage(std::string_view message) {
  etcdserverpb::WatchRequest request;
  if (!request.ParseFromArray(message.data(), static_cast<int>(message.size())))
    return output_->Finish({grpc::GrpcCode::kInternal, "grpc: error unmarshalling request"});
  RemoveEnded();
  if (request.has_create_request()) {
    Create(request.create_request());
  } else if (request.has_cancel_request()) {
    Cancel(request.cancel_request().watch_id());
  } else if (request.has_progress_request()) {
    RequestProgress();
  }
}

void WatchStream::OnDrained() {
  RemoveEnded();
  RestartLagging();
  if (ticket_->is_due.exchange(false)) ReportProgressIfQuiet();
}

void WatchStream::Send(WatchResponse& response) {
  core_.FillHeader(response);
  output_->Send(grpc::FrameMessage(response));
}

void WatchStream::Refuse(std::string_view reason) {
  WatchResponse response;
  response.set_watch_id(kNoWatchId);
  response.set_created(true);
  response.set_canceled(true);
  response.set_cancel_reason(std::string(reason));
  Send(response);
}

void WatchStream::Create(const WatchCreateRequest& request) {
  const std::string key = request.key().empty() ? std::string(1, '\0') : request.key();
  const std::string& end = request.range_end();
  if (request.start_revision() < 0) return Refuse(kCompacted.text);
  const bool is_open = end == std::string_view("\0", 1);
  if (!end.empty() && !is_open && key >= end) return Refuse(kEmptyRange);
  Entry* entry = nullptr;
  const Revision revision = core_.store().revision();
  {
    std::lock_guard lock(mutex_);
    int64_t id = request.watch_id();
    if (entries_.size() >= limits::kMaxEtcdServerWatches) return Refuse(kTooManyWatches);
    if (id == 0) {
      while (entries_.contains(next_id_)) ++next_id_;
      id = next_id_++;
    } else if (entries_.contains(id)) {
      return Refuse(kDuplicateId);
    }
    entry = entries_.emplace(id, std::make_unique<Entry>(*this, id)).first->second.get();
    entry->range = RangeOf(key, end);
    entry->previous_values = request.prev_kv();
    entry->fragment = request.fragment();
    entry->progress_notify = request.progress_notify();
    for (const int filter : request.filters()) {
      if (filter == WatchCreateRequest::NOPUT) entry->without_puts = true;
      if (filter == WatchCreateRequest::NODELETE) entry->without_deletes = true;
    }
    entry->next = request.start_revision() > 0 ? request.start_revision() : revision.value + 1;
    if (!unreported_.empty()) unreported_.insert(id);
  }
  // The client hears of the watch before it hears of events.
  WatchResponse response;
  response.mutable_header()->set_revision(revision.value);
  response.set_watch_id(entry->id);
  response.set_created(true);
  Send(response);
  Start(*entry);
}

void WatchStream::Start(Entry& entry) {
  WatchRequest request;
  request.range = entry.range;
  request.previous_values = entry.previous_values;
  bool must_report = false;
  {
    std::lock_guard lock(mutex_);
    request.from.value = entry.next;
    must_report = unreported_.contains(entry.id) || entry.owes_report;
  }
  entry.watch = core_.store().StartWatch(std::move(request), &entry);
  if (must_report) entry.watch->RequestProgress();
}

void WatchStream::Cancel(int64_t id) {
  const auto found = entries_.find(id);  // only the loop changes the map
  if (found == entries_.end()) return;
  found->second->watch.reset();
  {
    std::lock_guard lock(mutex_);
    entries_.erase(found);
    // A report that waited for it alone is not sent: it is asked for again.
    unreported_.erase(id);
  }
  WatchResponse response;
  response.set_watch_id(id);
  response.set_canceled(true);
  Send(response);
}

void WatchStream::RequestProgress() {
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) unreported_.insert(id);
  }
  // Those that lag are asked when they start again.
  for (const auto& [id, entry] : entries_) entry->watch->RequestProgress();
}

// Those that have heard nothing for a while and want to hear at least that.
void WatchStream::ReportProgressIfQuiet() {
  for (const auto& [id, entry] : entries_) {
    if (!entry->progress_notify) continue;
    bool report = false;
    {
      std::lock_guard lock(mutex_);
      report = std::exchange(entry->was_quiet, true);
      entry->owes_report = report;
    }
    if (report) entry->watch->RequestProgress();
  }
}

void WatchStream::RestartLagging() {
  std::vector<Entry*> lagging;
  {
    std::lock_guard lock(mutex_);
    if (!std::exchange(some_lag_, false)) return;
    for (const auto& [id, entry] : entries_) {
      if (entry->lags && !entry->has_ended) lagging.push_back(entry.get());
    }
  }
  for (Entry* entry : lagging) {
    entry->watch.reset();
    {
      std::lock_guard lock(mutex_);
      entry->lags = false;
    }
    Start(*entry);
  }
}

void WatchStream::RemoveEnded() {
  std::vector<std::unique_ptr<Entry>> ended;
  {
    std::lock_guard lock(mutex_);
    if (!std::exchange(some_ended_, false)) return;
    for (auto at = entries_.begin(); at != entries_.end();) {
      const bool is_over = at->second->has_ended;
      if (is_over) ended.push_back(std::move(at->second));
      at = is_over ? entries_.erase(at) : std::next(at);
    }
  }
  for (const auto& entry : ended) entry->watch.reset();
}

void WatchStream::OnEvents(Entry& entry, std::span<const Event> events) {
  std::lock_guard lock(mutex_);
  if (entry.lags) return;
  if (output_->queued_bytes() > limits::kMaxEtcdServerQueuedBytes) {
    entry.lags = true;
    some_lag_ = true;
    if (!unreported_.empty()) unreported_.insert(entry.id);
    return output_->Wake();
  }
  entry.next = events.back().revision().value + 1;
  entry.was_quiet = false;
  SendEvents(entry, events);
}

void WatchStream::SendEvents(const Entry& entry, std::span<const Event> events) {
  WatchResponse response;
  response.set_watch_id(entry.id);
  response.mutable_header()->set_revision(events.back().revision().value);
  size_t bytes = 0;
  for (const Event& event : events) {
    const bool is_put = event.kind == Event::Kind::kPut;
    if (is_put ? entry.without_puts : entry.without_deletes) continue;
    mvccpb::Event made;
    FillEvent(event, &made);
    const size_t size = made.ByteSizeLong();
    if (entry.fragment && bytes > 0 && bytes + size > core_.options().max_request_bytes) {
      response.set_fragment(true);
      Send(response);
      response.clear_events();
      response.set_fragment(false);
      bytes = 0;
    }
    bytes += size;
    *response.add_events() = std::move(made);
  }
  if (response.events_size() > 0) Send(response);
}

void WatchStream::OnProgress(Entry& entry, Revision revision) {
  std::lock_guard lock(mutex_);
  if (entry.lags) return;
  WatchResponse response;
  response.mutable_header()->set_revision(revision.value);
  // A watch that begins in the future has nothing to report, nor has the stream then.
  const bool has_begun = revision.value + 1 >= entry.next;
  if (std::exchange(entry.owes_report, false) && has_begun) {
    response.set_watch_id(entry.id);
    Send(response);
  }
  if (!has_begun) return unreported_.clear();
  if (unreported_.erase(entry.id) == 0 || !unreported_.empty()) return;
  response.set_watch_id(kNoWatchId);
  Send(response);
}

void WatchStream::OnEnd(Entry& entry, const Status& why) {
  std::lock_guard lock(mutex_);
  entry.has_ended = true;
  some_ended_ = true;
  unreported_.erase(entry.id);
  if (why.reason() != StatusReason::kExpired) return;
  WatchResponse response;
  response.set_watch_id(entry.id);
  response.set_canceled(true);
  response.set_compact_revision(core_.store().compacted().value);
  core_.FillHeader(response);
  // It is not about a revision of the store, and etcd names none.
  response.mutable_header()->clear_revision();
  output_->Send(grpc::FrameMessage(response));
}

}  // namespace skiff::store
