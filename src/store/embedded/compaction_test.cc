// Compaction of the embedded store: what stays, what goes, and crashes on the way.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/embedded/record.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using std::chrono::minutes;
using Lines = std::vector<std::string>;

class EmbeddedCompactionTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }
  StatusReason ReasonAt(int64_t at) { return TryRange({KeyRange::All(), {at}}).error().reason(); }
};

TEST_F(EmbeddedCompactionTest, KeepsTheStateFromItsRevisionOnAndForgetsEarlierOnes) {
  Put("a", "1");
  Put("b", "1");
  Put("a", "2");
  Delete("b");
  Put("a", "3");
  EXPECT_EQ(Compact(4)->value, 4);
  EXPECT_EQ(ReasonAt(3), StatusReason::kExpired);
  EXPECT_EQ(Contents(4), "a=2 b=1");
  EXPECT_EQ(Contents(5), "a=2");
  EXPECT_EQ(Contents(), "a=3");
  EXPECT_EQ(Figures().compacted.value, 4);
  EXPECT_NE(TryRange({KeyRange::All(), {3}}).error().message().find("has been compacted"),
            std::string::npos);
}

TEST_F(EmbeddedCompactionTest, RemovesWhatIsReplacedFromTheDisk) {
  for (int i = 0; i < 100; ++i) Put("a", std::to_string(i));
  Put("b", "1");
  Delete("b");
  Put("c", "1");
  EXPECT_EQ(disk_->Keys(Family::kLog).size(), 103u);
  ASSERT_TRUE(Compact(Now()));
  EXPECT_EQ(disk_->Keys(Family::kLog).size(), 2u);
  EXPECT_EQ(disk_->Keys(Family::kCurrent), Lines({"a", "c"}));
}

TEST_F(EmbeddedCompactionTest, ADeletionAtTheRevisionItselfCanStillBeWatched) {
  Put("a", "1");
  const int64_t deleted = Delete("a");
  Put("b", "1");
  ASSERT_TRUE(Compact(deleted));
  CollectingSink sink;
  const auto watch = store_->StartWatch({KeyRange::All(), {deleted}, true}, &sink);
  EXPECT_EQ(Describe(sink.WaitForEvents(2)), Lines({"delete a @3", "put b=1 @4"}));
  ASSERT_TRUE(Compact(Now()));
  EXPECT_EQ(disk_->Keys(Family::kCurrent), Lines({"b"})) << "the next compaction removes it";
  EXPECT_EQ(disk_->Keys(Family::kLog).size(), 1u);
}

TEST_F(EmbeddedCompactionTest, AKeyMadeAnewAfterACompactedDeletionIsAbsentBefore) {
  Put("a", "1");
  Delete("a");
  Put("b", "1");
  ASSERT_TRUE(Compact(4));
  Put("a", "2");
  EXPECT_EQ(Contents(4), "b=1");
  EXPECT_EQ(Contents(5), "a=2 b=1");
  EXPECT_EQ(Get("a")->version, 1);
}

TEST_F(EmbeddedCompactionTest, WatchesBehindItEndAndOthersGoOn) {
  Put("a", "1");
  Put("a", "2");
  CollectingSink live;
  const auto watch = store_->StartWatch({KeyRange::All(), {}, false}, &live);
  ASSERT_TRUE(Compact(3));
  CollectingSink old;
  const auto old_watch = store_->StartWatch({KeyRange::All(), {2}, false}, &old);
  EXPECT_EQ(old.WaitForEnd().reason(), StatusReason::kExpired);
  EXPECT_TRUE(old.events().empty());
  Put("a", "3");
  EXPECT_EQ(Describe(live.events()), Lines({"put a=3 @4"}));
}

TEST_F(EmbeddedCompactionTest, GoesNeitherBackNorIntoTheFuture) {
  for (int i = 0; i < 5; ++i) Put("a", "1");
  ASSERT_TRUE(Compact(4));
  EXPECT_EQ(Compact(3).error().reason(), StatusReason::kExpired);
  EXPECT_EQ(Compact(4)->value, 4);
  EXPECT_EQ(Compact(99).error().reason(), StatusReason::kTimeout);
  EXPECT_EQ(Compact(0).error().reason(), StatusReason::kBadRequest);
  Reopen();
  EXPECT_EQ(ReasonAt(3), StatusReason::kExpired);
  EXPECT_EQ(Compact(3).error().reason(), StatusReason::kExpired);
}

TEST_F(EmbeddedCompactionTest, ACrashAtAnyStepLeavesAStoreThatIsWhole) {
  for (int i = 0; i < 6000; ++i) Put("k" + std::to_string(i % 13), std::to_string(i));
  const std::string contents = Contents();
  const int64_t now = Now();
  std::vector<std::shared_ptr<MemoryDisk>> crashes;
  disk_->OnWrite([&] { crashes.push_back(disk_->Copy()); });
  ASSERT_TRUE(Compact(now - 1000));
  disk_->OnWrite(nullptr);
  ASSERT_GT(crashes.size(), 3u) << "there should be several steps";
  crashes.push_back(disk_->Copy());
  int64_t compacted = -1;
  for (const auto& crash : crashes) {
    store_.reset();
    disk_ = crash;
    Open();
    EXPECT_EQ(Now(), now);
    EXPECT_EQ(Contents(), contents);
    EXPECT_GT(Figures().compacted.value, compacted);
    compacted = Figures().compacted.value;
    EXPECT_TRUE(TryRange({KeyRange::All(), {std::max<int64_t>(compacted, 1)}}));
    ASSERT_TRUE(Compact(now)) << "it can go on";
    EXPECT_EQ(disk_->Keys(Family::kLog).size(), 13u);
    EXPECT_EQ(Contents(), contents);
  }
}

TEST_F(EmbeddedCompactionTest, OldStatesAreForgottenByThemselvesAfterTheRetention) {
  store_.reset();
  EmbeddedOptions options = Options();
  options.compaction_interval = minutes(5);
  options.retention = minutes(5);
  Open(std::move(options));
  Put("a", "1");
  const int64_t young = Put("a", "2");
  const auto wait_until_compacted_to = [&](int64_t revision) {
    while (Figures().compacted.value < revision) clock_.Advance(std::chrono::seconds(10));
  };
  const Duration start = clock_.Monotonic();
  wait_until_compacted_to(young);
  EXPECT_GE(clock_.Monotonic() - start, minutes(5));
  EXPECT_EQ(Contents(young), "a=2");
  Put("a", "3");
  EXPECT_EQ(Contents(young), "a=2") << "what was just replaced is kept for a while";
}

}  // namespace
}  // namespace skiff::store
