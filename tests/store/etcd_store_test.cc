// The etcd store on one real etcd: what is its own, beside the behaviour that all stores share.
#include "store/etcd/etcd_store.h"

#include <atomic>

#include <gtest/gtest.h>

#include "base/random.h"
#include "store/blocking.h"
#include "tests/store/etcd_cluster.h"
#include "tests/store/wait.h"
#include "tests/store/watch_checker.h"

namespace skiff::testing {
namespace {

constexpr Duration kSoon = std::chrono::seconds(20);

class EtcdStoreTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (EtcdCluster::Missing({})) return;
    auto started = EtcdCluster::Start(Time(), {});
    ASSERT_TRUE(started) << started.error().message();
    cluster_ = std::move(*started).release();
  }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override {
    if (const auto why = EtcdCluster::Missing({})) GTEST_SKIP() << *why;
    ASSERT_NE(cluster_, nullptr);
    store_ = Open();
    prefix_ =
        "/" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "/";
  }

  static Clock& Time() {
    static SystemClock clock;
    return clock;
  }
  EtcdOptions Options() {
    EtcdOptions out;
    out.endpoints = cluster_->endpoints();
    out.clock = &Time();
    out.random = &random_;
    return out;
  }
  std::unique_ptr<EtcdStore> Open() {
    auto store = EtcdStore::Open(Options());
    EXPECT_TRUE(store) << store.error().message();
    return store ? std::move(*store) : nullptr;
  }
  Revision Put(const std::string& name, std::string_view value, LeaseId lease = {}) {
    Transaction put;
    put.writes.push_back({Write::Kind::kPut, prefix_ + name, SharedBytes(value), lease});
    auto reply = CommitAndWait(*store_, std::move(put));
    EXPECT_TRUE(reply) << reply.error().message();
    return reply ? reply->revision : Revision();
  }
  Revision Now() {
    auto revision = Await<Revision>([&](auto done) { store_->CurrentRevision(std::move(done)); });
    EXPECT_TRUE(revision) << revision.error().message();
    return revision.value_or(Revision());
  }
  KeyRange All() const { return KeyRange::Prefix(prefix_); }

  static EtcdCluster* cluster_;
  SystemRandom random_;
  std::string prefix_;
  std::unique_ptr<EtcdStore> store_;
};
EtcdCluster* EtcdStoreTest::cluster_ = nullptr;

TEST_F(EtcdStoreTest, ReadsWhatItCommitted) {
  auto created = CommitAndWait(
      *store_,
      Transaction::CreateIfAbsent(prefix_ + "a", SharedBytes(std::string_view("1\0x", 3))));
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_TRUE(created->succeeded);
  RangeRequest request;
  request.range = All();
  auto reply = RangeAndWait(*store_, request);
  ASSERT_TRUE(reply) << reply.error().message();
  ASSERT_EQ(reply->entries.size(), 1u);
  EXPECT_EQ(reply->count, 1);
  EXPECT_FALSE(reply->more);
  EXPECT_EQ(reply->entries[0].key, prefix_ + "a");
  EXPECT_EQ(reply->entries[0].value.view(), std::string_view("1\0x", 3));
  EXPECT_EQ(reply->entries[0].mod_revision, created->revision);
  EXPECT_EQ(reply->entries[0].version, 1);
}

TEST_F(EtcdStoreTest, FailedConditionsTellWhatIsThere) {
  const Revision a = Put("a", "1");
  Transaction change;
  change.conditions = {{prefix_ + "absent", {}}, {prefix_ + "a", Revision{a.value - 1}}};
  change.writes.push_back({Write::Kind::kPut, prefix_ + "b", SharedBytes("2"), {}});
  auto reply = CommitAndWait(*store_, std::move(change));
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_FALSE(reply->succeeded);
  ASSERT_EQ(reply->current.size(), 2u);
  EXPECT_FALSE(reply->current[0]);
  ASSERT_TRUE(reply->current[1]);
  EXPECT_EQ(reply->current[1]->value.view(), "1");
}

TEST_F(EtcdStoreTest, WatchTellsEveryEventOnce) {
  const Revision before = Now();
  const WatchRequest request{All(), Revision{before.value + 1}, true};
  LoggingSink sink(Time(), "w", request);
  const auto watch = store_->StartWatch(request, &sink);
  Put("a", "1");
  Put("a", "2");
  const Revision last = Put("b", "1");
  ASSERT_TRUE(sink.WaitFor(last, kSoon));
  std::vector<Event> events;
  for (const WatchCall& call : sink.log().calls)
    events.insert(events.end(), call.events.begin(), call.events.end());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(events[0].created());
  EXPECT_FALSE(events[0].previous);
  EXPECT_EQ(events[1].previous->value.view(), "1");
  EXPECT_EQ(events[2].entry.key, prefix_ + "b");
}

TEST_F(EtcdStoreTest, WatchOfTheNextRevisionSeesTheCommitThatFollows) {
  for (int round = 0; round < 20; ++round) {
    const WatchRequest request{All(), {}, false};
    LoggingSink sink(Time(), "w", request);
    const auto watch = store_->StartWatch(request, &sink);
    const Revision put = Put("a", std::to_string(round));
    ASSERT_TRUE(sink.WaitFor(put, kSoon)) << round;
    EXPECT_EQ(sink.log().calls.front().events.front().revision(), put);
  }
}

}  // namespace
}  // namespace skiff::testing
