// What the embedded store does after errors of the disk.
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/embedded/record.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Lines = std::vector<std::string>;
using Outcome = MemoryDisk::Outcome;

class EmbeddedRecoveryTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }
  // Lets time pass until the store has gone on.
  void WaitUntilWritable() {
    while (!store_->Health().writable) clock_.Advance(milliseconds(10));
  }
};

class EmbeddedRecoveryOutcomeTest : public EmbeddedRecoveryTest,
                                    public ::testing::WithParamInterface<Outcome> {};

TEST_P(EmbeddedRecoveryOutcomeTest, AFailedWriteIsUnknownAndWatchesSeeWhatTheDiskHolds) {
  Put("a", "1");
  CollectingSink sink;
  const auto watch = store_->StartWatch({KeyRange::All(), {}, true}, &sink);
  disk_->FailWrite(1, GetParam());
  const auto reply = Try({{}, {PutOf("a", "2"), PutOf("b", "1")}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason(), StatusReason::kServerTimeout);

  const StoreHealth health = store_->Health();
  EXPECT_TRUE(health.readable);
  EXPECT_FALSE(health.writable);
  EXPECT_NE(health.reason.find("read-only"), std::string::npos);
  EXPECT_NE(health.reason.find("simulated error of writing"), std::string::npos);
  EXPECT_EQ(Contents(2), "a=1") << "reads go on";
  EXPECT_EQ(Try({{}, {PutOf("c", "1")}}).error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_EQ(Compact(2).error().reason(), StatusReason::kServiceUnavailable);

  WaitUntilWritable();
  EXPECT_EQ(store_->Health().reason, "");
  Put("c", "1");
  if (GetParam() == Outcome::kApplied) {
    EXPECT_EQ(Contents(), "a=2 b=1 c=1");
    EXPECT_EQ(Describe(sink.WaitForEvents(3)),
              Lines({"put a=2 (1) @3", "put b=1 @3", "put c=1 @4"}));
    EXPECT_EQ(Figures().keys, 3);
  } else {
    EXPECT_EQ(Contents(), "a=1 c=1");
    EXPECT_EQ(Describe(sink.WaitForEvents(1)), Lines({"put c=1 @3"}));
    EXPECT_EQ(Figures().keys, 2);
  }
  EXPECT_FALSE(sink.ended());
}

TEST_P(EmbeddedRecoveryOutcomeTest, ALeaseWhoseGrantIsUnknownExistsAsTheDiskSays) {
  disk_->FailWrite(1, GetParam());
  EXPECT_EQ(Grant(1'000'000'000, 7).error().reason(), StatusReason::kServerTimeout);
  WaitUntilWritable();
  EXPECT_EQ(Find({7}).has_value(), GetParam() == Outcome::kApplied);
}

TEST_P(EmbeddedRecoveryOutcomeTest, ACompactionThatFailedIsDoneAgain) {
  for (int i = 0; i < 100; ++i) Put("a", std::to_string(i));
  disk_->FailWrite(1, GetParam());
  EXPECT_FALSE(Compact(50));
  WaitUntilWritable();
  EXPECT_EQ(Contents(60), "a=58");
  ASSERT_TRUE(Compact(101));
  EXPECT_EQ(disk_->Keys(Family::kLog).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Outcomes, EmbeddedRecoveryOutcomeTest,
                         ::testing::Values(Outcome::kApplied, Outcome::kLost),
                         [](const auto& outcome) {
                           return outcome.param == Outcome::kApplied ? "Applied" : "Lost";
                         });

TEST_F(EmbeddedRecoveryTest, QueuedWritersAreTurnedAwayAndKnowThatNothingHappened) {
  std::promise<void> held;
  std::promise<void> go_on;
  auto wait = go_on.get_future().share();
  std::once_flag once;
  disk_->OnWrite([&] { std::call_once(once, [&] { held.set_value(), wait.wait(); }); });
  disk_->FailWrite(1, Outcome::kLost);
  std::vector<std::future<Result<CommitReply>>> replies;
  for (int i = 0; i < 5; ++i) {
    auto promise = std::make_shared<std::promise<Result<CommitReply>>>();
    replies.push_back(promise->get_future());
    store_->Commit({{}, {PutOf("k" + std::to_string(i), "")}},
                   [promise](Result<CommitReply> reply) { promise->set_value(std::move(reply)); });
    if (i == 0) held.get_future().wait();
  }
  go_on.set_value();
  EXPECT_EQ(replies[0].get().error().reason(), StatusReason::kServerTimeout);
  for (size_t i = 1; i < replies.size(); ++i) {
    EXPECT_EQ(replies[i].get().error().reason(), StatusReason::kServiceUnavailable);
  }
  WaitUntilWritable();
  EXPECT_EQ(Contents(), "");
  disk_->OnWrite(nullptr);  // the store outlives what it refers to
}

TEST_F(EmbeddedRecoveryTest, AFullDiskTurnsWritersAwayUntilThereIsRoom) {
  Put("a", "1");
  disk_->SetFull(true);
  EXPECT_EQ(Try({{}, {PutOf("a", "2")}}).error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_FALSE(store_->Health().writable);
  for (int i = 0; i < 100; ++i) clock_.Advance(seconds(1));
  EXPECT_EQ(Contents(), "a=1");
  EXPECT_FALSE(store_->Health().writable);
  disk_->SetFull(false);
  WaitUntilWritable();
  EXPECT_EQ(Put("a", "2"), 3);
}

TEST_F(EmbeddedRecoveryTest, OpeningIsTriedAgainUntilItSucceeds) {
  Put("a", "1");
  CollectingSink sink;
  const auto watch = store_->StartWatch({KeyRange::All(), {}, false}, &sink);
  disk_->FailOpens(5);
  disk_->FailWrite(1, Outcome::kApplied);
  EXPECT_FALSE(Try({{}, {PutOf("a", "2")}}));
  WaitUntilWritable();
  EXPECT_EQ(Contents(), "a=2");
  EXPECT_EQ(Describe(sink.WaitForEvents(1)), Lines({"put a=2 @3"}));
}

TEST_F(EmbeddedRecoveryTest, WhileTheProbeSaysNoTheFailedEngineServesReads) {
  std::atomic<bool> room = false;
  std::atomic<int> asked = 0;
  store_.reset();
  EmbeddedOptions options = Options();
  options.probe = [&]() -> Result<void> {
    ++asked;
    if (room) return {};
    return Fail(StatusReason::kServiceUnavailable, "no room on the disk");
  };
  Open(std::move(options));
  Put("a", "1");
  disk_->FailWrite(1, Outcome::kLost);
  EXPECT_FALSE(Try({{}, {PutOf("a", "2")}}));
  while (asked < 4) clock_.Advance(milliseconds(100));
  EXPECT_TRUE(store_->Health().readable);
  EXPECT_EQ(Contents(), "a=1");
  while (store_->Health().reason.find("no room on the disk") == std::string::npos) {
    clock_.Advance(milliseconds(100));
  }
  room = true;
  WaitUntilWritable();
  EXPECT_EQ(Put("a", "2"), 3);
}

TEST_F(EmbeddedRecoveryTest, AnErrorInTheBackgroundIsNoticedAndRepaired) {
  Put("a", "1");
  disk_->FailInBackground();
  while (store_->Health().writable) clock_.Advance(seconds(1));
  EXPECT_EQ(Contents(), "a=1");
  WaitUntilWritable();
  EXPECT_EQ(Put("a", "2"), 3);
}

TEST_F(EmbeddedRecoveryTest, AnOlderStoreInTheDirectoryIsNotTaken) {
  Put("a", "1");
  Put("a", "2");
  Put("a", "3");
  disk_->FailWrite(1, Outcome::kLost);
  EXPECT_FALSE(Try({{}, {PutOf("a", "4")}}));
  disk_->Put(Family::kMeta, kMetaRevision, EncodeMeta(kMetaRevision, 3));
  while (store_->Health().readable) clock_.Advance(milliseconds(10));
  EXPECT_NE(store_->Health().reason.find("older store"), std::string::npos);
  EXPECT_EQ(TryRange({KeyRange::All(), {}}).error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_EQ(Now(), 4) << "revisions do not go back";
}

TEST_F(EmbeddedRecoveryTest, AMissingRecordIsAnErrorAndNotAGapInAWatch) {
  for (int i = 0; i < 5; ++i) Put("a", std::to_string(i));
  disk_->Delete(Family::kLog, LogKey({4, 0}));
  CollectingSink sink;
  const auto watch = store_->StartWatch({KeyRange::All(), {2}, false}, &sink);
  EXPECT_EQ(sink.WaitForEnd().reason(), StatusReason::kInternalError);
  EXPECT_NE(store_->Health().damage, "");
  EXPECT_FALSE(TryRange({KeyRange::All(), {4}}));
  EXPECT_EQ(Contents(), "a=4");
}

}  // namespace
}  // namespace skiff::store
