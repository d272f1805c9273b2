#include "store/etcd_server/plain_txn.h"

#include <algorithm>

#include "base/limits.h"
#include "store/check.h"
#include "store/etcd_server/convert.h"

namespace skiff::store {
namespace {

using etcdserverpb::Compare;
using Asked = etcdserverpb::RangeRequest;
using etcdserverpb::RequestOp;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;

bool AddCondition(const Compare& compare, Transaction* out) {
  if (!IsSingleKey(compare.range_end()) || compare.result() != Compare::EQUAL) return false;
  int64_t expected = 0;
  switch (compare.target()) {
    case Compare::MOD:
      expected = compare.mod_revision();
      break;
    // That a key has no version, or was never made, is that it is not there.
    case Compare::VERSION:
      if (compare.version() != 0) return false;
      break;
    case Compare::CREATE:
      if (compare.create_revision() != 0) return false;
      break;
    default:
      return false;
  }
  if (expected < 0) return false;
  out->conditions.push_back({compare.key(), {expected}});
  return true;
}

const Condition* FindCondition(const Transaction& transaction, const std::string& key) {
  const auto found = std::ranges::find(transaction.conditions, key, &Condition::key);
  return found == transaction.conditions.end() ? nullptr : &*found;
}

bool AddWrite(const RequestOp& op, Transaction* out) {
  if (op.has_request_put()) {
    const auto& put = op.request_put();
    if (put.prev_kv() || put.ignore_value() || put.ignore_lease()) return false;
    out->writes.push_back({Write::Kind::kPut, put.key(), SharedBytes(put.value()), {put.lease()}});
    return true;
  }
  if (!op.has_request_delete_range()) return false;
  const auto& request = op.request_delete_range();
  if (request.prev_kv() || !IsSingleKey(request.range_end())) return false;
  // How many were deleted is known only of a key whose state is.
  if (FindCondition(*out, request.key()) == nullptr) return false;
  if (std::ranges::any_of(out->writes, [&](const Write& w) { return w.key == request.key(); }))
    return false;
  out->writes.push_back({Write::Kind::kDelete, request.key(), {}, {}});
  return true;
}

bool IsPlainRange(const Asked& request, const Transaction& transaction) {
  return IsSingleKey(request.range_end()) && request.revision() <= 0 &&
         request.min_mod_revision() == 0 && request.max_mod_revision() == 0 &&
         request.min_create_revision() == 0 && request.max_create_revision() == 0 &&
         FindCondition(transaction, request.key()) != nullptr;
}

void FillRange(const Asked& request, const std::optional<KeyValue>& entry,
               etcdserverpb::RangeResponse* out) {
  if (!entry) return;
  out->set_count(1);
  if (request.count_only()) return;
  FillKeyValue(*entry, out->add_kvs());
  if (request.keys_only()) out->mutable_kvs(0)->clear_value();
}

}  // namespace

std::optional<Transaction> AsPlainTransaction(const TxnRequest& request) {
  Transaction out;
  if (request.success().empty() || request.success_size() > int{limits::kMaxStoreTransactionWrites})
    return std::nullopt;
  if (request.compare_size() > int{limits::kMaxStoreTransactionWrites}) return std::nullopt;
  for (const Compare& compare : request.compare()) {
    if (!AddCondition(compare, &out)) return std::nullopt;
  }
  for (const RequestOp& op : request.success()) {
    if (!AddWrite(op, &out)) return std::nullopt;
  }
  if (TransactionBytes(out) > limits::kMaxStoreTransactionBytes) return std::nullopt;
  for (const RequestOp& op : request.failure()) {
    if (!op.has_request_range() || !IsPlainRange(op.request_range(), out)) return std::nullopt;
  }
  return out;
}

TxnResponse PlainResponse(const TxnRequest& request, const CommitReply& reply) {
  TxnResponse response;
  const int64_t revision = reply.revision.value;
  response.mutable_header()->set_revision(revision);
  response.set_succeeded(reply.succeeded);
  if (reply.succeeded) {
    for (const RequestOp& op : request.success()) {
      auto* out = response.add_responses();
      if (op.has_request_put()) {
        out->mutable_response_put()->mutable_header()->set_revision(revision);
        continue;
      }
      auto* deleted = out->mutable_response_delete_range();
      deleted->mutable_header()->set_revision(revision);
      const auto known = std::ranges::find_if(request.compare(), [&](const Compare& compare) {
        return compare.key() == op.request_delete_range().key();
      });
      deleted->set_deleted(known->target() == Compare::MOD && known->mod_revision() != 0 ? 1 : 0);
    }
    return response;
  }
  for (const RequestOp& op : request.failure()) {
    auto* out = response.add_responses()->mutable_response_range();
    out->mutable_header()->set_revision(revision);
    const auto known = std::ranges::find_if(request.compare(), [&](const Compare& compare) {
      return compare.key() == op.request_range().key();
    });
    const auto index = static_cast<size_t>(known - request.compare().begin());
    FillRange(op.request_range(), reply.current[index], out);
  }
  return response;
}

}  // namespace skiff::store
