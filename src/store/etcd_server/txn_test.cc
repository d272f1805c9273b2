// Random transactions beside a plain model that keeps the whole state as a map: whatever their
// shape, both must answer alike and end with the same entries.
#include "store/etcd_server/txn.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "store/embedded/testing.h"
#include "store/etcd_server/convert.h"
#include "store/etcd_server/plain_txn.h"
#include "store/etcd_server/txn_check.h"

namespace skiff::store {
namespace {

using etcdserverpb::Compare;
using etcdserverpb::DeleteRangeRequest;
using etcdserverpb::PutRequest;
using etcdserverpb::RequestOp;
using etcdserverpb::ResponseOp;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;
using State = std::map<std::string, mvccpb::KeyValue>;
using Ops = google::protobuf::RepeatedPtrField<RequestOp>;

bool IsIn(const std::string& key, const std::string& start, const std::string& end) {
  if (end.empty()) return key == start;
  return key >= start && (end == std::string(1, '\0') || key < end);
}

// Does what etcd's documentation says, slowly.
class Model {
 public:
  TxnResponse Run(const TxnRequest& request) {
    before_ = state_;
    changed_ = false;
    TxnResponse response = Apply(request);
    if (changed_) ++revision_;
    response.mutable_header()->set_revision(revision_);
    return response;
  }
  const State& state() const { return state_; }

 private:
  bool Holds(const Compare& compare) const {
    int seen = 0;
    for (const auto& [key, entry] : before_) {
      if (!IsIn(key, compare.key(), compare.range_end())) continue;
      ++seen;
      if (!HoldsFor(compare, entry)) return false;
    }
    return seen > 0 || (compare.target() != Compare::VALUE && HoldsFor(compare, {}));
  }
  static bool HoldsFor(const Compare& compare, const mvccpb::KeyValue& entry) {
    const auto evaluate = [&](const auto& is, const auto& wanted) {
      switch (compare.result()) {
        case Compare::EQUAL:
          return is == wanted;
        case Compare::NOT_EQUAL:
          return is != wanted;
        case Compare::GREATER:
          return is > wanted;
        default:
          return is < wanted;
      }
    };
    switch (compare.target()) {
      case Compare::VERSION:
        return evaluate(entry.version(), compare.version());
      case Compare::CREATE:
        return evaluate(entry.create_revision(), compare.create_revision());
      case Compare::MOD:
        return evaluate(entry.mod_revision(), compare.mod_revision());
      case Compare::VALUE:
        return evaluate(entry.value(), compare.value());
      default:
        return evaluate(entry.lease(), compare.lease());
    }
  }

  TxnResponse Apply(const TxnRequest& request) {
    bool holds = true;
    for (const Compare& compare : request.compare()) holds = holds && Holds(compare);
    TxnResponse response;
    response.set_succeeded(holds);
    response.mutable_header();
    for (const RequestOp& op : holds ? request.success() : request.failure())
      ApplyOp(op, response.add_responses());
    return response;
  }

  void ApplyOp(const RequestOp& op, ResponseOp* response) {
    if (op.has_request_txn()) {
      *response->mutable_response_txn() = Apply(op.request_txn());
    } else if (op.has_request_put()) {
      const PutRequest& put = op.request_put();
      mvccpb::KeyValue& entry = state_[put.key()];
      if (put.prev_kv() && entry.version() > 0)
        *response->mutable_response_put()->mutable_prev_kv() = entry;
      changed_ = true;
      entry.set_key(put.key());
      entry.set_value(put.value());
      entry.set_mod_revision(revision_ + 1);
      if (entry.version() == 0) entry.set_create_revision(revision_ + 1);
      entry.set_version(entry.version() + 1);
      response->mutable_response_put()->mutable_header()->set_revision(revision_ + 1);
    } else if (op.has_request_delete_range()) {
      const DeleteRangeRequest& wanted = op.request_delete_range();
      auto* out = response->mutable_response_delete_range();
      for (auto at = state_.begin(); at != state_.end();) {
        const bool is_in = IsIn(at->first, wanted.key(), wanted.range_end());
        if (is_in) {
          if (wanted.prev_kv()) *out->add_prev_kvs() = at->second;
          out->set_deleted(out->deleted() + 1);
          changed_ = true;
        }
        at = is_in ? state_.erase(at) : std::next(at);
      }
      out->mutable_header()->set_revision(revision_ + (changed_ ? 1 : 0));
    } else {
      const auto& range = op.request_range();
      auto* out = response->mutable_response_range();
      for (const auto& [key, entry] : state_) {
        if (!IsIn(key, range.key(), range.range_end())) continue;
        out->set_count(out->count() + 1);
        if (range.count_only()) continue;
        if (range.limit() > 0 && out->kvs_size() >= range.limit()) {
          out->set_more(true);
        } else {
          *out->add_kvs() = entry;
        }
      }
      out->mutable_header()->set_revision(revision_ + (changed_ ? 1 : 0));
    }
  }

  State state_;
  State before_;
  bool changed_ = false;
  int64_t revision_ = 1;
};

class TxnModelTest : public EmbeddedStoreTestBase, public ::testing::WithParamInterface<uint64_t> {
 protected:
  void SetUp() override { Open(); }

  std::string RandomKey() { return "k" + std::to_string(dice_.Uniform(8)); }
  std::string RandomEnd() {
    switch (dice_.Uniform(4)) {
      case 0:
        return std::string(1, '\0');
      case 1:
        return "k" + std::to_string(dice_.Uniform(9));
      default:
        return "";
    }
  }

  void RandomCompare(Compare* out) {
    out->set_key(RandomKey());
    out->set_range_end(RandomEnd());
    out->set_result(static_cast<Compare::CompareResult>(dice_.Uniform(4)));
    const auto number = static_cast<int64_t>(dice_.Uniform(6));
    switch (dice_.Uniform(5)) {
      case 0:
        out->set_target(Compare::VERSION);
        out->set_version(number);
        break;
      case 1:
        out->set_target(Compare::CREATE);
        out->set_create_revision(number * 5);
        break;
      case 2:
        out->set_target(Compare::MOD);
        out->set_mod_revision(dice_.Uniform(2) == 0 ? 0 : Now());
        break;
      case 3:
        out->set_target(Compare::VALUE);
        out->set_value(std::to_string(number));
        break;
      default:
        out->set_target(Compare::LEASE);
        out->set_lease(0);
    }
  }

  void RandomOp(RequestOp* out, int depth) {
    switch (dice_.Uniform(depth < 2 ? 5 : 4)) {
      case 0:
      case 1: {
        PutRequest* put = out->mutable_request_put();
        put->set_key(RandomKey());
        put->set_value(std::to_string(dice_.Uniform(6)));
        put->set_prev_kv(dice_.Uniform(2) == 0);
        break;
      }
      case 2: {
        DeleteRangeRequest* wanted = out->mutable_request_delete_range();
        wanted->set_key(RandomKey());
        wanted->set_range_end(RandomEnd());
        wanted->set_prev_kv(dice_.Uniform(2) == 0);
        break;
      }
      case 3: {
        auto* range = out->mutable_request_range();
        range->set_key(RandomKey());
        range->set_range_end(RandomEnd());
        range->set_limit(static_cast<int64_t>(dice_.Uniform(3)));
        range->set_count_only(dice_.Uniform(6) == 0);
        break;
      }
      default:
        RandomTxn(out->mutable_request_txn(), depth + 1);
    }
  }

  void RandomTxn(TxnRequest* out, int depth) {
    for (uint64_t i = dice_.Uniform(3); i > 0; --i) RandomCompare(out->add_compare());
    for (uint64_t i = dice_.Uniform(4); i > 0; --i) RandomOp(out->add_success(), depth);
    for (uint64_t i = dice_.Uniform(3); i > 0; --i) RandomOp(out->add_failure(), depth);
  }

  Result<TxnResponse> Run(const TxnRequest& request) {
    TxnResponse response;
    if (const auto plain = AsPlainTransaction(request)) {
      ++plain_;
      SKIFF_ASSIGN_OR_RETURN(const CommitReply reply, Try(*plain));
      return PlainResponse(request, reply);
    }
    const auto done = Await<Revision>([&](auto callback) {
      store_->Evaluate(
          [&](StateEditor& state) -> Result<void> {
            auto evaluated = EvaluateTxn(request, state);
            if (!evaluated) return std::unexpected(ToStore(evaluated.error()));
            response = *std::move(evaluated);
            return {};
          },
          std::move(callback));
    });
    if (!done) return std::unexpected(done.error());
    EXPECT_EQ(done->value, response.header().revision());
    return response;
  }

  SeededRandom dice_{GetParam()};
  int plain_ = 0;
};

TEST_P(TxnModelTest, AnswersAndStatesAreThoseOfTheModel) {
  Model model;
  int run = 0;
  for (int i = 0; i < 3000; ++i) {
    TxnRequest request;
    RandomTxn(&request, 0);
    if (!CheckTxnRequest(request, 128).ok()) continue;
    ++run;
    const Result<TxnResponse> response = Run(request);
    ASSERT_TRUE(response) << response.error().ToString();
    ASSERT_EQ(response->SerializeAsString(), model.Run(request).SerializeAsString()) << "at " << i;
    const RangeReply all = Read(KeyRange::All());
    ASSERT_EQ(all.entries.size(), model.state().size());
    for (const KeyValue& entry : all.entries) {
      mvccpb::KeyValue converted;
      FillKeyValue(entry, &converted);
      ASSERT_EQ(converted.SerializeAsString(), model.state().at(entry.key).SerializeAsString());
    }
  }
  EXPECT_GT(run, 1000);
  EXPECT_GT(plain_, 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TxnModelTest, ::testing::Range<uint64_t>(1, 5));

class TxnTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }

  template <typename Response, typename Request>
  grpc::GrpcResult<Response> Evaluate(grpc::GrpcResult<Response> (*evaluate)(const Request&,
                                                                             StateEditor&),
                                      const Request& request) {
    Response response;
    const auto done = Await<Revision>([&](auto callback) {
      store_->Evaluate(
          [&](StateEditor& state) -> Result<void> {
            auto evaluated = evaluate(request, state);
            if (!evaluated) return std::unexpected(ToStore(evaluated.error()));
            response = *std::move(evaluated);
            return {};
          },
          std::move(callback));
    });
    if (!done) return std::unexpected(FromStore(done.error()));
    return response;
  }
};

TEST_F(TxnTest, AnErrorInTheMiddleUndoesEverything) {
  TxnRequest request;
  auto* put = request.add_success()->mutable_request_put();
  put->set_key("a");
  put = request.add_success()->mutable_request_put();
  put->set_key("b");
  put->set_ignore_value(true);
  const auto response = Evaluate(EvaluateTxn, request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error(), grpc::GrpcStatus(kKeyNotFound));
  EXPECT_EQ(Contents(), "");
  EXPECT_EQ(Now(), 1);
}

TEST_F(TxnTest, APutMayKeepTheValueOrTheLease) {
  const LeaseId lease = Grant(60)->id;
  Put("a", "1", lease);
  PutRequest request;
  request.set_key("a");
  request.set_value("2");
  request.set_ignore_lease(true);
  ASSERT_TRUE(Evaluate(EvaluatePut, request));
  EXPECT_EQ(Get("a")->lease, lease);
  request.clear_value();
  request.set_ignore_lease(false);
  request.set_ignore_value(true);
  ASSERT_TRUE(Evaluate(EvaluatePut, request));
  EXPECT_EQ(Get("a")->value.view(), "2");
  EXPECT_EQ(Get("a")->lease, LeaseId());
}

TEST_F(TxnTest, ALeaseThatIsNotThereIsNotFound) {
  PutRequest request;
  request.set_key("a");
  request.set_lease(77);
  const auto response = Evaluate(EvaluatePut, request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error(), grpc::GrpcStatus(kLeaseNotFound));
}

TEST_F(TxnTest, ReadsOfTheFutureAndOfWhatIsCompactedFailTheWholeTransaction) {
  Put("a", "1");
  Put("a", "2");
  Put("a", "3");
  ASSERT_TRUE(Compact(3));
  for (const auto& [at, error] : {std::pair(99, kFutureRevision), {2, kCompacted}}) {
    TxnRequest request;
    request.add_success()->mutable_request_put()->set_key("b");
    auto* range = request.add_success()->mutable_request_range();
    range->set_key("a");
    range->set_revision(at);
    const auto response = Evaluate(EvaluateTxn, request);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error(), grpc::GrpcStatus(error));
  }
  EXPECT_EQ(Contents(), "a=3");
}

TEST_F(TxnTest, DeletingManyKeysTakesOneRevision) {
  for (int i = 0; i < 500; ++i) Put("k" + std::to_string(i), "");
  const int64_t before = Now();
  DeleteRangeRequest request;
  request.set_key("k");
  request.set_range_end("l");
  const auto response = Evaluate(EvaluateDelete, request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->deleted(), 500);
  EXPECT_EQ(Now(), before + 1);
  EXPECT_EQ(Contents(), "");
}

TEST_F(TxnTest, ManyWritersOfOneCounterLoseNoIncrement) {
  constexpr int kWriters = 200;
  std::atomic<int> left = kWriters;
  std::promise<void> all;
  for (int i = 0; i < kWriters; ++i) {
    store_->Evaluate(
        [](StateEditor& state) -> Result<void> {
          RangeRequest request;
          request.range = KeyRange::Single("n");
          SKIFF_ASSIGN_OR_RETURN(const RangeReply reply, state.Range(request));
          const int n =
              reply.entries.empty() ? 0 : std::stoi(std::string(reply.entries[0].value.view()));
          return state.Put("n", SharedBytes(std::to_string(n + 1)), {});
        },
        [&](Result<Revision> done) {
          EXPECT_TRUE(done);
          if (--left == 0) all.set_value();
        });
  }
  all.get_future().wait();
  EXPECT_EQ(Contents(), "n=200");
  EXPECT_EQ(Get("n")->version, kWriters);
}

TxnRequest TwoPuts(const std::string& a, const std::string& b) {
  TxnRequest request;
  request.add_success()->mutable_request_put()->set_key(a);
  request.add_success()->mutable_request_put()->set_key(b);
  return request;
}

TEST(TxnCheckTest, AKeyMayBePutOnceAndNotDeletedBesides) {
  EXPECT_TRUE(CheckTxnRequest(TwoPuts("a", "b"), 128).ok());
  EXPECT_EQ(CheckTxnRequest(TwoPuts("a", "a"), 128), grpc::GrpcStatus(kDuplicateKey));
  TxnRequest request = TwoPuts("a", "b");
  auto* wanted = request.add_success()->mutable_request_delete_range();
  wanted->set_key("b");
  wanted->set_range_end("c");
  EXPECT_EQ(CheckTxnRequest(request, 128), grpc::GrpcStatus(kDuplicateKey));
  wanted->set_key("c");
  wanted->set_range_end("d");
  EXPECT_TRUE(CheckTxnRequest(request, 128).ok());
}

TEST(TxnCheckTest, BothSidesOfAnInnerTransactionMayPutTheSameKey) {
  TxnRequest request;
  TxnRequest* inner = request.add_success()->mutable_request_txn();
  inner->add_success()->mutable_request_put()->set_key("a");
  inner->add_failure()->mutable_request_put()->set_key("a");
  EXPECT_TRUE(CheckTxnRequest(request, 128).ok());
  request.add_success()->mutable_request_put()->set_key("a");
  EXPECT_EQ(CheckTxnRequest(request, 128), grpc::GrpcStatus(kDuplicateKey));
}

TEST(TxnCheckTest, WhatIsMissingOrTooMuchIsSaidInEtcdsWords) {
  TxnRequest request = TwoPuts("a", "b");
  EXPECT_EQ(CheckTxnRequest(request, 1), grpc::GrpcStatus(kTooManyOps));
  request.mutable_success(0)->mutable_request_put()->clear_key();
  EXPECT_EQ(CheckTxnRequest(request, 128), grpc::GrpcStatus(kEmptyKey));
  request.mutable_success(0)->clear_request();
  EXPECT_EQ(CheckTxnRequest(request, 128), grpc::GrpcStatus(kKeyNotFound));
  request = TwoPuts("a", "b");
  request.add_compare();
  EXPECT_EQ(CheckTxnRequest(request, 128), grpc::GrpcStatus(kEmptyKey));
}

TEST(PlainTxnTest, TheShapesOfKubeApiserverAreTakenAsTheyAre) {
  TxnRequest request;
  Compare* compare = request.add_compare();
  compare->set_target(Compare::MOD);
  compare->set_key("a");
  compare->set_mod_revision(5);
  request.add_success()->mutable_request_put()->set_key("a");
  request.add_failure()->mutable_request_range()->set_key("a");
  const auto plain = AsPlainTransaction(request);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->conditions[0].expected.value, 5);
  request.mutable_success(0)->mutable_request_delete_range()->set_key("a");
  EXPECT_TRUE(AsPlainTransaction(request));
  request.mutable_success(0)->mutable_request_delete_range()->set_prev_kv(true);
  EXPECT_FALSE(AsPlainTransaction(request));
}

}  // namespace
}  // namespace skiff::store
