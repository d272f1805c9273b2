#include <memory>
#include <utility>

#include "store/etcd_server/services.h"
#include "store/etcd_server/snapshot.h"
#include "store/etcd_server/snapshot_stream.h"

namespace skiff::store {
namespace {

using etcdserverpb::AlarmRequest;
using etcdserverpb::AlarmResponse;
using etcdserverpb::DefragmentRequest;
using etcdserverpb::DefragmentResponse;
using etcdserverpb::HashKVRequest;
using etcdserverpb::HashKVResponse;
using etcdserverpb::HashRequest;
using etcdserverpb::HashResponse;
using etcdserverpb::MoveLeaderRequest;
using etcdserverpb::MoveLeaderResponse;
using etcdserverpb::StatusRequest;
using etcdserverpb::StatusResponse;

void HandleStatus(EtcdServerCore& core, grpc::GrpcReply<StatusResponse> reply) {
  core.UpdateSize();
  StatusResponse response;
  core.FillHeader(response);
  response.set_version(std::string(kEtcdServerVersion));
  response.set_storageversion(std::string(kEtcdClusterVersion));
  response.set_dbsize(static_cast<int64_t>(core.bytes_on_disk()));
  response.set_dbsizeinuse(static_cast<int64_t>(core.bytes_in_use()));
  if (core.quota_bytes() != kNoQuota)
    response.set_dbsizequota(static_cast<int64_t>(core.quota_bytes()));
  response.set_leader(core.member_id());
  // One write, one entry of a log of agreement.
  const auto index = static_cast<uint64_t>(core.store().revision().value);
  response.set_raftindex(index);
  response.set_raftappliedindex(index);
  response.set_raftterm(kRaftTerm);
  response.mutable_downgradeinfo();
  for (const AlarmSet::Alarm& alarm : core.alarms().List()) {
    response.add_errors("memberID:" + std::to_string(alarm.member) +
                        " alarm:" + std::string(AlarmName(alarm.type)) + " ");
  }
  const StoreHealth health = core.store().Health();
  if (!health.reason.empty()) response.add_errors(health.reason);
  reply(response);
}

// Alarms are named by their kind and the member that the caller says, as in etcd.
grpc::GrpcResult<AlarmResponse> ChangeAlarms(EtcdServerCore& core, const AlarmRequest& request) {
  AlarmResponse response;
  core.FillHeader(response);
  const auto add = [&](const AlarmSet::Alarm& alarm) {
    auto* out = response.add_alarms();
    out->set_memberid(alarm.member);
    out->set_alarm(alarm.type);
  };
  const AlarmSet::Alarm named{request.alarm(), request.memberid()};
  Result<void> kept;
  switch (request.action()) {
    case AlarmRequest::GET:
      for (const AlarmSet::Alarm& alarm : core.alarms().List()) {
        if (named.type == etcdserverpb::NONE || named.type == alarm.type) add(alarm);
      }
      break;
    case AlarmRequest::ACTIVATE:
      if (AlarmName(named.type) == AlarmName(etcdserverpb::NONE)) break;
      kept = core.alarms().Raise(named);
      add(named);
      break;
    case AlarmRequest::DEACTIVATE:
      for (const AlarmSet::Alarm& alarm : core.alarms().List()) {
        if (alarm != named) continue;
        core.UpdateSize();
        kept = core.alarms().Clear(named);
        add(named);
      }
      break;
    default:
      break;
  }
  if (!kept) return std::unexpected(FromStore(kept.error()));
  return response;
}

// Runs on the thread of jobs; the reply is shared because jobs can be copied.
template <typename Response>
void RunJob(EtcdServerCore& core, grpc::GrpcReply<Response> reply,
            std::function<grpc::GrpcResult<Response>()> work) {
  auto shared = std::make_shared<grpc::GrpcReply<Response>>(std::move(reply));
  const bool taken = core.jobs().Submit([&core, shared, work = std::move(work)] {
    grpc::GrpcResult<Response> response = work();
    if (response) core.FillHeader(*response);
    (*shared)(response);
  });
  if (!taken) (*shared)(kTooManyRequestsError);
}

void HandleDefragment(EtcdServerCore& core, grpc::GrpcReply<DefragmentResponse> reply) {
  RunJob<DefragmentResponse>(core, std::move(reply),
                             [&core]() -> grpc::GrpcResult<DefragmentResponse> {
                               if (Result<void> done = core.store().Defragment(); !done)
                                 return std::unexpected(FromStore(done.error()));
                               core.UpdateSize();
                               return DefragmentResponse();
                             });
}

void HandleHashKv(EtcdServerCore& core, Revision through, grpc::GrpcReply<HashKVResponse> reply) {
  RunJob<HashKVResponse>(
      core, std::move(reply), [&core, through]() -> grpc::GrpcResult<HashKVResponse> {
        const Result<KeyHash> hash = HashKeys(core, through);
        if (!hash) return std::unexpected(FromStore(hash.error()));
        HashKVResponse response;
        response.set_hash(hash->hash);
        // etcd says so when nothing was ever compacted.
        response.set_compact_revision(hash->compacted.value > 1 ? hash->compacted.value : -1);
        response.set_hash_revision(hash->revision.value);
        return response;
      });
}

void HandleHash(EtcdServerCore& core, grpc::GrpcReply<HashResponse> reply) {
  RunJob<HashResponse>(core, std::move(reply), [&core]() -> grpc::GrpcResult<HashResponse> {
    const Result<KeyHash> hash = HashKeys(core, {});
    if (!hash) return std::unexpected(FromStore(hash.error()));
    HashResponse response;
    response.set_hash(hash->hash);
    response.mutable_header()->set_revision(hash->revision.value);
    return response;
  });
}

void HandleMoveLeader(EtcdServerCore& core, const MoveLeaderRequest& request,
                      grpc::GrpcReply<MoveLeaderResponse> reply) {
  if (request.targetid() != core.member_id()) return reply(kBadTransferee);
  MoveLeaderResponse response;
  core.FillHeader(response);
  reply(response);
}

}  // namespace

void AddMaintenanceService(grpc::GrpcRouter& router, EtcdServerCore& core) {
  const std::string service = "/etcdserverpb.Maintenance/";
  router.Add<StatusRequest, StatusResponse>(
      service + "Status", [&core](auto, auto reply) { HandleStatus(core, std::move(reply)); });
  router.Add<AlarmRequest, AlarmResponse>(
      service + "Alarm", [&core](auto request, auto reply) { reply(ChangeAlarms(core, request)); });
  router.Add<DefragmentRequest, DefragmentResponse>(
      service + "Defragment",
      [&core](auto, auto reply) { HandleDefragment(core, std::move(reply)); });
  router.Add<HashRequest, HashResponse>(
      service + "Hash", [&core](auto, auto reply) { HandleHash(core, std::move(reply)); });
  router.Add<HashKVRequest, HashKVResponse>(service + "HashKV", [&core](auto request, auto reply) {
    HandleHashKv(core, {request.revision()}, std::move(reply));
  });
  router.Add<MoveLeaderRequest, MoveLeaderResponse>(
      service + "MoveLeader",
      [&core](auto request, auto reply) { HandleMoveLeader(core, request, std::move(reply)); });
  AddAbsentMethod(router, "etcdserverpb.Maintenance", "Downgrade");
  router.AddStream(service + "Snapshot", [&core](std::shared_ptr<grpc::GrpcOutput> output) {
    return std::make_unique<SnapshotStream>(core, std::move(output));
  });
}

}  // namespace skiff::store
