#include "grpc/status.h"

namespace skiff::grpc {

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
    case GrpcCode::kAlreadyExists:
      return "AlreadyExists";
    case GrpcCode::kPermissionDenied:
      return "PermissionDenied";
    case GrpcCode::kResourceExhausted:
      return "ResourceExhausted";
    case GrpcCode::kFailedPrecondition:
      return "FailedPrecondition";
    case GrpcCode::kAborted:
      return "Aborted";
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
    case GrpcCode::kUnauthenticated:
      return "Unauthenticated";
  }
  return "Unknown";
}

GrpcStatus GrpcDeadlineExceeded() {
  return {GrpcCode::kDeadlineExceeded, "context deadline exceeded"};
}

}  // namespace skiff::grpc
