#include "store/etcd_server/txn_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/limits.h"
#include "store/etcd_server/convert.h"
#include "store/etcd_server/range.h"

namespace skiff::store {
namespace {

using etcdserverpb::RequestOp;
using etcdserverpb::TxnRequest;
using Ops = google::protobuf::RepeatedPtrField<RequestOp>;

// What a list of operations writes, whichever way its inner transactions go.
struct Touched {
  std::set<std::string> puts;
  std::vector<KeyRange> deletes;

  bool Deletes(const std::string& key) const {
    return std::ranges::any_of(deletes, [&](const KeyRange& range) { return range.Contains(key); });
  }
};

bool CollectOps(const Ops& ops, Touched* out);

// One of the two sides happens, so that both may put the same key. What lies beside may not.
bool CollectInner(const TxnRequest& request, Touched* out) {
  Touched sides[2];
  if (!CollectOps(request.success(), &sides[0]) || !CollectOps(request.failure(), &sides[1]))
    return false;
  const std::set<std::string> before = out->puts;
  for (const Touched& side : sides) {
    for (const std::string& key : side.puts) {
      if (before.contains(key) || out->Deletes(key)) return false;
      out->puts.insert(key);
    }
  }
  for (Touched& side : sides) std::ranges::move(side.deletes, std::back_inserter(out->deletes));
  return true;
}

// False if a key is put twice, or put and deleted.
bool CollectOps(const Ops& ops, Touched* out) {
  for (const RequestOp& op : ops) {
    if (!op.has_request_delete_range()) continue;
    const auto& request = op.request_delete_range();
    out->deletes.push_back(RangeOf(request.key(), request.range_end()));
  }
  for (const RequestOp& op : ops) {
    if (op.has_request_txn() && !CollectInner(op.request_txn(), out)) return false;
  }
  for (const RequestOp& op : ops) {
    if (!op.has_request_put()) continue;
    const std::string& key = op.request_put().key();
    if (out->Deletes(key) || !out->puts.insert(key).second) return false;
  }
  return true;
}

grpc::GrpcStatus CheckOps(const Ops& ops, int64_t max_ops, int depth);

grpc::GrpcStatus CheckForm(const TxnRequest& request, int64_t max_ops, int depth) {
  const int most =
      std::max({request.compare_size(), request.success_size(), request.failure_size()});
  if (most > max_ops || depth > limits::kMaxEtcdServerNesting) return kTooManyOps;
  for (const auto& compare : request.compare()) {
    if (compare.key().empty()) return kEmptyKey;
  }
  grpc::GrpcStatus good = CheckOps(request.success(), max_ops - most, depth);
  return good.ok() ? CheckOps(request.failure(), max_ops - most, depth) : good;
}

grpc::GrpcStatus CheckOp(const RequestOp& op, int64_t max_ops, int depth) {
  switch (op.request_case()) {
    case RequestOp::kRequestRange:
      return CheckRangeRequest(op.request_range());
    case RequestOp::kRequestPut:
      return CheckPutRequest(op.request_put());
    case RequestOp::kRequestDeleteRange:
      return CheckDeleteRequest(op.request_delete_range());
    case RequestOp::kRequestTxn:
      return CheckForm(op.request_txn(), max_ops, depth + 1);
    default:
      return kKeyNotFound;
  }
}

grpc::GrpcStatus CheckOps(const Ops& ops, int64_t max_ops, int depth) {
  for (const RequestOp& op : ops) {
    if (grpc::GrpcStatus good = CheckOp(op, max_ops, depth); !good.ok()) return good;
  }
  return {};
}

bool AnyPut(const Ops& ops) {
  return std::ranges::any_of(ops, [](const RequestOp& op) {
    return op.has_request_put() || (op.has_request_txn() && HasPut(op.request_txn()));
  });
}

bool AllRanges(const Ops& ops) {
  return std::ranges::all_of(ops, [](const RequestOp& op) { return op.has_request_range(); });
}

}  // namespace

grpc::GrpcStatus CheckPutRequest(const etcdserverpb::PutRequest& request) {
  if (request.key().empty()) return kEmptyKey;
  if (request.ignore_value() && !request.value().empty()) return kValueProvided;
  if (request.ignore_lease() && request.lease() != 0) return kLeaseProvided;
  if (request.key().size() > limits::kMaxStoreKeyBytes) return kRequestTooLarge;
  return {};
}

grpc::GrpcStatus CheckDeleteRequest(const etcdserverpb::DeleteRangeRequest& request) {
  return request.key().empty() ? grpc::GrpcStatus(kEmptyKey) : grpc::GrpcStatus();
}

grpc::GrpcStatus CheckTxnRequest(const TxnRequest& request, int64_t max_ops) {
  if (grpc::GrpcStatus good = CheckForm(request, max_ops, 0); !good.ok()) return good;
  Touched sides[2];
  const bool good =
      CollectOps(request.success(), &sides[0]) && CollectOps(request.failure(), &sides[1]);
  return good ? grpc::GrpcStatus() : grpc::GrpcStatus(kDuplicateKey);
}

bool IsReadOnly(const TxnRequest& request) {
  return AllRanges(request.success()) && AllRanges(request.failure());
}

bool HasPut(const TxnRequest& request) {
  return AnyPut(request.success()) || AnyPut(request.failure());
}

}  // namespace skiff::store
