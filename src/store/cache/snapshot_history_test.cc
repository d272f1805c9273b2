#include "store/cache/snapshot_history.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::store {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

class SnapshotHistoryTest : public ::testing::Test {
 protected:
  void Change(int64_t revision) {
    index_.Put(CacheEntry::Make("a", {revision}, SharedBytes("x"), object::LabelSet()));
    history_.Changed({revision});
    last_ = {revision};
  }
  void Keep(Duration now = kSecond) { history_.Keep(last_, index_.Snapshot(), now); }
  // The revision of the only object then; -1: not known.
  int64_t At(int64_t revision) {
    const auto found = history_.Find({revision});
    return found ? found->snapshot.Find("a")->revision().value : -1;
  }

  OrderedIndex index_;
  SnapshotHistory history_;
  Revision last_;
};

TEST_F(SnapshotHistoryTest, AStateStandsUntilTheNextChange) {
  Change(5);
  Keep();
  EXPECT_EQ(At(4), -1);
  EXPECT_EQ(At(5), 5);
  EXPECT_EQ(At(99), 5);
  Change(10);
  EXPECT_EQ(At(9), 5);
  EXPECT_EQ(At(10), -1);
  Change(12);
  Keep();
  EXPECT_EQ(At(9), 5);
  EXPECT_EQ(At(11), -1);
  EXPECT_EQ(At(12), 12);
}

TEST_F(SnapshotHistoryTest, TheSameStateIsKeptOnceAndRenewed) {
  Change(5);
  Keep(1 * kSecond);
  Keep(limits::kKeptSnapshotAge);
  EXPECT_EQ(history_.size(), 1u);
  history_.Expire(limits::kKeptSnapshotAge + 2 * kSecond);
  EXPECT_EQ(At(5), 5);
  history_.Expire(3 * limits::kKeptSnapshotAge);
  EXPECT_EQ(At(5), -1);
}

TEST_F(SnapshotHistoryTest, TheOldestMakesRoom) {
  for (size_t i = 0; i <= limits::kMaxKeptSnapshots; ++i) {
    Change(static_cast<int64_t>(10 + i));
    Keep();
  }
  EXPECT_EQ(history_.size(), limits::kMaxKeptSnapshots);
  EXPECT_EQ(At(10), -1);
  EXPECT_EQ(At(11), 11);
}

// Objects that are gone are in memory for as long as a state has them.
TEST_F(SnapshotHistoryTest, StatesThatHoldMuchOfThePastGoFirst) {
  Change(5);
  Keep();
  Change(6);
  history_.Changed({7}, limits::kMaxKeptSnapshotBytes / 2);
  last_ = {7};
  Keep();
  EXPECT_EQ(At(5), 5);
  history_.Changed({8}, limits::kMaxKeptSnapshotBytes / 2);
  EXPECT_EQ(At(5), 5);
  history_.Changed({9}, 1);
  EXPECT_EQ(At(5), -1);
  EXPECT_EQ(At(7), 6);
  history_.Changed({10}, limits::kMaxKeptSnapshotBytes);
  EXPECT_EQ(At(7), -1);
  Keep();
  EXPECT_EQ(history_.size(), 1U) << "each counts from when it was kept";
}

TEST_F(SnapshotHistoryTest, KeepsWhatSelectionsWereNarrowedDownToWithTheState) {
  Change(5);
  const auto narrowed = std::make_shared<const std::vector<IndexSnapshot>>(1, index_.Snapshot());
  history_.Keep(last_, index_.Snapshot(), kSecond, "app=web", narrowed);
  const Revision kept = last_;
  Change(6);
  Keep();
  EXPECT_EQ(history_.Find(kept, "app=web")->narrowed, narrowed);
  EXPECT_EQ(history_.Find(kept, "app=db")->narrowed, nullptr);
  EXPECT_EQ(history_.Find(last_, "app=web")->narrowed, nullptr) << "another state has others";
}

TEST_F(SnapshotHistoryTest, KeepsTheNarrowedEntriesOfAFewSelectionsOnly) {
  Change(5);
  const auto narrowed = std::make_shared<const std::vector<IndexSnapshot>>();
  for (size_t i = 0; i <= limits::kMaxKeptNarrowings; ++i) {
    history_.Keep(last_, index_.Snapshot(), kSecond, "app=" + std::to_string(i), narrowed);
  }
  EXPECT_EQ(history_.Find(last_, "app=0")->narrowed, nullptr);
  EXPECT_EQ(history_.Find(last_, "app=1")->narrowed, narrowed);
}

}  // namespace
}  // namespace skiff::store
