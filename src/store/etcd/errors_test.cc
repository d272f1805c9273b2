#include "store/etcd/errors.h"

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

using Kind = EtcdFailure::Kind;

struct Row {
  int code;
  const char* message;
  Kind kind;
  StatusReason reason;
};

TEST(EtcdErrorsTest, EveryErrorTellsWhetherSomethingMayHaveChanged) {
  const Row rows[] = {
      {11, "etcdserver: mvcc: required revision has been compacted", Kind::kFinal,
       StatusReason::kExpired},
      {11, "etcdserver: mvcc: required revision is a future revision", Kind::kFinal,
       StatusReason::kTimeout},
      {8, "etcdserver: mvcc: database space exceeded", Kind::kFinal,
       StatusReason::kServiceUnavailable},
      {3, "etcdserver: request is too large", Kind::kFinal, StatusReason::kRequestEntityTooLarge},
      {8, "grpc: received message larger than max (3 vs. 2)", Kind::kFinal,
       StatusReason::kRequestEntityTooLarge},
      {5, "etcdserver: requested lease not found", Kind::kFinal, StatusReason::kNotFound},
      {9, "etcdserver: lease already exists", Kind::kFinal, StatusReason::kAlreadyExists},
      {11, "etcdserver: too large lease TTL", Kind::kFinal, StatusReason::kBadRequest},
      {15, "etcdserver: corrupt cluster", Kind::kFinal, StatusReason::kInternalError},
      {3, "etcdserver: duplicate key given in txn request", Kind::kFinal,
       StatusReason::kBadRequest},
      {12, "unknown service etcdserverpb.KV", Kind::kFinal, StatusReason::kInternalError},
      {7, "etcdserver: permission denied", Kind::kFinal, StatusReason::kForbidden},
      {16, "etcdserver: invalid auth token", Kind::kFinal, StatusReason::kUnauthorized},
      {14, "etcdserver: no leader", Kind::kTryAgain, StatusReason::kServiceUnavailable},
      {8, "etcdserver: too many requests", Kind::kTryAgain, StatusReason::kTooManyRequests},
      {2, "raft proposal dropped", Kind::kTryAgain, StatusReason::kServiceUnavailable},
      {14, "etcdserver: request timed out", Kind::kMaybeDone, StatusReason::kServiceUnavailable},
      {14, "etcdserver: request timed out, possibly due to previous leader failure",
       Kind::kMaybeDone, StatusReason::kServiceUnavailable},
      {14, "etcdserver: leader changed", Kind::kMaybeDone, StatusReason::kServiceUnavailable},
      {4, "Deadline Exceeded", Kind::kMaybeDone, StatusReason::kServiceUnavailable},
      {2, "context canceled", Kind::kMaybeDone, StatusReason::kServiceUnavailable},
      {1, "CANCELLED", Kind::kMaybeDone, StatusReason::kServiceUnavailable},
      {14, "etcdserver: server stopped", Kind::kConnectionLost, StatusReason::kServiceUnavailable},
      {14, "failed to connect to all addresses", Kind::kConnectionLost,
       StatusReason::kServiceUnavailable},
      {13, "RST_STREAM", Kind::kConnectionLost, StatusReason::kServiceUnavailable},
  };
  for (const Row& row : rows) {
    const EtcdFailure failure =
        ClassifyEtcdError({static_cast<grpc::GrpcCode>(row.code), row.message});
    EXPECT_EQ(failure.kind, row.kind) << row.message;
    EXPECT_EQ(failure.status.reason(), row.reason) << row.message;
    EXPECT_FALSE(failure.status.message().empty()) << row.message;
  }
}

TEST(EtcdErrorsTest, OnlyTheSpaceAlarmIsOne) {
  EXPECT_TRUE(ClassifyEtcdError(
                  {grpc::GrpcCode::kResourceExhausted, "etcdserver: mvcc: database space exceeded"})
                  .out_of_space);
  EXPECT_FALSE(
      ClassifyEtcdError({grpc::GrpcCode::kResourceExhausted, "etcdserver: too many requests"})
          .out_of_space);
}

TEST(EtcdErrorsTest, MessagesNameEtcd) {
  EXPECT_EQ(ClassifyEtcdError({grpc::GrpcCode::kUnavailable, "failed to connect"}).status.message(),
            "etcd: failed to connect");
  EXPECT_EQ(ClassifyEtcdError({grpc::GrpcCode::kUnavailable, "etcdserver: leader changed"})
                .status.message(),
            "etcdserver: leader changed");
}

}  // namespace
}  // namespace skiff::store
