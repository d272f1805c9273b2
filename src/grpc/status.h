// How a call of gRPC ends.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace skiff::grpc {

// Numbers of the wire format.
enum class GrpcCode : int {
  kOk = 0,
  kCanceled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "OK", "InvalidArgument": as metrics name it.
std::string_view GrpcCodeName(GrpcCode code);

struct GrpcStatus {
  GrpcCode code = GrpcCode::kOk;
  std::string message;

  bool ok() const { return code == GrpcCode::kOk; }
  friend bool operator==(const GrpcStatus&, const GrpcStatus&) = default;
};

template <typename T>
using GrpcResult = std::expected<T, GrpcStatus>;

// What both sides say when the time that a call was given is over.
GrpcStatus GrpcDeadlineExceeded();

}  // namespace skiff::grpc
