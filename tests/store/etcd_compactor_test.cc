// Several servers that share one real etcd and compact it by turns.
#include <memory>

#include <gtest/gtest.h>

#include "base/random.h"
#include "store/blocking.h"
#include "store/etcd/compactor.h"
#include "store/etcd/etcd_store.h"
#include "tests/store/etcd_cluster.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

constexpr Duration kInterval = std::chrono::minutes(5);
constexpr Duration kSoon = std::chrono::seconds(60);

class EtcdCompactorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = EtcdCluster::Missing({})) GTEST_SKIP() << *why;
    auto started = EtcdCluster::Start(clock_, {});
    ASSERT_TRUE(started) << started.error().message();
    cluster_ = std::move(*started);
    store::EtcdOptions options;
    options.endpoints = cluster_->endpoints();
    options.clock = &clock_;
    options.random = &random_;
    auto store = store::EtcdStore::Open(options);
    ASSERT_TRUE(store) << store.error().message();
    store_ = std::move(*store);
  }

  store::Revision Put(const std::string& value) {
    store::Transaction put;
    put.writes.push_back({store::Write::Kind::kPut, "/a", SharedBytes(value), {}});
    return store::CommitAndWait(*store_, std::move(put)).value().revision;
  }
  StatusReason ReadAt(store::Revision revision) {
    store::RangeRequest request;
    request.range = store::KeyRange::Single("/a");
    request.at = revision;
    auto reply = store::RangeAndWait(*store_, request);
    return reply ? StatusReason::kUnknown : reply.error().reason();
  }
  // Lets an interval pass for one server and waits for its round.
  void Round(ManualClock& time, store::EtcdCompactor& compactor) {
    const uint64_t before = compactor.state().rounds;
    ASSERT_TRUE(WaitUntilTrue(clock_, kSoon, [&] {
      // The compactor begins to wait only after its last round has ended. A step that comes just
      // after that must not begin another, so it is a small one.
      if (compactor.state().rounds == before) time.Advance(kInterval / 10);
      return compactor.state().rounds > before;
    }));
    EXPECT_EQ(compactor.state().error, "");
  }

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<EtcdCluster> cluster_;
  std::unique_ptr<store::EtcdStore> store_;
};

TEST_F(EtcdCompactorTest, ForgetsWhatIsOlderThanAnInterval) {
  ManualClock time;
  store::EtcdCompactor compactor(*store_, time, kInterval);
  const store::Revision one = Put("1");
  const store::Revision two = Put("2");
  Round(time, compactor);
  EXPECT_EQ(ReadAt(one), StatusReason::kUnknown) << "nothing is compacted in the first interval";
  const store::Revision three = Put("3");
  Round(time, compactor);
  EXPECT_EQ(ReadAt(one), StatusReason::kExpired);
  EXPECT_EQ(ReadAt(two), StatusReason::kExpired);
  EXPECT_EQ(ReadAt(three), StatusReason::kUnknown);
  EXPECT_GT(compactor.state().compacted, two);
  EXPECT_LT(compactor.state().compacted, three);
  EXPECT_GE(compactor.state().won, 2u);
}

TEST_F(EtcdCompactorTest, OneOfTwoServersCompactsAndTheOtherTakesOver) {
  ManualClock time_a;
  ManualClock time_b;
  auto a = std::make_unique<store::EtcdCompactor>(*store_, time_a, kInterval);
  store::EtcdCompactor b(*store_, time_b, kInterval);
  Put("1");
  Round(time_a, *a);
  EXPECT_EQ(a->state().won, 1u);
  Round(time_b, b);
  EXPECT_EQ(b.state().won, 0u) << "the other was there first";
  Put("2");
  Round(time_a, *a);
  EXPECT_EQ(a->state().won, 2u);
  const store::Revision compacted = a->state().compacted;
  EXPECT_GT(compacted, store::Revision());
  Round(time_b, b);
  EXPECT_EQ(b.state().won, 0u);
  EXPECT_EQ(b.state().compacted, compacted) << "learned from the key";

  a.reset();
  const store::Revision last = Put("3");
  Round(time_b, b);
  EXPECT_EQ(b.state().won, 1u);
  EXPECT_GT(b.state().compacted, compacted);
  EXPECT_EQ(ReadAt(last), StatusReason::kUnknown);
}

TEST_F(EtcdCompactorTest, NotesItsRevisionWhereOtherServersLook) {
  ManualClock time;
  store::EtcdCompactor compactor(*store_, time, kInterval);
  Put("1");
  Round(time, compactor);
  Round(time, compactor);
  store::RangeRequest request;
  request.range = store::KeyRange::Single(store::EtcdCompactor::kKey);
  auto reply = store::RangeAndWait(*store_, request);
  ASSERT_TRUE(reply) << reply.error().message();
  ASSERT_EQ(reply->entries.size(), 1u);
  EXPECT_EQ(reply->entries[0].value.view(), std::to_string(compactor.state().compacted.value));
  auto figures =
      store::Await<store::StoreFigures>([&](auto done) { store_->Figures(std::move(done)); });
  ASSERT_TRUE(figures) << figures.error().message();
  EXPECT_EQ(figures->compacted, compactor.state().compacted);
}

TEST_F(EtcdCompactorTest, AnIntervalOfZeroMeansNever) {
  ManualClock time;
  store::EtcdCompactor compactor(*store_, time, Duration(0));
  time.Advance(std::chrono::hours(24));
  EXPECT_EQ(compactor.state().rounds, 0u);
}

}  // namespace
}  // namespace skiff::testing
