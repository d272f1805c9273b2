#include "store/etcd_server/txn.h"

#include <algorithm>
#include <utility>

#include "store/etcd_server/convert.h"
#include "store/etcd_server/range.h"

namespace skiff::store {
namespace {

using etcdserverpb::Compare;
using etcdserverpb::DeleteRangeRequest;
using etcdserverpb::DeleteRangeResponse;
using etcdserverpb::PutRequest;
using etcdserverpb::PutResponse;
using etcdserverpb::RequestOp;
using etcdserverpb::ResponseOp;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;
using Ops = google::protobuf::RepeatedPtrField<RequestOp>;

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int CompareEntry(const Compare& compare, const KeyValue& entry) {
  switch (compare.target()) {
    case Compare::VERSION:
      return Order(entry.version, compare.version());
    case Compare::CREATE:
      return Order(entry.create_revision.value, compare.create_revision());
    case Compare::MOD:
      return Order(entry.mod_revision.value, compare.mod_revision());
    case Compare::VALUE:
      return Order(entry.value.view(), std::string_view(compare.value()));
    case Compare::LEASE:
      return Order(entry.lease.value, compare.lease());
    default:
      return 0;
  }
}

bool Holds(const Compare& compare, const KeyValue& entry) {
  const int order = CompareEntry(compare, entry);
  switch (compare.result()) {
    case Compare::EQUAL:
      return order == 0;
    case Compare::NOT_EQUAL:
      return order != 0;
    case Compare::GREATER:
      return order > 0;
    case Compare::LESS:
      return order < 0;
    default:
      return true;
  }
}

grpc::GrpcResult<bool> Holds(const Compare& compare, StateEditor& state) {
  RangeRequest request;
  request.range = RangeOf(compare.key(), compare.range_end());
  request.keys_only = compare.target() != Compare::VALUE;
  const Result<RangeReply> reply = state.Range(request);
  if (!reply) return std::unexpected(FromStore(reply.error()));
  // A value that is not there equals none, not even the empty one.
  if (reply->entries.empty())
    return compare.target() != Compare::VALUE && Holds(compare, KeyValue());
  return std::ranges::all_of(reply->entries,
                             [&](const KeyValue& entry) { return Holds(compare, entry); });
}

// Which side of a transaction and of each within it happens, in the order in which they are met.
using Path = std::vector<bool>;

grpc::GrpcStatus FindPath(const TxnRequest& request, StateEditor& state, Path* path) {
  bool holds = true;
  for (const Compare& compare : request.compare()) {
    const grpc::GrpcResult<bool> one = Holds(compare, state);
    if (!one) return one.error();
    holds = *one;
    if (!holds) break;
  }
  path->push_back(holds);
  for (const RequestOp& op : holds ? request.success() : request.failure()) {
    if (!op.has_request_txn()) continue;
    if (grpc::GrpcStatus good = FindPath(op.request_txn(), state, path); !good.ok()) return good;
  }
  return {};
}

// A put that keeps the lease or the value needs the entry before it.
grpc::GrpcResult<std::optional<KeyValue>> Before(const PutRequest& request, StateEditor& state) {
  std::optional<KeyValue> before;
  if (!request.prev_kv() && !request.ignore_value() && !request.ignore_lease()) return before;
  RangeRequest range;
  range.range = KeyRange::Single(request.key());
  Result<RangeReply> reply = state.Range(range);
  if (!reply) return std::unexpected(FromStore(reply.error()));
  if (!reply->entries.empty()) before = std::move(reply->entries[0]);
  if (!before && (request.ignore_value() || request.ignore_lease()))
    return std::unexpected(grpc::GrpcStatus(kKeyNotFound));
  return before;
}

grpc::GrpcStatus CheckPut(const RequestOp& op, StateEditor& state) {
  if (!op.has_request_put()) return {};
  const PutRequest& put = op.request_put();
  if (const auto before = Before(put, state); !before) return before.error();
  const bool has_lease = put.lease() == 0 || state.LeaseExists({put.lease()});
  return has_lease ? grpc::GrpcStatus() : grpc::GrpcStatus(kLeaseNotFound);
}

grpc::GrpcStatus CheckRange(const RequestOp& op, StateEditor& state) {
  const int64_t at = op.has_request_range() ? op.request_range().revision() : 0;
  if (at > state.revision().value) return kFutureRevision;
  if (at <= 0) return {};
  RangeRequest probe;
  probe.range = KeyRange::Single("\x01");
  probe.at.value = at;
  const auto read = state.Range(probe);
  return read ? grpc::GrpcStatus() : FromStore(read.error());
}

// What may be wrong with the operations that happen is looked for before the first is done, on the
// state before the transaction.
grpc::GrpcStatus CheckOps(const TxnRequest& request, StateEditor& state, Path::const_iterator& path,
                          grpc::GrpcStatus (*check)(const RequestOp&, StateEditor&)) {
  for (const RequestOp& op : *path++ ? request.success() : request.failure()) {
    grpc::GrpcStatus good =
        op.has_request_txn() ? CheckOps(op.request_txn(), state, path, check) : check(op, state);
    if (!good.ok()) return good;
  }
  return {};
}

grpc::GrpcStatus Apply(const TxnRequest& request, StateEditor& state, Path::const_iterator& path,
                       TxnResponse* response);

template <typename T>
grpc::GrpcStatus Take(grpc::GrpcResult<T> result, T* out) {
  if (!result) return std::move(result).error();
  *out = *std::move(result);
  return {};
}

grpc::GrpcStatus ApplyOp(const RequestOp& op, StateEditor& state, Path::const_iterator& path,
                         ResponseOp* response) {
  switch (op.request_case()) {
    case RequestOp::kRequestRange:
      return Take(EvaluateRange(op.request_range(),
                                [&](const RangeRequest& request) { return state.Range(request); }),
                  response->mutable_response_range());
    case RequestOp::kRequestPut:
      return Take(EvaluatePut(op.request_put(), state), response->mutable_response_put());
    case RequestOp::kRequestDeleteRange:
      return Take(EvaluateDelete(op.request_delete_range(), state),
                  response->mutable_response_delete_range());
    default:
      return Apply(op.request_txn(), state, path, response->mutable_response_txn());
  }
}

grpc::GrpcStatus Apply(const TxnRequest& request, StateEditor& state, Path::const_iterator& path,
                       TxnResponse* response) {
  const bool succeeded = *path++;
  response->set_succeeded(succeeded);
  // etcd leaves the headers of inner transactions empty.
  response->mutable_header();
  for (const RequestOp& op : succeeded ? request.success() : request.failure()) {
    if (grpc::GrpcStatus done = ApplyOp(op, state, path, response->add_responses()); !done.ok())
      return done;
  }
  return {};
}

int64_t RevisionNow(const StateEditor& state) {
  return state.revision().value + (state.changed() ? 1 : 0);
}

}  // namespace

grpc::GrpcResult<TxnResponse> EvaluateTxn(const TxnRequest& request, StateEditor& state) {
  Path path;
  if (grpc::GrpcStatus found = FindPath(request, state, &path); !found.ok())
    return std::unexpected(std::move(found));
  // Of several faults etcd tells the first of a put, wherever it is.
  for (const auto check : {CheckPut, CheckRange}) {
    auto checked = path.cbegin();
    if (grpc::GrpcStatus good = CheckOps(request, state, checked, check); !good.ok())
      return std::unexpected(std::move(good));
  }
  auto at = path.cbegin();
  TxnResponse response;
  if (grpc::GrpcStatus done = Apply(request, state, at, &response); !done.ok())
    return std::unexpected(std::move(done));
  response.mutable_header()->set_revision(RevisionNow(state));
  return response;
}

grpc::GrpcResult<PutResponse> EvaluatePut(const PutRequest& request, StateEditor& state) {
  if (request.lease() != 0 && !state.LeaseExists({request.lease()}))
    return std::unexpected(grpc::GrpcStatus(kLeaseNotFound));
  grpc::GrpcResult<std::optional<KeyValue>> before = Before(request, state);
  if (!before) return std::unexpected(std::move(before).error());
  PutResponse response;
  if (request.prev_kv() && *before) FillKeyValue(**before, response.mutable_prev_kv());
  const Result<void> put = state.Put(
      request.key(), request.ignore_value() ? (*before)->value : SharedBytes(request.value()),
      request.ignore_lease() ? (*before)->lease : LeaseId{request.lease()});
  if (!put) return std::unexpected(FromStore(put.error()));
  response.mutable_header()->set_revision(RevisionNow(state));
  return response;
}

grpc::GrpcResult<DeleteRangeResponse> EvaluateDelete(const DeleteRangeRequest& request,
                                                     StateEditor& state) {
  RangeRequest range;
  range.range = RangeOf(request.key(), request.range_end());
  range.keys_only = !request.prev_kv();
  const Result<RangeReply> reply = state.Range(range);
  if (!reply) return std::unexpected(FromStore(reply.error()));
  DeleteRangeResponse response;
  for (const KeyValue& entry : reply->entries) {
    if (request.prev_kv()) FillKeyValue(entry, response.add_prev_kvs());
    state.Delete(entry.key);
  }
  response.set_deleted(static_cast<int64_t>(reply->entries.size()));
  response.mutable_header()->set_revision(RevisionNow(state));
  return response;
}

}  // namespace skiff::store
