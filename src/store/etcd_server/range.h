// etcd's Range on a state: which entries, in which order, how many of them.
#pragma once

#include <functional>

#include <etcd_rpc.pb.h>

#include "store/etcd_server/etcd_errors.h"
#include "store/store.h"

namespace skiff::store {

grpc::GrpcStatus CheckRangeRequest(const etcdserverpb::RangeRequest& request);

// `read` reads a state. The header of the answer gets the revision alone.
grpc::GrpcResult<etcdserverpb::RangeResponse> EvaluateRange(
    const etcdserverpb::RangeRequest& request,
    const std::function<Result<RangeReply>(const RangeRequest&)>& read);

}  // namespace skiff::store
