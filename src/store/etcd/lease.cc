#include "store/etcd/lease.h"

#include <utility>

#include "store/etcd/call.h"

namespace skiff::store {
namespace {

using GrantCall = EtcdCall<etcdserverpb::LeaseGrantRequest, etcdserverpb::LeaseGrantResponse>;
using RevokeCall = EtcdCall<etcdserverpb::LeaseRevokeRequest, etcdserverpb::LeaseRevokeResponse>;
using FindCall =
    EtcdCall<etcdserverpb::LeaseTimeToLiveRequest, etcdserverpb::LeaseTimeToLiveResponse>;
using RenewCall =
    EtcdCall<etcdserverpb::LeaseKeepAliveRequest, etcdserverpb::LeaseKeepAliveResponse>;

std::unexpected<Status> NotFound(LeaseId id) {
  return Fail(StatusReason::kNotFound,
              "lease " + std::to_string(id.value) + " does not exist or has ended");
}

}  // namespace

void GrantEtcdLease(const std::shared_ptr<EtcdCore>& core, std::chrono::seconds ttl, LeaseId id,
                    StoreCallback<LeaseInfo> done) {
  if (ttl.count() <= 0) return done(BadRequest("a lease needs a time to live of at least 1 s"));
  etcdserverpb::LeaseGrantRequest message;
  message.set_ttl(ttl.count());
  message.set_id(id.value);
  EtcdCallKind kind;
  kind.read = false;
  GrantCall::Start(core, kind, kEtcdLeaseGrant, message,
                   [done = std::move(done)](auto response) mutable {
                     if (!response) return done(std::unexpected(std::move(response).error()));
                     const std::chrono::seconds granted(response->ttl());
                     done(LeaseInfo{{response->id()}, granted, granted});
                   });
}

void RenewEtcdLease(const std::shared_ptr<EtcdCore>& core, LeaseId id,
                    StoreCallback<LeaseInfo> done) {
  etcdserverpb::LeaseKeepAliveRequest message;
  message.set_id(id.value);
  EtcdCallKind kind;  // renewing is idempotent
  kind.current = false;
  // etcd renews leases on a stream; this one carries a single request and its answer.
  RenewCall::Start(core, kind, kEtcdLeaseKeepAlive, message,
                   [id, done = std::move(done)](auto response) mutable {
                     if (!response) return done(std::unexpected(std::move(response).error()));
                     if (response->ttl() <= 0) return done(NotFound(id));
                     const std::chrono::seconds ttl(response->ttl());
                     done(LeaseInfo{id, ttl, ttl});
                   });
}

void RevokeEtcdLease(const std::shared_ptr<EtcdCore>& core, LeaseId id,
                     StoreCallback<Revision> done) {
  etcdserverpb::LeaseRevokeRequest message;
  message.set_id(id.value);
  EtcdCallKind kind;
  kind.read = false;
  RevokeCall::Start(core, kind, kEtcdLeaseRevoke, message,
                    [done = std::move(done)](auto response) mutable {
                      if (!response) return done(std::unexpected(std::move(response).error()));
                      done(Revision{response->header().revision()});
                    });
}

void FindEtcdLease(const std::shared_ptr<EtcdCore>& core, LeaseId id,
                   StoreCallback<LeaseInfo> done) {
  etcdserverpb::LeaseTimeToLiveRequest message;
  message.set_id(id.value);
  EtcdCallKind kind;
  kind.current = false;
  FindCall::Start(core, kind, kEtcdLeaseTimeToLive, message,
                  [id, done = std::move(done)](auto response) mutable {
                    if (!response) return done(std::unexpected(std::move(response).error()));
                    if (response->ttl() <= 0) return done(NotFound(id));
                    done(LeaseInfo{id, std::chrono::seconds(response->grantedttl()),
                                   std::chrono::seconds(response->ttl())});
                  });
}

}  // namespace skiff::store
