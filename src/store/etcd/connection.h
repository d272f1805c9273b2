// A connection to one member of the cluster. Internal to store/etcd: it shows gRPC's types.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <etcd_rpc.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include "base/status.h"
#include "store/etcd/options.h"
#include "store/etcd/version.h"

namespace skiff {

// A channel and what can be called on it. Shared by the calls on it. When it breaks it is not
// mended but replaced by a new one.
struct EtcdConnection {
  size_t endpoint = 0;  // which of the options'
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<etcdserverpb::KV::Stub> kv;
  std::unique_ptr<etcdserverpb::Lease::Stub> lease;
  std::unique_ptr<etcdserverpb::Watch::Stub> watch;
  std::unique_ptr<etcdserverpb::Maintenance::Stub> maintenance;

  // Whether a call would be sent now, not wait for a connection.
  bool IsReady() const { return channel->GetState(false) == GRPC_CHANNEL_READY; }

  // Long-lived streams are ended when the connection is given up; false if it is already.
  bool AddStream(grpc::ClientContext* context);
  void RemoveStream(grpc::ClientContext* context);
  void CancelStreams();

 private:
  std::mutex mutex_;
  bool given_up_ = false;
  std::set<grpc::ClientContext*> streams_;
};

// Reads the certificates anew. Does not wait for the member.
Result<std::shared_ptr<EtcdConnection>> MakeEtcdConnection(const EtcdOptions& options,
                                                           const EtcdEndpoint& endpoint);

// gRPC measures deadlines itself; only the length of time is ours.
void SetEtcdTimeout(grpc::ClientContext& context, Duration timeout);
// Lets a member without a leader refuse at once, before it has done anything.
void RequireEtcdLeader(grpc::ClientContext& context);

}  // namespace skiff
