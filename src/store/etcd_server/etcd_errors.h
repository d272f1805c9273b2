// etcd's words for what goes wrong. Clients compare the texts, so they are etcd's to the letter.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "grpc/status.h"

namespace skiff {

struct EtcdError {
  GrpcCode code;
  std::string_view text;
  operator GrpcStatus() const { return {code, std::string(text)}; }
};

inline constexpr EtcdError kEmptyKey{GrpcCode::kInvalidArgument, "etcdserver: key is not provided"};
inline constexpr EtcdError kKeyNotFound{GrpcCode::kInvalidArgument, "etcdserver: key not found"};
inline constexpr EtcdError kValueProvided{GrpcCode::kInvalidArgument,
                                          "etcdserver: value is provided"};
inline constexpr EtcdError kLeaseProvided{GrpcCode::kInvalidArgument,
                                          "etcdserver: lease is provided"};
inline constexpr EtcdError kTooManyOps{GrpcCode::kInvalidArgument,
                                       "etcdserver: too many operations in txn request"};
inline constexpr EtcdError kDuplicateKey{GrpcCode::kInvalidArgument,
                                         "etcdserver: duplicate key given in txn request"};
inline constexpr EtcdError kInvalidSortOption{GrpcCode::kInvalidArgument,
                                              "etcdserver: invalid sort option"};
inline constexpr EtcdError kRequestTooLarge{GrpcCode::kInvalidArgument,
                                            "etcdserver: request is too large"};
inline constexpr EtcdError kCompacted{GrpcCode::kOutOfRange,
                                      "etcdserver: mvcc: required revision has been compacted"};
inline constexpr EtcdError kFutureRevision{
    GrpcCode::kOutOfRange, "etcdserver: mvcc: required revision is a future revision"};
inline constexpr EtcdError kNoSpace{GrpcCode::kResourceExhausted,
                                    "etcdserver: mvcc: database space exceeded"};
inline constexpr EtcdError kTooManyRequestsError{GrpcCode::kResourceExhausted,
                                                 "etcdserver: too many requests"};
inline constexpr EtcdError kLeaseNotFound{GrpcCode::kNotFound,
                                          "etcdserver: requested lease not found"};
inline constexpr EtcdError kLeaseExists{GrpcCode::kFailedPrecondition,
                                        "etcdserver: lease already exists"};
inline constexpr EtcdError kLeaseTtlTooLarge{GrpcCode::kOutOfRange,
                                             "etcdserver: too large lease TTL"};
inline constexpr EtcdError kMemberNotFound{GrpcCode::kNotFound, "etcdserver: member not found"};
inline constexpr EtcdError kBadTransferee{GrpcCode::kFailedPrecondition,
                                          "etcdserver: bad leader transferee"};
inline constexpr EtcdError kServerStopped{GrpcCode::kUnavailable, "etcdserver: server stopped"};
inline constexpr EtcdError kRequestTimedOut{GrpcCode::kUnavailable,
                                            "etcdserver: request timed out"};
inline constexpr EtcdError kCorrupt{GrpcCode::kDataLoss, "etcdserver: corrupt cluster"};
inline constexpr EtcdError kAuthNotEnabled{GrpcCode::kFailedPrecondition,
                                           "etcdserver: authentication is not enabled"};

// What the store said. A text that is not etcd's is the store's own.
GrpcStatus FromStore(const Status& status);

// A failure of the evaluator on its way through the store, which passes only a Status on, and back.
Status ToStore(const GrpcStatus& status);

}  // namespace skiff
