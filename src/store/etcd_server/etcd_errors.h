// etcd's words for what goes wrong. Clients compare the texts, so they are etcd's to the letter.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "grpc/status.h"

namespace skiff::store {

struct EtcdError {
  grpc::GrpcCode code;
  std::string_view text;
  operator grpc::GrpcStatus() const { return {code, std::string(text)}; }
};

inline constexpr EtcdError kEmptyKey{grpc::GrpcCode::kInvalidArgument,
                                     "etcdserver: key is not provided"};
inline constexpr EtcdError kKeyNotFound{grpc::GrpcCode::kInvalidArgument,
                                        "etcdserver: key not found"};
inline constexpr EtcdError kValueProvided{grpc::GrpcCode::kInvalidArgument,
                                          "etcdserver: value is provided"};
inline constexpr EtcdError kLeaseProvided{grpc::GrpcCode::kInvalidArgument,
                                          "etcdserver: lease is provided"};
inline constexpr EtcdError kTooManyOps{grpc::GrpcCode::kInvalidArgument,
                                       "etcdserver: too many operations in txn request"};
inline constexpr EtcdError kDuplicateKey{grpc::GrpcCode::kInvalidArgument,
                                         "etcdserver: duplicate key given in txn request"};
inline constexpr EtcdError kInvalidSortOption{grpc::GrpcCode::kInvalidArgument,
                                              "etcdserver: invalid sort option"};
inline constexpr EtcdError kRequestTooLarge{grpc::GrpcCode::kInvalidArgument,
                                            "etcdserver: request is too large"};
inline constexpr EtcdError kCompacted{grpc::GrpcCode::kOutOfRange,
                                      "etcdserver: mvcc: required revision has been compacted"};
inline constexpr EtcdError kFutureRevision{
    grpc::GrpcCode::kOutOfRange, "etcdserver: mvcc: required revision is a future revision"};
inline constexpr EtcdError kNoSpace{grpc::GrpcCode::kResourceExhausted,
                                    "etcdserver: mvcc: database space exceeded"};
inline constexpr EtcdError kTooManyRequestsError{grpc::GrpcCode::kResourceExhausted,
                                                 "etcdserver: too many requests"};
inline constexpr EtcdError kLeaseNotFound{grpc::GrpcCode::kNotFound,
                                          "etcdserver: requested lease not found"};
inline constexpr EtcdError kLeaseExists{grpc::GrpcCode::kFailedPrecondition,
                                        "etcdserver: lease already exists"};
inline constexpr EtcdError kLeaseTtlTooLarge{grpc::GrpcCode::kOutOfRange,
                                             "etcdserver: too large lease TTL"};
inline constexpr EtcdError kMemberNotFound{grpc::GrpcCode::kNotFound,
                                           "etcdserver: member not found"};
inline constexpr EtcdError kBadTransferee{grpc::GrpcCode::kFailedPrecondition,
                                          "etcdserver: bad leader transferee"};
inline constexpr EtcdError kServerStopped{grpc::GrpcCode::kUnavailable,
                                          "etcdserver: server stopped"};
inline constexpr EtcdError kRequestTimedOut{grpc::GrpcCode::kUnavailable,
                                            "etcdserver: request timed out"};
inline constexpr EtcdError kCorrupt{grpc::GrpcCode::kDataLoss, "etcdserver: corrupt cluster"};
inline constexpr EtcdError kAuthNotEnabled{grpc::GrpcCode::kFailedPrecondition,
                                           "etcdserver: authentication is not enabled"};

// What the store said. A text that is not etcd's is the store's own.
grpc::GrpcStatus FromStore(const Status& status);

// A failure of the evaluator on its way through the store, which passes only a Status on, and back.
Status ToStore(const grpc::GrpcStatus& status);

}  // namespace skiff::store
