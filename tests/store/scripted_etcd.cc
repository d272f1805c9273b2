#include "tests/store/scripted_etcd.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skiff::testing {
namespace {

namespace pb = etcdserverpb;

constexpr uint64_t kClusterId = 0x5c1f;
constexpr uint64_t kMemberId = 0x1;

grpc::GrpcStatus Compacted() {
  return {grpc::GrpcCode::kOutOfRange, "etcdserver: mvcc: required revision has been compacted"};
}

grpc::GrpcStatus FutureRevision() {
  return {grpc::GrpcCode::kOutOfRange, "etcdserver: mvcc: required revision is a future revision"};
}

// etcd's way to name ranges: no end is one key, an end of one zero byte is no end.
bool InRange(const std::string& key, const std::string& start, const std::string& end) {
  if (end.empty()) return key == start;
  return key >= start && (end == std::string(1, '\0') || key < end);
}

}  // namespace

struct ScriptedEtcd::Stream {
  std::shared_ptr<grpc::GrpcOutput> output;
  std::optional<pb::WatchCreateRequest> created;
  int64_t watch_id = 0;

  void Send(const pb::WatchResponse& response) { output->Send(grpc::FrameMessage(response)); }
};

class ScriptedEtcd::WatchHandler final : public grpc::GrpcStreamHandler {
 public:
  WatchHandler(ScriptedEtcd& etcd, std::shared_ptr<grpc::GrpcOutput> output) : etcd_(etcd) {
    stream_.output = std::move(output);
    std::lock_guard lock(etcd_.mutex_);
    etcd_.streams_.push_back(&stream_);
  }
  ~WatchHandler() override {
    std::lock_guard lock(etcd_.mutex_);
    etcd_.streams_.remove(&stream_);
  }

  void OnMessage(std::string_view message) override {
    pb::WatchRequest request;
    if (!request.ParseFromArray(message.data(), static_cast<int>(message.size()))) return;
    std::lock_guard lock(etcd_.mutex_);
    if (request.has_create_request()) etcd_.OpenWatchLocked(stream_, request.create_request());
    if (request.has_progress_request()) {
      pb::WatchResponse response;
      *response.mutable_header() = etcd_.HeaderLocked();
      response.set_watch_id(-1);
      stream_.Send(response);
    }
  }
  void OnInputEnd() override { stream_.output->Finish({}); }

 private:
  ScriptedEtcd& etcd_;
  Stream stream_;
};

ScriptedEtcd::ScriptedEtcd(std::string version)
    : version_(std::move(version)), router_(nullptr, metrics_, clock_, 64 * 1024 * 1024) {}

template <typename Request, typename Response>
void ScriptedEtcd::AddMethod(const std::string& service, const std::string& name,
                             std::function<grpc::GrpcStatus(const Request&, Response&)> carry_out) {
  router_.Add<Request, Response>(
      "/etcdserverpb." + service + "/" + name,
      [this, name, carry_out](Request request, grpc::GrpcReply<Response> reply) {
        std::lock_guard lock(mutex_);
        Response response;
        const grpc::GrpcStatus status = carry_out(request, response);
        const grpc::GrpcStatus hook = AskHookLocked(name);
        if (!hook.ok()) return reply(hook);
        if (!status.ok()) return reply(status);
        reply(response);
      });
}

void ScriptedEtcd::AddMethods() {
  AddMethod<pb::RangeRequest, pb::RangeResponse>(
      "KV", "Range",
      [this](const auto& request, auto& response) { return RangeLocked(request, response); });
  AddMethod<pb::TxnRequest, pb::TxnResponse>(
      "KV", "Txn",
      [this](const auto& request, auto& response) { return TxnLocked(request, response); });
  AddMethod<pb::CompactionRequest, pb::CompactionResponse>(
      "KV", "Compact", [this](const auto& request, auto& response) {
        if (request.revision() <= compacted_) return Compacted();
        if (request.revision() > revision_) return FutureRevision();
        compacted_ = request.revision();
        *response.mutable_header() = HeaderLocked();
        return grpc::GrpcStatus();
      });
  AddMethod<pb::StatusRequest, pb::StatusResponse>("Maintenance", "Status",
                                                   [this](const auto&, auto& response) {
                                                     *response.mutable_header() = HeaderLocked();
                                                     response.set_version(version_);
                                                     response.set_leader(kMemberId);
                                                     return grpc::GrpcStatus();
                                                   });
  router_.AddStream("/etcdserverpb.Watch/Watch", [this](std::shared_ptr<grpc::GrpcOutput> output) {
    return std::make_unique<WatchHandler>(*this, std::move(output));
  });
}

Result<std::unique_ptr<ScriptedEtcd>> ScriptedEtcd::Start(std::string version) {
  std::unique_ptr<ScriptedEtcd> etcd(new ScriptedEtcd(std::move(version)));
  etcd->AddMethods();
  net::HttpServerOptions options;
  options.addresses = {"127.0.0.1:0"};
  options.handler = &etcd->router_;
  options.clock = &etcd->clock_;
  options.loops = 1;
  SKIFF_ASSIGN_OR_RETURN(etcd->server_, net::HttpServer::Start(std::move(options)));
  return etcd;
}

ScriptedEtcd::~ScriptedEtcd() {
  BreakWatches();
  server_.reset();
}

void ScriptedEtcd::SetHeaderHook(HeaderHook hook) {
  std::lock_guard lock(mutex_);
  header_hook_ = std::move(hook);
}

void ScriptedEtcd::SetWatchHook(WatchHook hook) {
  std::lock_guard lock(mutex_);
  watch_hook_ = std::move(hook);
}

void ScriptedEtcd::SetCallHook(CallHook hook) {
  std::lock_guard lock(mutex_);
  call_hook_ = std::move(hook);
}

grpc::GrpcStatus ScriptedEtcd::AskHookLocked(const std::string& call) {
  return call_hook_ ? call_hook_(call) : grpc::GrpcStatus();
}

pb::ResponseHeader ScriptedEtcd::HeaderLocked() {
  pb::ResponseHeader header;
  header.set_cluster_id(kClusterId);
  header.set_member_id(kMemberId);
  header.set_revision(revision_);
  header.set_raft_term(2);
  if (header_hook_) header_hook_(header);
  return header;
}

pb::ResponseHeader ScriptedEtcd::Header() {
  std::lock_guard lock(mutex_);
  return HeaderLocked();
}

int64_t ScriptedEtcd::revision() {
  std::lock_guard lock(mutex_);
  return revision_;
}

int64_t ScriptedEtcd::Put(const std::string& key, const std::string& value) {
  std::lock_guard lock(mutex_);
  std::vector<mvccpb::Event> events;
  WriteLocked(key, &value, ++revision_, events);
  PublishLocked(events);
  return revision_;
}

int64_t ScriptedEtcd::Delete(const std::string& key) {
  std::lock_guard lock(mutex_);
  std::vector<mvccpb::Event> events;
  WriteLocked(key, nullptr, revision_ + 1, events);
  if (!events.empty()) revision_++;
  PublishLocked(events);
  return revision_;
}

void ScriptedEtcd::Compact(int64_t revision) {
  std::lock_guard lock(mutex_);
  compacted_ = revision;
}

void ScriptedEtcd::GoBackTo(int64_t revision) {
  std::lock_guard lock(mutex_);
  revision_ = revision;
  for (auto& [key, versions] : keys_)
    std::erase_if(versions, [&](const Version& version) { return version.revision > revision; });
}

const ScriptedEtcd::Version* ScriptedEtcd::FindLocked(const std::string& key, int64_t at) const {
  auto found = keys_.find(key);
  if (found == keys_.end()) return nullptr;
  const Version* last = nullptr;
  for (const Version& version : found->second)
    if (version.revision <= at) last = &version;
  return last == nullptr || last->deleted ? nullptr : last;
}

mvccpb::KeyValue ScriptedEtcd::EntryOf(const std::string& key, const Version& version) {
  mvccpb::KeyValue entry;
  entry.set_key(key);
  entry.set_value(version.value);
  entry.set_mod_revision(version.revision);
  entry.set_create_revision(version.create_revision);
  entry.set_version(version.version);
  return entry;
}

// A null value deletes.
void ScriptedEtcd::WriteLocked(const std::string& key, const std::string* value, int64_t revision,
                               std::vector<mvccpb::Event>& events) {
  const Version* before = FindLocked(key, revision);
  if (before == nullptr && value == nullptr) return;
  mvccpb::Event event;
  if (before != nullptr) *event.mutable_prev_kv() = EntryOf(key, *before);
  Version version{.revision = revision,
                  .create_revision = before != nullptr ? before->create_revision : revision,
                  .version = before != nullptr ? before->version + 1 : 1,
                  .deleted = value == nullptr,
                  .value = value == nullptr ? "" : *value};
  if (version.deleted) {
    version.create_revision = version.version = 0;
    event.set_type(mvccpb::Event::DELETE);
  }
  *event.mutable_kv() = EntryOf(key, version);
  keys_[key].push_back(std::move(version));
  events.push_back(std::move(event));
}

grpc::GrpcStatus ScriptedEtcd::RangeLocked(const pb::RangeRequest& request,
                                           pb::RangeResponse& response) {
  int64_t at = request.revision() > 0 ? request.revision() : revision_;
  if (at > revision_) return FutureRevision();
  if (at < compacted_) return Compacted();
  *response.mutable_header() = HeaderLocked();
  for (const auto& [key, versions] : keys_) {
    if (!InRange(key, request.key(), request.range_end())) continue;
    const Version* version = FindLocked(key, at);
    if (version == nullptr) continue;
    response.set_count(response.count() + 1);
    if (request.count_only()) continue;
    if (request.limit() > 0 && response.kvs_size() >= request.limit()) {
      response.set_more(true);
      continue;
    }
    *response.add_kvs() = EntryOf(key, *version);
    if (request.keys_only()) response.mutable_kvs(response.kvs_size() - 1)->clear_value();
  }
  return grpc::GrpcStatus();
}

grpc::GrpcStatus ScriptedEtcd::TxnLocked(const pb::TxnRequest& request, pb::TxnResponse& response) {
  bool holds = true;
  for (const pb::Compare& compare : request.compare()) {
    if (compare.target() != pb::Compare::MOD || compare.result() != pb::Compare::EQUAL)
      return {grpc::GrpcCode::kUnimplemented, "only mod revisions can be compared here"};
    const Version* version = FindLocked(compare.key(), revision_);
    holds = holds && (version == nullptr ? 0 : version->revision) == compare.mod_revision();
  }
  response.set_succeeded(holds);
  std::vector<mvccpb::Event> events;
  for (const pb::RequestOp& op : holds ? request.success() : request.failure()) {
    pb::ResponseOp& answer = *response.add_responses();
    if (op.has_request_range()) {
      grpc::GrpcStatus status = RangeLocked(op.request_range(), *answer.mutable_response_range());
      if (!status.ok()) return status;
    } else if (op.has_request_put()) {
      answer.mutable_response_put();
      WriteLocked(op.request_put().key(), &op.request_put().value(), revision_ + 1, events);
    } else if (op.has_request_delete_range()) {
      size_t before = events.size();
      WriteLocked(op.request_delete_range().key(), nullptr, revision_ + 1, events);
      answer.mutable_response_delete_range()->set_deleted(events.size() > before ? 1 : 0);
    }
  }
  if (!events.empty()) revision_++;
  *response.mutable_header() = HeaderLocked();
  PublishLocked(events);
  return grpc::GrpcStatus();
}

void ScriptedEtcd::PublishLocked(const std::vector<mvccpb::Event>& events) {
  for (Stream* stream : streams_) {
    if (!stream->created) continue;
    const pb::WatchCreateRequest& create = *stream->created;
    std::vector<mvccpb::Event> fitting;
    for (const mvccpb::Event& event : events)
      if (InRange(event.kv().key(), create.key(), create.range_end()) &&
          event.kv().mod_revision() >= create.start_revision())
        fitting.push_back(event);
    SendEventsLocked(*stream, std::move(fitting));
  }
}

void ScriptedEtcd::SendEventsLocked(Stream& stream, std::vector<mvccpb::Event> events) {
  if (events.empty()) return;
  pb::WatchResponse response;
  *response.mutable_header() = HeaderLocked();
  response.set_watch_id(stream.watch_id);
  for (mvccpb::Event& event : events) {
    if (!stream.created->prev_kv()) event.clear_prev_kv();
    *response.add_events() = std::move(event);
  }
  if (watch_hook_) {
    for (pb::WatchResponse& bent : watch_hook_(std::move(response))) stream.Send(bent);
  } else {
    stream.Send(response);
  }
}

void ScriptedEtcd::OpenWatchLocked(Stream& stream, const pb::WatchCreateRequest& create) {
  stream.created = create;
  pb::WatchResponse created;
  *created.mutable_header() = HeaderLocked();
  created.set_created(true);
  stream.Send(created);
  if (create.start_revision() > 0 && create.start_revision() < compacted_) {
    created.set_created(false);
    created.set_canceled(true);
    created.set_compact_revision(compacted_);
    stream.Send(created);
    stream.created.reset();
    return;
  }
  if (create.start_revision() > 0) SendEventsLocked(stream, EventsLocked(create));
}

std::vector<mvccpb::Event> ScriptedEtcd::EventsLocked(const pb::WatchCreateRequest& create) {
  std::vector<mvccpb::Event> events;
  for (const auto& [key, versions] : keys_) {
    if (!InRange(key, create.key(), create.range_end())) continue;
    for (const Version& version : versions) {
      if (version.revision < create.start_revision()) continue;
      mvccpb::Event event;
      if (version.deleted) event.set_type(mvccpb::Event::DELETE);
      *event.mutable_kv() = EntryOf(key, version);
      if (const Version* before = FindLocked(key, version.revision - 1))
        *event.mutable_prev_kv() = EntryOf(key, *before);
      events.push_back(std::move(event));
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    return a.kv().mod_revision() < b.kv().mod_revision();
  });
  return events;
}

std::vector<pb::WatchCreateRequest> ScriptedEtcd::watches() {
  std::lock_guard lock(mutex_);
  std::vector<pb::WatchCreateRequest> open;
  for (Stream* stream : streams_)
    if (stream->created) open.push_back(*stream->created);
  return open;
}

void ScriptedEtcd::SendRaw(pb::WatchResponse response) {
  std::lock_guard lock(mutex_);
  for (Stream* stream : streams_) {
    response.set_watch_id(stream->watch_id);
    stream->Send(response);
  }
}

void ScriptedEtcd::BreakWatches() {
  std::lock_guard lock(mutex_);
  for (Stream* stream : streams_) stream->output->Finish({grpc::GrpcCode::kUnavailable, "broken"});
  streams_.clear();
}

}  // namespace skiff::testing
