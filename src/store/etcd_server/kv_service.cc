#include <memory>
#include <utility>

#include "base/limits.h"
#include "store/etcd_server/convert.h"
#include "store/etcd_server/plain_txn.h"
#include "store/etcd_server/range.h"
#include "store/etcd_server/services.h"
#include "store/etcd_server/txn.h"
#include "store/etcd_server/txn_check.h"

namespace skiff::store {
namespace {

using etcdserverpb::CompactionRequest;
using etcdserverpb::CompactionResponse;
using etcdserverpb::DeleteRangeRequest;
using etcdserverpb::DeleteRangeResponse;
using etcdserverpb::PutRequest;
using etcdserverpb::PutResponse;
using etcdserverpb::RangeResponse;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;

Result<RangeReply> Read(EmbeddedStore& store, const RangeRequest& request) {
  Result<RangeReply> out = Fail(StatusReason::kInternalError, "");
  // An embedded store answers before it returns.
  store.Range(request, [&](Result<RangeReply> reply) { out = std::move(reply); });
  return out;
}

// Evaluates the request when the store says so, and answers when the outcome is on disk.
template <typename Request, typename Response>
void Evaluate(EtcdServerCore& core, Request request, grpc::GrpcReply<Response> reply,
              grpc::GrpcResult<Response> (*evaluate)(const Request&, StateEditor&)) {
  auto response = std::make_unique<Response>();
  Response* const out = response.get();
  core.store().Evaluate(
      [request = std::move(request), out, evaluate](StateEditor& state) -> Result<void> {
        grpc::GrpcResult<Response> evaluated = evaluate(request, state);
        if (!evaluated) return std::unexpected(ToStore(evaluated.error()));
        *out = *std::move(evaluated);
        return {};
      },
      [&core, response = std::move(response),
       reply = std::move(reply)](Result<Revision> done) mutable {
        if (!done) return reply(FromStore(done.error()));
        core.FillHeader(*response);
        reply(*response);
      });
}

void HandleRange(EtcdServerCore& core, const etcdserverpb::RangeRequest& request,
                 grpc::GrpcReply<RangeResponse> reply) {
  if (grpc::GrpcStatus good = CheckRangeRequest(request); !good.ok()) return reply(good);
  auto response =
      EvaluateRange(request, [&](const RangeRequest& range) { return Read(core.store(), range); });
  if (response) core.FillHeader(*response);
  reply(response);
}

grpc::GrpcStatus CheckPut(EtcdServerCore& core, const PutRequest& request) {
  if (grpc::GrpcStatus good = CheckPutRequest(request); !good.ok()) return good;
  const size_t bytes = request.ByteSizeLong();
  if (grpc::GrpcStatus good = core.CheckSize(bytes); !good.ok()) return good;
  return core.CheckSpace(bytes);
}

void HandlePut(EtcdServerCore& core, PutRequest request, grpc::GrpcReply<PutResponse> reply) {
  if (grpc::GrpcStatus good = CheckPut(core, request); !good.ok()) return reply(good);
  // The store's own transactions are bounded; evaluated ones are as large as the flags allow.
  if (request.prev_kv() || request.ignore_value() || request.ignore_lease() ||
      request.key().size() + request.value().size() > limits::kMaxStoreTransactionBytes)
    return Evaluate(core, std::move(request), std::move(reply), EvaluatePut);
  Transaction transaction;
  transaction.writes.push_back({Write::Kind::kPut,
                                std::move(*request.mutable_key()),
                                SharedBytes(request.value()),
                                {request.lease()}});
  core.store().Commit(std::move(transaction),
                      [&core, reply = std::move(reply)](Result<CommitReply> done) mutable {
                        if (!done) return reply(FromStore(done.error()));
                        PutResponse response;
                        response.mutable_header()->set_revision(done->revision.value);
                        core.FillHeader(response);
                        reply(response);
                      });
}

void HandleDelete(EtcdServerCore& core, DeleteRangeRequest request,
                  grpc::GrpcReply<DeleteRangeResponse> reply) {
  if (grpc::GrpcStatus good = CheckDeleteRequest(request); !good.ok()) return reply(good);
  if (grpc::GrpcStatus good = core.CheckWritable(); !good.ok()) return reply(good);
  Evaluate(core, std::move(request), std::move(reply), EvaluateDelete);
}

// A transaction that only reads needs no turn among the writers: a state that stands still will do.
grpc::GrpcResult<TxnResponse> ReadTxn(EtcdServerCore& core, const TxnRequest& request) {
  while (true) {
    const Revision at = core.store().revision();
    EditedState state({.revision = at.value,
                       .range =
                           [&](RangeRequest range) {
                             if (range.at.value == 0) range.at = at;
                             return Read(core.store(), range);
                           },
                       .lease_exists = [](LeaseId) { return true; }});
    grpc::GrpcResult<TxnResponse> response = EvaluateTxn(request, state);
    // The state itself may have been compacted meanwhile; then there is a newer one.
    const bool lost = !response && core.store().compacted() > at;
    if (!lost) return response;
  }
}

grpc::GrpcStatus CheckTxn(EtcdServerCore& core, const TxnRequest& request) {
  grpc::GrpcStatus good = CheckTxnRequest(request, core.options().max_txn_ops);
  if (!good.ok()) return good;
  const size_t bytes = request.ByteSizeLong();
  if (good = core.CheckSize(bytes); !good.ok()) return good;
  if (HasPut(request)) return core.CheckSpace(bytes);
  return IsReadOnly(request) ? grpc::GrpcStatus() : core.CheckWritable();
}

void HandleTxn(EtcdServerCore& core, TxnRequest request, grpc::GrpcReply<TxnResponse> reply) {
  if (grpc::GrpcStatus good = CheckTxn(core, request); !good.ok()) return reply(good);
  if (IsReadOnly(request)) {
    grpc::GrpcResult<TxnResponse> response = ReadTxn(core, request);
    if (response) core.FillHeader(*response);
    return reply(response);
  }
  std::optional<Transaction> plain = AsPlainTransaction(request);
  if (!plain) return Evaluate(core, std::move(request), std::move(reply), EvaluateTxn);
  core.store().Commit(*std::move(plain),
                      [&core, request = std::move(request),
                       reply = std::move(reply)](Result<CommitReply> done) mutable {
                        if (!done) return reply(FromStore(done.error()));
                        TxnResponse response = PlainResponse(request, *done);
                        core.FillHeader(response);
                        reply(response);
                      });
}

// Answered when the old states are gone, physically or not.
void HandleCompact(EtcdServerCore& core, const CompactionRequest& request,
                   grpc::GrpcReply<CompactionResponse> reply) {
  if (grpc::GrpcStatus good = core.CheckWritable(); !good.ok()) return reply(good);
  const Revision wanted{request.revision()};
  if (wanted > core.store().revision()) return reply(kFutureRevision);
  const Revision compacted = core.store().compacted();
  // Nothing has that revision, so that compacting to it is done.
  if (wanted.value == 0 && compacted.value == 0) {
    CompactionResponse response;
    core.FillHeader(response);
    return reply(response);
  }
  if (wanted <= compacted) return reply(kCompacted);
  core.store().Compact(wanted, [&core, reply = std::move(reply)](Result<Revision> done) mutable {
    if (!done) return reply(FromStore(done.error()));
    CompactionResponse response;
    core.FillHeader(response);
    reply(response);
  });
}

}  // namespace

void AddKvService(grpc::GrpcRouter& router, EtcdServerCore& core) {
  const std::string service = "/etcdserverpb.KV/";
  router.Add<etcdserverpb::RangeRequest, RangeResponse>(
      service + "Range",
      [&core](auto request, auto reply) { HandleRange(core, request, std::move(reply)); });
  router.Add<PutRequest, PutResponse>(service + "Put", [&core](auto request, auto reply) {
    HandlePut(core, std::move(request), std::move(reply));
  });
  router.Add<DeleteRangeRequest, DeleteRangeResponse>(
      service + "DeleteRange", [&core](auto request, auto reply) {
        HandleDelete(core, std::move(request), std::move(reply));
      });
  router.Add<TxnRequest, TxnResponse>(service + "Txn", [&core](auto request, auto reply) {
    HandleTxn(core, std::move(request), std::move(reply));
  });
  router.Add<CompactionRequest, CompactionResponse>(
      service + "Compact",
      [&core](auto request, auto reply) { HandleCompact(core, request, std::move(reply)); });
}

}  // namespace skiff::store
