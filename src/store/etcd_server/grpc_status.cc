#include "store/etcd_server/grpc_status.h"

#include <array>

namespace skiff {
namespace {

// What the evaluator can say while it runs within the store.
constexpr std::array kPassed = {&kKeyNotFound, &kCompacted, &kFutureRevision, &kLeaseNotFound,
                                &kRequestTooLarge};

}  // namespace

std::string_view GrpcCodeName(GrpcCode code) {
  switch (code) {
    case GrpcCode::kOk:
      return "OK";
    case GrpcCode::kCanceled:
      return "Canceled";
    case GrpcCode::kUnknown:
      return "Unknown";
    case GrpcCode::kInvalidArgument:
      return "InvalidArgument";
    case GrpcCode::kDeadlineExceeded:
      return "DeadlineExceeded";
    case GrpcCode::kNotFound:
      return "NotFound";
    case GrpcCode::kPermissionDenied:
      return "PermissionDenied";
    case GrpcCode::kResourceExhausted:
      return "ResourceExhausted";
    case GrpcCode::kFailedPrecondition:
      return "FailedPrecondition";
    case GrpcCode::kOutOfRange:
      return "OutOfRange";
    case GrpcCode::kUnimplemented:
      return "Unimplemented";
    case GrpcCode::kInternal:
      return "Internal";
    case GrpcCode::kUnavailable:
      return "Unavailable";
    case GrpcCode::kDataLoss:
      return "DataLoss";
  }
  return "Unknown";
}

GrpcStatus FromStore(const Status& status) {
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
      return {GrpcCode::kUnavailable, "etcdserver: server stopped: " + status.message()};
    case StatusReason::kBadRequest:
      return {GrpcCode::kInvalidArgument, "etcdserver: " + status.message()};
    default:
      return {GrpcCode::kInternal, "etcdserver: " + status.message()};
  }
}

Status ToStore(const GrpcStatus& status) {
  return Status(StatusReason::kBadRequest, status.message);
}

}  // namespace skiff
