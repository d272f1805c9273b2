// etcd's transactions: comparisons decide which of two lists of operations happens, all of it at
// one revision. Lists may hold transactions.
//
// All comparisons, inner ones too, look at the state before the transaction; reads see what the
// operations before them wrote. Either everything can be done or nothing is.
#pragma once

#include <etcd_rpc.pb.h>

#include "store/embedded/edited_state.h"
#include "store/etcd_server/etcd_errors.h"

namespace skiff::store {

// Each expects a request that was checked (txn_check.h) and fills in revisions only of headers.
grpc::GrpcResult<etcdserverpb::TxnResponse> EvaluateTxn(const etcdserverpb::TxnRequest& request,
                                                        StateEditor& state);
grpc::GrpcResult<etcdserverpb::PutResponse> EvaluatePut(const etcdserverpb::PutRequest& request,
                                                        StateEditor& state);
grpc::GrpcResult<etcdserverpb::DeleteRangeResponse> EvaluateDelete(
    const etcdserverpb::DeleteRangeRequest& request, StateEditor& state);

}  // namespace skiff::store
