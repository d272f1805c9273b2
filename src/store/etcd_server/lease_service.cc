#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/limits.h"
#include "store/etcd_server/services.h"

namespace skiff::store {
namespace {

using etcdserverpb::LeaseGrantRequest;
using etcdserverpb::LeaseGrantResponse;
using etcdserverpb::LeaseKeepAliveRequest;
using etcdserverpb::LeaseKeepAliveResponse;
using etcdserverpb::LeaseLeasesRequest;
using etcdserverpb::LeaseLeasesResponse;
using etcdserverpb::LeaseRevokeRequest;
using etcdserverpb::LeaseRevokeResponse;
using etcdserverpb::LeaseTimeToLiveRequest;
using etcdserverpb::LeaseTimeToLiveResponse;

// etcd's: what its elections take, in whole seconds.
constexpr int64_t kMinTtlSeconds = 2;
constexpr int64_t kMaxTtlSeconds = 9'000'000'000;

void HandleGrant(EtcdServerCore& core, const LeaseGrantRequest& request,
                 grpc::GrpcReply<LeaseGrantResponse> reply) {
  if (request.ttl() > kMaxTtlSeconds) return reply(kLeaseTtlTooLarge);
  if (grpc::GrpcStatus good = core.CheckSpace(0); !good.ok()) return reply(good);
  const std::chrono::seconds ttl(std::max(request.ttl(), kMinTtlSeconds));
  core.store().GrantLease(ttl, {request.id()},
                          [&core, reply = std::move(reply)](Result<LeaseInfo> info) mutable {
                            if (!info) return reply(FromStore(info.error()));
                            LeaseGrantResponse response;
                            core.FillHeader(response);
                            response.set_id(info->id.value);
                            response.set_ttl(info->granted.count());
                            reply(response);
                          });
}

void HandleRevoke(EtcdServerCore& core, const LeaseRevokeRequest& request,
                  grpc::GrpcReply<LeaseRevokeResponse> reply) {
  if (grpc::GrpcStatus good = core.CheckWritable(); !good.ok()) return reply(good);
  core.store().RevokeLease({request.id()},
                           [&core, reply = std::move(reply)](Result<Revision> done) mutable {
                             if (!done) return reply(FromStore(done.error()));
                             LeaseRevokeResponse response;
                             response.mutable_header()->set_revision(done->value);
                             core.FillHeader(response);
                             reply(response);
                           });
}

void HandleTimeToLive(EtcdServerCore& core, const LeaseTimeToLiveRequest& request,
                      grpc::GrpcReply<LeaseTimeToLiveResponse> reply) {
  LeaseTimeToLiveResponse response;
  core.FillHeader(response);
  response.set_id(request.id());
  response.set_ttl(-1);
  core.store().FindLease({request.id()}, [&](Result<LeaseInfo> info) {
    if (!info) return;
    // Seconds that are whole, as etcd counts them; the store counts those that have begun.
    response.set_ttl(std::max<int64_t>(info->remaining.count() - 1, 0));
    response.set_grantedttl(info->granted.count());
  });
  if (request.keys() && response.ttl() >= 0) {
    Result<std::vector<std::string>> keys = core.store().LeaseKeys({request.id()});
    if (!keys) return reply(FromStore(keys.error()));
    for (std::string& key : *keys) response.add_keys(std::move(key));
  }
  reply(response);
}

void HandleLeases(EtcdServerCore& core, grpc::GrpcReply<LeaseLeasesResponse> reply) {
  LeaseLeasesResponse response;
  core.FillHeader(response);
  std::vector<LeaseInfo> leases = core.store().Leases();
  std::ranges::stable_sort(leases, {}, &LeaseInfo::remaining);
  for (const LeaseInfo& info : leases) response.add_leases()->set_id(info.id.value);
  reply(response);
}

// What outlives the call: renewals that are under way when it ends.
struct KeepAlives {
  std::shared_ptr<grpc::GrpcOutput> output;
  std::atomic<size_t> under_way = 0;
  std::atomic<bool> input_ended = false;

  void FinishIfDone() {
    if (input_ended && under_way == 0) output->Finish({});
  }
};

class KeepAliveStream final : public grpc::GrpcStreamHandler {
 public:
  KeepAliveStream(EtcdServerCore& core, std::shared_ptr<grpc::GrpcOutput> output)
      : core_(core), state_(std::make_shared<KeepAlives>()) {
    state_->output = std::move(output);
  }

  void OnMessage(std::string_view message) override {
    LeaseKeepAliveRequest request;
    if (!request.ParseFromArray(message.data(), static_cast<int>(message.size())))
      return state_->output->Finish(
          {grpc::GrpcCode::kInternal, "grpc: error unmarshalling request"});
    if (state_->under_way >= limits::kMaxEtcdServerKeepAlives ||
        state_->output->queued_bytes() > limits::kMaxEtcdServerQueuedBytes)
      return state_->output->Finish(kTooManyRequestsError);
    LeaseKeepAliveResponse response;
    // Made before the renewal, so that the revision is not beyond the one at which it happened.
    core_.FillHeader(response);
    response.set_id(request.id());
    ++state_->under_way;
    core_.store().RenewLease({request.id()}, [state = state_, response = std::move(response)](
                                                 Result<LeaseInfo> info) mutable {
      if (info) response.set_ttl(info->granted.count());
      if (info || info.error().reason() == StatusReason::kNotFound) {
        state->output->Send(grpc::FrameMessage(response));
      } else {
        state->output->Finish(FromStore(info.error()));
      }
      --state->under_way;
      state->FinishIfDone();
    });
  }

  void OnInputEnd() override {
    state_->input_ended = true;
    state_->FinishIfDone();
  }

 private:
  EtcdServerCore& core_;
  const std::shared_ptr<KeepAlives> state_;
};

}  // namespace

void AddLeaseService(grpc::GrpcRouter& router, EtcdServerCore& core) {
  const std::string service = "/etcdserverpb.Lease/";
  router.Add<LeaseGrantRequest, LeaseGrantResponse>(
      service + "LeaseGrant",
      [&core](auto request, auto reply) { HandleGrant(core, request, std::move(reply)); });
  router.Add<LeaseRevokeRequest, LeaseRevokeResponse>(
      service + "LeaseRevoke",
      [&core](auto request, auto reply) { HandleRevoke(core, request, std::move(reply)); });
  router.Add<LeaseTimeToLiveRequest, LeaseTimeToLiveResponse>(
      service + "LeaseTimeToLive",
      [&core](auto request, auto reply) { HandleTimeToLive(core, request, std::move(reply)); });
  router.Add<LeaseLeasesRequest, LeaseLeasesResponse>(
      service + "LeaseLeases", [&core](auto, auto reply) { HandleLeases(core, std::move(reply)); });
  router.AddStream(service + "LeaseKeepAlive", [&core](std::shared_ptr<grpc::GrpcOutput> output) {
    return std::make_unique<KeepAliveStream>(core, std::move(output));
  });
}

}  // namespace skiff::store
