#include "store/etcd/errors.h"

#include <array>
#include <string>

namespace skiff::store {
namespace {

using Kind = EtcdFailure::Kind;

struct KnownError {
  std::string_view text;  // how the message begins
  Kind kind;
  StatusReason reason;
  std::string_view advice;  // follows the text
};

// The first that fits counts. "request timed out" has variants that tell the cause.
constexpr auto kKnownErrors = std::to_array<KnownError>({
    {"etcdserver: mvcc: required revision has been compacted", Kind::kFinal, StatusReason::kExpired,
     ""},
    {"etcdserver: mvcc: required revision is a future revision", Kind::kFinal,
     StatusReason::kTimeout, ""},
    {"etcdserver: mvcc: database space exceeded", Kind::kFinal, StatusReason::kServiceUnavailable,
     ": etcd takes no writes; compact and defragment it or raise its quota, then disarm the alarm"},
    {"etcdserver: request is too large", Kind::kFinal, StatusReason::kRequestEntityTooLarge, ""},
    {"etcdserver: too many operations in txn request", Kind::kFinal,
     StatusReason::kRequestEntityTooLarge, ""},
    {"etcdserver: requested lease not found", Kind::kFinal, StatusReason::kNotFound, ""},
    {"etcdserver: lease already exists", Kind::kFinal, StatusReason::kAlreadyExists, ""},
    {"etcdserver: too large lease TTL", Kind::kFinal, StatusReason::kBadRequest, ""},
    {"etcdserver: corrupt cluster", Kind::kFinal, StatusReason::kInternalError,
     ": etcd found that its members hold different data; restore or replace the odd one"},
    {"etcdserver: permission denied", Kind::kFinal, StatusReason::kForbidden, ""},
    {"etcdserver: invalid auth token", Kind::kFinal, StatusReason::kUnauthorized, ""},
    {"etcdserver: too many requests", Kind::kTryAgain, StatusReason::kTooManyRequests,
     ": etcd cannot keep up"},
    {"etcdserver: no leader", Kind::kTryAgain, StatusReason::kServiceUnavailable,
     ": this member is cut off from most of its cluster, or an election is under way"},
    {"etcdserver: not leader", Kind::kTryAgain, StatusReason::kServiceUnavailable, ""},
    {"etcdserver: unhealthy cluster", Kind::kTryAgain, StatusReason::kServiceUnavailable, ""},
    {"etcdserver: rpc not supported for learner", Kind::kTryAgain,
     StatusReason::kServiceUnavailable, ": the endpoint is a learner, which serves no clients"},
    {"raft proposal dropped", Kind::kTryAgain, StatusReason::kServiceUnavailable, ""},
    {"etcdserver: request timed out", Kind::kMaybeDone, StatusReason::kServiceUnavailable, ""},
    {"etcdserver: leader changed", Kind::kMaybeDone, StatusReason::kServiceUnavailable, ""},
    {"etcdserver: server stopped", Kind::kConnectionLost, StatusReason::kServiceUnavailable, ""},
});

EtcdFailure Make(Kind kind, StatusReason reason, std::string_view message,
                 std::string_view advice = "") {
  std::string text(message.starts_with("etcdserver") ? "" : "etcd: ");
  text.append(message).append(advice);
  return {kind, Status(reason, std::move(text))};
}

EtcdFailure ClassifyByCode(grpc::GrpcCode code, std::string_view message) {
  switch (code) {
    case grpc::GrpcCode::kInvalidArgument:
      return Make(Kind::kFinal, StatusReason::kBadRequest, message);
    case grpc::GrpcCode::kPermissionDenied:
      return Make(Kind::kFinal, StatusReason::kForbidden, message);
    case grpc::GrpcCode::kUnauthenticated:
      return Make(Kind::kFinal, StatusReason::kUnauthorized, message);
    case grpc::GrpcCode::kResourceExhausted:  // a message beyond the limit of either side
      return Make(Kind::kFinal, StatusReason::kRequestEntityTooLarge, message);
    case grpc::GrpcCode::kUnimplemented:
      return Make(Kind::kFinal, StatusReason::kInternalError, message,
                  ": is this etcd, version 3.4 or later?");
    case grpc::GrpcCode::kFailedPrecondition:
    case grpc::GrpcCode::kDataLoss:
    case grpc::GrpcCode::kNotFound:
      return Make(Kind::kFinal, StatusReason::kInternalError, message);
    case grpc::GrpcCode::kDeadlineExceeded:
      return Make(Kind::kMaybeDone, StatusReason::kServiceUnavailable, "no answer in time");
    case grpc::GrpcCode::kUnavailable:
    case grpc::GrpcCode::kInternal:
      return Make(Kind::kConnectionLost, StatusReason::kServiceUnavailable, message);
    default:
      return Make(Kind::kMaybeDone, StatusReason::kServiceUnavailable, message);
  }
}

}  // namespace

EtcdFailure ClassifyEtcdError(const grpc::GrpcStatus& error) {
  const std::string_view message = error.message;
  for (const KnownError& known : kKnownErrors) {
    if (!message.starts_with(known.text)) continue;
    EtcdFailure out = Make(known.kind, known.reason, message, known.advice);
    out.out_of_space = known.text.ends_with("space exceeded");
    return out;
  }
  return ClassifyByCode(error.code, message);
}

}  // namespace skiff::store
