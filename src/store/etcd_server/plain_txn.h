// Transactions in the shape that kube-apiserver uses: if keys are as they were last seen, puts and
// deletions of them, else what they hold now. They go to the store as they are and are written
// together with others.
#pragma once

#include <optional>

#include <etcd_rpc.pb.h>

#include "store/store.h"

namespace skiff::store {

// Nothing if the request has another shape.
std::optional<Transaction> AsPlainTransaction(const etcdserverpb::TxnRequest& request);
// The answer to such a request.
etcdserverpb::TxnResponse PlainResponse(const etcdserverpb::TxnRequest& request,
                                        const CommitReply& reply);

}  // namespace skiff::store
