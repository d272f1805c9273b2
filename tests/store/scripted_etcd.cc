#include "tests/store/scripted_etcd.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <optional>
#include <utility>

#include "base/thread.h"

namespace skiff::testing {
namespace {

namespace pb = etcdserverpb;

constexpr uint64_t kClusterId = 0x5c1f;
constexpr uint64_t kMemberId = 0x1;

grpc::Status Compacted() {
  return {grpc::StatusCode::OUT_OF_RANGE, "etcdserver: mvcc: required revision has been compacted"};
}

grpc::Status FutureRevision() {
  return {grpc::StatusCode::OUT_OF_RANGE,
          "etcdserver: mvcc: required revision is a future revision"};
}

// etcd's way to name ranges: no end is one key, an end of one zero byte is no end.
bool InRange(const std::string& key, const std::string& start, const std::string& end) {
  if (end.empty()) return key == start;
  return key >= start && (end == std::string(1, '\0') || key < end);
}

}  // namespace

struct ScriptedEtcd::Stream {
  std::condition_variable changed;
  std::deque<pb::WatchResponse> outgoing;
  std::optional<pb::WatchCreateRequest> created;
  int64_t watch_id = 0;
  bool over = false;
};

class ScriptedEtcd::KvService final : public pb::KV::Service {
 public:
  explicit KvService(ScriptedEtcd& etcd) : etcd_(etcd) {}

  grpc::Status Range(grpc::ServerContext*, const pb::RangeRequest* request,
                     pb::RangeResponse* response) override {
    std::lock_guard lock(etcd_.mutex_);
    grpc::Status status = etcd_.RangeLocked(*request, *response);
    grpc::Status hook = etcd_.AskHookLocked("Range");
    return hook.ok() ? status : hook;
  }
  grpc::Status Txn(grpc::ServerContext*, const pb::TxnRequest* request,
                   pb::TxnResponse* response) override {
    std::lock_guard lock(etcd_.mutex_);
    grpc::Status status = etcd_.TxnLocked(*request, *response);
    grpc::Status hook = etcd_.AskHookLocked("Txn");
    return hook.ok() ? status : hook;
  }
  grpc::Status Compact(grpc::ServerContext*, const pb::CompactionRequest* request,
                       pb::CompactionResponse* response) override {
    std::lock_guard lock(etcd_.mutex_);
    if (request->revision() <= etcd_.compacted_) return Compacted();
    if (request->revision() > etcd_.revision_) return FutureRevision();
    etcd_.compacted_ = request->revision();
    *response->mutable_header() = etcd_.HeaderLocked();
    return etcd_.AskHookLocked("Compact");
  }

 private:
  ScriptedEtcd& etcd_;
};

class ScriptedEtcd::WatchService final : public pb::Watch::Service {
 public:
  explicit WatchService(ScriptedEtcd& etcd) : etcd_(etcd) {}

  grpc::Status Watch(grpc::ServerContext* context,
                     grpc::ServerReaderWriter<pb::WatchResponse, pb::WatchRequest>* wire) override {
    Stream stream;
    {
      std::lock_guard lock(etcd_.mutex_);
      if (etcd_.closing_) return {grpc::StatusCode::UNAVAILABLE, "closing"};
      etcd_.streams_.push_back(&stream);
    }
    Thread reader("scripted-watch", [&] { Read(stream, *wire); });
    std::unique_lock lock(etcd_.mutex_);
    while (!stream.over) {
      if (stream.outgoing.empty()) {
        stream.changed.wait(lock);
        continue;
      }
      pb::WatchResponse response = std::move(stream.outgoing.front());
      stream.outgoing.pop_front();
      lock.unlock();
      wire->Write(response);
      lock.lock();
    }
    etcd_.streams_.remove(&stream);
    lock.unlock();
    context->TryCancel();
    reader.Join();
    return {grpc::StatusCode::UNAVAILABLE, "broken"};
  }

 private:
  void Read(Stream& stream, grpc::ServerReaderWriter<pb::WatchResponse, pb::WatchRequest>& wire) {
    pb::WatchRequest request;
    while (wire.Read(&request)) {
      std::lock_guard lock(etcd_.mutex_);
      if (request.has_create_request()) etcd_.OpenWatchLocked(stream, request.create_request());
      if (request.has_progress_request()) {
        pb::WatchResponse response;
        *response.mutable_header() = etcd_.HeaderLocked();
        response.set_watch_id(-1);
        stream.outgoing.push_back(std::move(response));
      }
      stream.changed.notify_all();
    }
    std::lock_guard lock(etcd_.mutex_);
    stream.over = true;
    stream.changed.notify_all();
  }

  ScriptedEtcd& etcd_;
};

class ScriptedEtcd::MaintenanceService final : public pb::Maintenance::Service {
 public:
  explicit MaintenanceService(ScriptedEtcd& etcd) : etcd_(etcd) {}

  grpc::Status Status(grpc::ServerContext*, const pb::StatusRequest*,
                      pb::StatusResponse* response) override {
    std::lock_guard lock(etcd_.mutex_);
    *response->mutable_header() = etcd_.HeaderLocked();
    response->set_version(etcd_.version_);
    response->set_leader(kMemberId);
    return etcd_.AskHookLocked("Status");
  }

 private:
  ScriptedEtcd& etcd_;
};

ScriptedEtcd::ScriptedEtcd(std::string version) : version_(std::move(version)) {}

Result<std::unique_ptr<ScriptedEtcd>> ScriptedEtcd::Start(std::string version) {
  std::unique_ptr<ScriptedEtcd> etcd(new ScriptedEtcd(std::move(version)));
  etcd->kv_ = std::make_unique<KvService>(*etcd);
  etcd->watch_ = std::make_unique<WatchService>(*etcd);
  etcd->maintenance_ = std::make_unique<MaintenanceService>(*etcd);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &etcd->port_);
  // Without this the kernel would let two servers share a port.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(etcd->kv_.get());
  builder.RegisterService(etcd->watch_.get());
  builder.RegisterService(etcd->maintenance_.get());
  etcd->server_ = builder.BuildAndStart();
  if (etcd->server_ == nullptr || etcd->port_ == 0)
    return Fail(StatusReason::kInternalError, "the scripted etcd cannot listen");
  return etcd;
}

ScriptedEtcd::~ScriptedEtcd() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  BreakWatches();
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::time_point::min());
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

grpc::Status ScriptedEtcd::AskHookLocked(const std::string& call) {
  return call_hook_ ? call_hook_(call) : grpc::Status::OK;
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

grpc::Status ScriptedEtcd::RangeLocked(const pb::RangeRequest& request,
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
  return grpc::Status::OK;
}

grpc::Status ScriptedEtcd::TxnLocked(const pb::TxnRequest& request, pb::TxnResponse& response) {
  bool holds = true;
  for (const pb::Compare& compare : request.compare()) {
    if (compare.target() != pb::Compare::MOD || compare.result() != pb::Compare::EQUAL)
      return {grpc::StatusCode::UNIMPLEMENTED, "only mod revisions can be compared here"};
    const Version* version = FindLocked(compare.key(), revision_);
    holds = holds && (version == nullptr ? 0 : version->revision) == compare.mod_revision();
  }
  response.set_succeeded(holds);
  std::vector<mvccpb::Event> events;
  for (const pb::RequestOp& op : holds ? request.success() : request.failure()) {
    pb::ResponseOp& answer = *response.add_responses();
    if (op.has_request_range()) {
      grpc::Status status = RangeLocked(op.request_range(), *answer.mutable_response_range());
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
  return grpc::Status::OK;
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
    for (pb::WatchResponse& bent : watch_hook_(std::move(response)))
      stream.outgoing.push_back(std::move(bent));
  } else {
    stream.outgoing.push_back(std::move(response));
  }
  stream.changed.notify_all();
}

void ScriptedEtcd::OpenWatchLocked(Stream& stream, const pb::WatchCreateRequest& create) {
  stream.created = create;
  pb::WatchResponse created;
  *created.mutable_header() = HeaderLocked();
  created.set_created(true);
  stream.outgoing.push_back(created);
  if (create.start_revision() > 0 && create.start_revision() < compacted_) {
    created.set_created(false);
    created.set_canceled(true);
    created.set_compact_revision(compacted_);
    stream.outgoing.push_back(created);
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
    stream->outgoing.push_back(response);
    stream->changed.notify_all();
  }
}

void ScriptedEtcd::BreakWatches() {
  std::lock_guard lock(mutex_);
  for (Stream* stream : streams_) {
    stream->over = true;
    stream->changed.notify_all();
  }
}

}  // namespace skiff::testing
