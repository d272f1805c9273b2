// Ranges of any size, read in pages of bounded size at one revision. Internal to store/etcd.
//
// etcd answers a range in one message, however large, and holds all of it in memory meanwhile; so
// does the client. Pages are therefore asked for, first a small one, then as many entries as fit
// into kEtcdPageBytes by what the last page has shown.
#pragma once

#include <memory>

#include "store/etcd/call.h"
#include "store/store.h"

namespace skiff::store {

void StartEtcdRange(const std::shared_ptr<EtcdCore>& core, RangeRequest request,
                    StoreCallback<RangeReply> done);
// The revision is that of the first page. If it is compacted before the last page is read, the
// answer is kExpired: what the sink has already been given cannot be taken back.
void StartEtcdScan(const std::shared_ptr<EtcdCore>& core, KeyRange range, ScanSink* sink,
                   StoreCallback<Revision> done);
// The newest revision of the cluster.
void StartEtcdRevision(const std::shared_ptr<EtcdCore>& core, StoreCallback<Revision> done,
                       EtcdCallKind kind = {});
// Whoever answers after an interruption may be a cluster that was set back to an older state. Asks
// for its revision, which tells (EtcdCore::Observe).
void CheckEtcdHistory(const std::shared_ptr<EtcdCore>& core);

}  // namespace skiff::store
