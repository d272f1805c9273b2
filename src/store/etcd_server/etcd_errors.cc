#include "store/etcd_server/etcd_errors.h"

#include <array>

namespace skiff::store {
namespace {

// What the evaluator can say while it runs within the store.
constexpr std::array kPassed = {&kKeyNotFound, &kCompacted, &kFutureRevision, &kLeaseNotFound,
                                &kRequestTooLarge};

}  // namespace

grpc::GrpcStatus FromStore(const Status& status) {
  for (const EtcdError* error : kPassed) {
    if (status.message() == error->text) return *error;
  }
  switch (status.reason()) {
    case StatusReason::kExpired:
      return kCompacted;
    case StatusReason::kTimeout:
      return kFutureRevision;
    case StatusReason::kNotFound:
      return kLeaseNotFound;
    case StatusReason::kAlreadyExists:
      return kLeaseExists;
    case StatusReason::kTooManyRequests:
      return kTooManyRequestsError;
    case StatusReason::kRequestEntityTooLarge:
      return kRequestTooLarge;
    case StatusReason::kServerTimeout:
      return kRequestTimedOut;
    case StatusReason::kServiceUnavailable:
      return {grpc::GrpcCode::kUnavailable, "etcdserver: server stopped: " + status.message()};
    case StatusReason::kBadRequest:
      return {grpc::GrpcCode::kInvalidArgument, "etcdserver: " + status.message()};
    default:
      return {grpc::GrpcCode::kInternal, "etcdserver: " + status.message()};
  }
}

Status ToStore(const grpc::GrpcStatus& status) {
  return Status(StatusReason::kBadRequest, status.message);
}

}  // namespace skiff::store
