// Between the store's types and etcd's messages. Internal to store/etcd.
#pragma once

#include <etcd_rpc.pb.h>

#include "store/store.h"

namespace skiff::store {

// Empties what it is given.
KeyValue TakeKeyValue(mvccpb::KeyValue& from);
Event TakeEvent(mvccpb::Event& from);

// The key and end of a range, as etcd writes them: "\0" for no end, no end for a single key. A
// range that holds no key becomes its first key, so that etcd does not refuse it; nothing in the
// answer is Contains()ed then.
struct EtcdKeys {
  std::string key;
  std::string range_end;
};
EtcdKeys ToEtcdKeys(const KeyRange& range);

etcdserverpb::TxnRequest ToTxn(const Transaction& transaction);
CommitReply TakeCommitReply(etcdserverpb::TxnResponse& from, size_t conditions);

}  // namespace skiff::store
