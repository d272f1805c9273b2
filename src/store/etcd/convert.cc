#include "store/etcd/convert.h"

#include <algorithm>
#include <utility>

namespace skiff::store {

KeyValue TakeKeyValue(mvccpb::KeyValue& from) {
  KeyValue out;
  out.key = std::move(*from.mutable_key());
  out.value = SharedBytes(from.value());
  out.create_revision.value = from.create_revision();
  out.mod_revision.value = from.mod_revision();
  out.version = from.version();
  out.lease.value = from.lease();
  return out;
}

Event TakeEvent(mvccpb::Event& from) {
  Event out;
  out.kind = from.type() == mvccpb::Event::DELETE ? Event::Kind::kDelete : Event::Kind::kPut;
  out.entry = TakeKeyValue(*from.mutable_kv());
  if (from.has_prev_kv()) out.previous = TakeKeyValue(*from.mutable_prev_kv());
  return out;
}

EtcdKeys ToEtcdKeys(const KeyRange& range) {
  EtcdKeys out;
  // etcd has no empty key, so its first possible key is this one.
  out.key = range.start.empty() ? std::string(1, '\0') : range.start;
  if (range.end.empty()) {
    out.range_end = std::string(1, '\0');
  } else if (range.end > out.key && range.end != out.key + '\0') {
    out.range_end = range.end;
  }
  return out;
}

etcdserverpb::TxnRequest ToTxn(const Transaction& transaction) {
  etcdserverpb::TxnRequest out;
  for (const Condition& condition : transaction.conditions) {
    etcdserverpb::Compare* compare = out.add_compare();
    compare->set_key(condition.key);
    compare->set_target(etcdserverpb::Compare::MOD);
    compare->set_result(etcdserverpb::Compare::EQUAL);
    compare->set_mod_revision(condition.expected.value);
    out.add_failure()->mutable_request_range()->set_key(condition.key);
  }
  for (const Write& write : transaction.writes) {
    etcdserverpb::RequestOp* op = out.add_success();
    if (write.kind == Write::Kind::kDelete) {
      op->mutable_request_delete_range()->set_key(write.key);
      continue;
    }
    etcdserverpb::PutRequest* put = op->mutable_request_put();
    put->set_key(write.key);
    const std::string_view value = write.value.view();
    put->set_value(value.data(), value.size());
    put->set_lease(write.lease.value);
  }
  return out;
}

CommitReply TakeCommitReply(etcdserverpb::TxnResponse& from, size_t conditions) {
  CommitReply out;
  out.succeeded = from.succeeded();
  out.revision.value = from.header().revision();
  if (out.succeeded) return out;
  out.current.resize(conditions);
  const size_t count = std::min(conditions, static_cast<size_t>(from.responses_size()));
  for (size_t i = 0; i < count; ++i) {
    auto* range = from.mutable_responses(static_cast<int>(i))->mutable_response_range();
    if (range->kvs_size() > 0) out.current[i] = TakeKeyValue(*range->mutable_kvs(0));
  }
  return out;
}

}  // namespace skiff::store
