// Leases of the embedded store, whose time the tests steer.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Lines = std::vector<std::string>;

class EmbeddedLeaseTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }
  std::unique_ptr<Watch> WatchAll() {
    return store_->StartWatch({KeyRange::All(), {}, true}, &sink_);
  }
  CollectingSink sink_;
};

TEST_F(EmbeddedLeaseTest, IdsMayBeNegativeAndOutliveARestart) {
  ASSERT_TRUE(Grant(60, -9));
  Put("a", "1", {-9});
  Reopen();
  ASSERT_TRUE(Find({-9}));
  EXPECT_EQ(*store_->LeaseKeys({-9}), std::vector<std::string>{"a"});
  ASSERT_TRUE(Revoke({-9}));
  EXPECT_EQ(Contents(), "");
}

TEST_F(EmbeddedLeaseTest, ALeaseEndsWithItsKeysAtOneRevisionAndNotEarlier) {
  const LeaseId lease = Grant(10)->id;
  Do({PutOf("a", "1", lease), PutOf("b", "2", lease), PutOf("c", "3")});
  const auto watch = WatchAll();
  clock_.Advance(seconds(10) - Duration(1));
  Put("d", "4");
  EXPECT_EQ(Contents(), "a=1 b=2 c=3 d=4");
  clock_.Advance(Duration(1));
  const auto events = sink_.WaitForEvents(3);
  EXPECT_EQ(Describe(events), Lines({"put d=4 @3", "delete a (1) @4", "delete b (2) @4"}));
  EXPECT_EQ(Contents(), "c=3 d=4");
  EXPECT_EQ(Find(lease).error().reason(), StatusReason::kNotFound);
}

TEST_F(EmbeddedLeaseTest, RenewalStartsTheTimeAnew) {
  const LeaseId lease = Grant(10)->id;
  Put("a", "1", lease);
  for (int i = 0; i < 5; ++i) {
    clock_.Advance(seconds(9));
    EXPECT_EQ(Renew(lease)->remaining, seconds(10));
  }
  clock_.Advance(seconds(4));
  EXPECT_EQ(Find(lease)->remaining, seconds(6));
  EXPECT_EQ(Find(lease)->granted, seconds(10));
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(EmbeddedLeaseTest, TheLongestLeaseIsThereAfterARestart) {
  const LeaseId lease = Grant(limits::kMaxLeaseSeconds)->id;
  Put("a", "1", lease);
  Reopen();
  EXPECT_TRUE(Find(lease));
  EXPECT_GT(Renew(lease)->remaining, seconds(limits::kMaxLeaseSeconds / 2));
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(EmbeddedLeaseTest, AfterARestartALeaseThatWasNeverRenewedKeepsItsMoment) {
  const LeaseId lease = Grant(10)->id;
  Put("a", "1", lease);
  clock_.Advance(seconds(4));
  Reopen();
  EXPECT_EQ(Find(lease)->remaining, seconds(6));
  const auto watch = WatchAll();
  clock_.Advance(seconds(6));
  EXPECT_EQ(Describe(sink_.WaitForEvents(1)), Lines({"delete a (1) @3"}));
}

TEST_F(EmbeddedLeaseTest, AfterARestartARenewedLeaseHasItsFullTime) {
  const LeaseId lease = Grant(10)->id;
  Put("a", "1", lease);
  clock_.Advance(seconds(4));
  ASSERT_TRUE(Renew(lease));
  clock_.Advance(seconds(8));
  Reopen();
  EXPECT_EQ(Find(lease)->remaining, seconds(10));
}

TEST_F(EmbeddedLeaseTest, AWallClockThatJumpedDoesNotMakeALeaseLongerThanGranted) {
  const LeaseId lease = Grant(10)->id;
  clock_.JumpWall(-seconds(1000));
  Reopen();
  EXPECT_EQ(Find(lease)->remaining, seconds(10));
}

TEST_F(EmbeddedLeaseTest, ALeaseThatEndedWhileTheStoreWasClosedTakesItsKeysWithIt) {
  const LeaseId lease = Grant(10)->id;
  Put("a", "1", lease);
  Put("b", "1");
  store_.reset();
  clock_.Advance(seconds(100));
  Open();
  const auto watch = store_->StartWatch({KeyRange::All(), {1}, false}, &sink_);
  EXPECT_EQ(Describe(sink_.WaitForEvents(3)).back(), "delete a @4");
  EXPECT_EQ(Contents(), "b=1");
}

TEST_F(EmbeddedLeaseTest, KeysThatLeftALeaseOutliveIt) {
  const LeaseId lease = Grant(10)->id;
  const LeaseId other = Grant(1000)->id;
  for (const char* key : {"kept", "moved", "gone"}) Put(key, "1", lease);
  Put("kept", "2");
  Put("moved", "2", other);
  Delete("gone");
  Put("gone", "2");
  EXPECT_EQ(Revoke(lease)->value, Now());
  EXPECT_EQ(Contents(), "gone=2 kept=2 moved=2");
  EXPECT_EQ(disk_->Keys(Family::kLease).size(), 2u) << "the other lease and its key";
}

TEST_F(EmbeddedLeaseTest, ManyLeasesEndEachAtItsOwnRevision) {
  for (int i = 0; i < 600; ++i) {
    const LeaseId lease = Grant(5)->id;
    Do({PutOf("a" + std::to_string(i), "", lease), PutOf("b" + std::to_string(i), "", lease)});
  }
  const int64_t before = Now();
  const auto watch = WatchAll();
  clock_.Advance(seconds(5));
  const auto events = sink_.WaitForEvents(1200);
  for (size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(events[i].revision().value, before + 1 + static_cast<int64_t>(i) / 2);
    ASSERT_EQ(events[i].entry.key.substr(1), events[i - i % 2].entry.key.substr(1));
  }
  EXPECT_EQ(Contents(), "");
}

TEST_F(EmbeddedLeaseTest, IdsAreGivenOnceAndMissingOnesNotFound) {
  EXPECT_EQ(Grant(10, 5)->id.value, 5);
  EXPECT_EQ(Grant(10, 5).error().reason(), StatusReason::kAlreadyExists);
  EXPECT_EQ(Grant(0).error().reason(), StatusReason::kBadRequest);
  EXPECT_EQ(Renew({6}).error().reason(), StatusReason::kNotFound);
  EXPECT_EQ(Revoke({6}).error().reason(), StatusReason::kNotFound);
  EXPECT_NE(Grant(10)->id, Grant(10)->id);
}

}  // namespace
}  // namespace skiff::store
