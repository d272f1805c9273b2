// What makes a transaction of etcd's well-formed, before anything is looked up.
#pragma once

#include <cstddef>

#include <etcd_rpc.pb.h>

#include "store/etcd_server/etcd_errors.h"

namespace skiff::store {

grpc::GrpcStatus CheckPutRequest(const etcdserverpb::PutRequest& request);
grpc::GrpcStatus CheckDeleteRequest(const etcdserverpb::DeleteRangeRequest& request);
// That there are not too many operations, that each has what it needs, and that no key is put twice
// or put and deleted.
grpc::GrpcStatus CheckTxnRequest(const etcdserverpb::TxnRequest& request, int64_t max_ops);

// Whether it can change something. One that holds another counts as one that can, as in etcd.
bool IsReadOnly(const etcdserverpb::TxnRequest& request);
// Whether it may make the store grow.
bool HasPut(const etcdserverpb::TxnRequest& request);

}  // namespace skiff::store
