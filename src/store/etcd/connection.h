// A connection to one member of the cluster, and how it is called. Internal to store/etcd.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string_view>

#include "base/status.h"
#include "grpc/client.h"
#include "net/client/client_tls.h"
#include "store/etcd/options.h"

namespace skiff::store {

// The methods of etcd's API that the store uses.
inline constexpr std::string_view kEtcdRange = "/etcdserverpb.KV/Range";
inline constexpr std::string_view kEtcdTxn = "/etcdserverpb.KV/Txn";
inline constexpr std::string_view kEtcdCompact = "/etcdserverpb.KV/Compact";
inline constexpr std::string_view kEtcdWatch = "/etcdserverpb.Watch/Watch";
inline constexpr std::string_view kEtcdLeaseGrant = "/etcdserverpb.Lease/LeaseGrant";
inline constexpr std::string_view kEtcdLeaseRevoke = "/etcdserverpb.Lease/LeaseRevoke";
inline constexpr std::string_view kEtcdLeaseKeepAlive = "/etcdserverpb.Lease/LeaseKeepAlive";
inline constexpr std::string_view kEtcdLeaseTimeToLive = "/etcdserverpb.Lease/LeaseTimeToLive";
inline constexpr std::string_view kEtcdStatus = "/etcdserverpb.Maintenance/Status";

// Shared by the calls on it. When it breaks it is not mended but replaced by a new one.
struct EtcdConnection {
  size_t endpoint = 0;  // which of the options'
  std::shared_ptr<grpc::GrpcChannel> channel;

  // Whether a call would be sent now, not wait for a connection.
  bool IsReady() const { return channel->is_ready(); }

  // Long-lived streams are ended when the connection is given up; false if it is already.
  bool AddStream(const std::shared_ptr<grpc::GrpcCall>& call);
  void RemoveStream(const std::shared_ptr<grpc::GrpcCall>& call);
  void CancelStreams();

 private:
  std::mutex mutex_;
  bool given_up_ = false;
  std::set<std::shared_ptr<grpc::GrpcCall>> streams_;
};

// Reads the certificates. Null for an endpoint without TLS.
Result<std::shared_ptr<const net::ClientTls>> ReadEtcdCertificates(const EtcdOptions& options,
                                                                   const EtcdEndpoint& endpoint);
// Reads the certificates anew. Does not wait for the member, but, if its host has a name, for the
// resolver.
Result<std::shared_ptr<EtcdConnection>> MakeEtcdConnection(grpc::GrpcClient& client,
                                                           const EtcdOptions& options,
                                                           const EtcdEndpoint& endpoint);

// With `require_leader` a member without a leader refuses at once, before it has done anything.
grpc::GrpcCallOptions EtcdCallOptions(std::string_view method, Duration timeout,
                                      bool require_leader);

}  // namespace skiff::store
