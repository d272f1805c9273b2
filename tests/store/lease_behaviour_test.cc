// Leases: granting, renewal, expiry, revocation.
#include <set>

#include <gtest/gtest.h>

#include "tests/store/store_fixture.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

using std::chrono::seconds;

class LeaseBehaviourTest : public StoreFixture {
 protected:
  // Long enough for every engine, short enough to wait for.
  // On stores whose time is the machine's, a test that is kept from running for so long fails.
  static constexpr seconds kShort{5};
  static constexpr seconds kLong{600};
  static constexpr store::LeaseId kMissing{0x7abc'def0'1234'5678};
};

TEST_P(LeaseBehaviourTest, GrantTellsIdAndTime) {
  const store::LeaseInfo lease = Grant(kLong);
  EXPECT_NE(lease.id, store::LeaseId());
  EXPECT_EQ(lease.granted, kLong);
  const Result<store::LeaseInfo> found = FindAndWait(store(), lease.id);
  ASSERT_TRUE(found) << found.error().ToString();
  EXPECT_EQ(found->id, lease.id);
  EXPECT_EQ(found->granted, kLong);
  EXPECT_GT(found->remaining, kLong - seconds(60));
  EXPECT_LE(found->remaining, kLong);
  EXPECT_TRUE(RevokeAndWait(store(), lease.id));
}

TEST_P(LeaseBehaviourTest, ChosenIdsDiffer) {
  std::set<store::LeaseId> ids;
  for (int i = 0; i < 20; ++i) ids.insert(Grant(kLong).id);
  EXPECT_EQ(ids.size(), 20u);
  for (const store::LeaseId id : ids) EXPECT_TRUE(RevokeAndWait(store(), id));
}

TEST_P(LeaseBehaviourTest, AGivenIdIsKeptAndTakenOnce) {
  constexpr store::LeaseId kId{424242};
  const Result<store::LeaseInfo> lease = GrantAndWait(store(), kLong, kId);
  ASSERT_TRUE(lease) << lease.error().ToString();
  EXPECT_EQ(lease->id, kId);
  EXPECT_EQ(ReasonOf(GrantAndWait(store(), kLong, kId)), StatusReason::kAlreadyExists);
  ASSERT_TRUE(RevokeAndWait(store(), kId));
  EXPECT_TRUE(GrantAndWait(store(), kLong, kId));
  EXPECT_TRUE(RevokeAndWait(store(), kId));
}

TEST_P(LeaseBehaviourTest, GrantingChangesNoRevision) {
  const store::Revision before = Current();
  const store::LeaseInfo lease = Grant(kLong);
  EXPECT_TRUE(RenewAndWait(store(), lease.id));
  EXPECT_EQ(Current(), before);
  EXPECT_TRUE(RevokeAndWait(store(), lease.id));
  EXPECT_EQ(Current(), before) << "there were no keys to delete";
}

TEST_P(LeaseBehaviourTest, WhatDoesNotExistIsNotFound) {
  EXPECT_EQ(ReasonOf(RenewAndWait(store(), kMissing)), StatusReason::kNotFound);
  EXPECT_EQ(ReasonOf(RevokeAndWait(store(), kMissing)), StatusReason::kNotFound);
  EXPECT_EQ(ReasonOf(FindAndWait(store(), kMissing)), StatusReason::kNotFound);
}

TEST_P(LeaseBehaviourTest, WritingUnderAMissingLeaseIsRefused) {
  const store::Revision before = Current();
  EXPECT_EQ(ReasonOf(store::CommitAndWait(store(), PutTransaction(Key("a"), "1", kMissing))),
            StatusReason::kNotFound);
  // Nothing of the transaction happens, also not what needs no lease.
  EXPECT_EQ(ReasonOf(store::CommitAndWait(
                store(), {{}, {PutOf(Key("b"), "1"), PutOf(Key("a"), "1", kMissing)}})),
            StatusReason::kNotFound);
  EXPECT_EQ(Current(), before);
  EXPECT_FALSE(Get("b"));
}

TEST_P(LeaseBehaviourTest, TimesMustBePositiveAndBounded) {
  EXPECT_EQ(ReasonOf(GrantAndWait(store(), seconds(0))), StatusReason::kBadRequest);
  EXPECT_EQ(ReasonOf(GrantAndWait(store(), seconds(-1))), StatusReason::kBadRequest);
  EXPECT_EQ(ReasonOf(GrantAndWait(store(), seconds::max())), StatusReason::kBadRequest);
}

TEST_P(LeaseBehaviourTest, EntriesNameTheirLease) {
  const store::LeaseInfo lease = Grant(kLong);
  Put("a", "1", lease.id);
  EXPECT_EQ(Get("a")->lease, lease.id);
  Put("a", "2");
  EXPECT_EQ(Get("a")->lease, store::LeaseId()) << "the last write decides";
  EXPECT_TRUE(RevokeAndWait(store(), lease.id));
}

TEST_P(LeaseBehaviourTest, RevocationDeletesItsKeysAtOneRevision) {
  const store::LeaseInfo lease = Grant(kLong);
  const store::LeaseInfo other = Grant(kLong);
  Put("a", "1", lease.id);
  Put("b", "1", lease.id);
  Put("c", "1", other.id);
  Put("d", "1");
  const store::Revision before = Current();
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{before.value + 1}, true);
  const Result<store::Revision> revoked = RevokeAndWait(store(), lease.id);
  ASSERT_TRUE(revoked) << revoked.error().ToString();
  EXPECT_GT(*revoked, before);
  EXPECT_EQ(Listed(Range({.range = All()})), (std::vector<std::string>{"c=1", "d=1"}));
  ASSERT_TRUE(sink.WaitForEvents(2));
  EXPECT_EQ(Told(sink.events()), (std::vector<std::string>{"-a", "-b"}));
  EXPECT_EQ(sink.events_per_call(), std::vector<size_t>{2});
  for (const store::Event& event : sink.events()) {
    EXPECT_EQ(event.revision(), *revoked);
    EXPECT_EQ(event.previous->value.view(), "1");
  }
  EXPECT_EQ(ReasonOf(FindAndWait(store(), lease.id)), StatusReason::kNotFound);
  EXPECT_EQ(ReasonOf(RenewAndWait(store(), lease.id)), StatusReason::kNotFound);
  EXPECT_TRUE(RevokeAndWait(store(), other.id));
}

TEST_P(LeaseBehaviourTest, KeysThatLeftTheLeaseOutliveIt) {
  const store::LeaseInfo lease = Grant(kLong);
  const store::LeaseInfo other = Grant(kLong);
  for (const char* name : {"kept", "moved", "deleted", "anew"}) Put(name, "1", lease.id);
  Put("kept", "2");
  Put("moved", "2", other.id);
  Delete("deleted");
  Delete("anew");
  Put("anew", "2");
  const store::Revision before = Current();
  const Result<store::Revision> revoked = RevokeAndWait(store(), lease.id);
  ASSERT_TRUE(revoked);
  EXPECT_EQ(Current(), before) << "no key was left under it";
  EXPECT_EQ(Listed(Range({.range = All()})),
            (std::vector<std::string>{"anew=2", "kept=2", "moved=2"}));
  EXPECT_TRUE(RevokeAndWait(store(), other.id));
  EXPECT_FALSE(Get("moved"));
}

TEST_P(LeaseBehaviourTest, ExpiryDeletesItsKeysAtOneRevisionAndNotBefore) {
  const store::LeaseInfo lease = Grant(kShort);
  SystemClock clock;
  const Duration granted = clock.Monotonic();
  MustCommit({{}, {PutOf(Key("a"), "1", lease.id), PutOf(Key("c"), "1")}});
  // From there on: the lease may end before the store is asked for its revision.
  const store::Revision written = Put("b", "1", lease.id);
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{written.value + 1}, true);
  if (kind().steered_time) {
    under_test().PassTime(lease.granted - seconds(1));
    EXPECT_EQ(Range({.range = All()}).count, 3);
    EXPECT_LE(FindAndWait(store(), lease.id)->remaining, seconds(1));
  }
  under_test().PassTime(seconds(1));
  ASSERT_TRUE(sink.WaitForEvents(2));
  if (!kind().steered_time) {
    EXPECT_GE(clock.Monotonic() - granted, kShort - std::chrono::milliseconds(100));
  }
  EXPECT_EQ(Told(sink.events()), (std::vector<std::string>{"-a", "-b"}));
  EXPECT_EQ(sink.events_per_call(), std::vector<size_t>{2});
  EXPECT_EQ(sink.events()[0].revision(), sink.events()[1].revision());
  EXPECT_EQ(sink.events()[0].previous->lease, lease.id);
  EXPECT_EQ(Listed(Range({.range = All()})), (std::vector<std::string>{"c=1"}));
  EXPECT_EQ(ReasonOf(FindAndWait(store(), lease.id)), StatusReason::kNotFound);
}

TEST_P(LeaseBehaviourTest, RenewalBeginsTheTimeAnew) {
  constexpr seconds kRenewed = 2 * kShort;
  const store::LeaseInfo lease = Grant(kRenewed);
  const store::LeaseInfo unrenewed = Grant(kShort);
  Put("a", "1", lease.id);
  const store::Revision before = Put("b", "1", unrenewed.id);
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{before.value + 1});
  // More than its time, in steps.
  for (int i = 0; i <= kRenewed.count(); ++i) {
    under_test().PassTime(seconds(1));
    const Result<store::LeaseInfo> renewed = RenewAndWait(store(), lease.id);
    ASSERT_TRUE(renewed) << renewed.error().ToString();
    EXPECT_EQ(renewed->granted, lease.granted);
    EXPECT_EQ(renewed->remaining, lease.granted);
  }
  ASSERT_TRUE(sink.WaitForEvents(1));
  EXPECT_EQ(Told(sink.events()), (std::vector<std::string>{"-b"}));
  EXPECT_TRUE(Get("a"));
  EXPECT_TRUE(RevokeAndWait(store(), lease.id));
}

TEST_P(LeaseBehaviourTest, ExpiredLeasesTakeNoKeys) {
  const store::LeaseInfo lease = Grant(kShort);
  const store::Revision written = Put("a", "1", lease.id);
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{written.value + 1});
  under_test().PassTime(kShort);
  ASSERT_TRUE(sink.WaitForEvents(1));
  EXPECT_EQ(ReasonOf(store::CommitAndWait(store(), PutTransaction(Key("a"), "2", lease.id))),
            StatusReason::kNotFound);
  EXPECT_FALSE(Get("a"));
}

TEST_P(LeaseBehaviourTest, ManyKeysGoAtOnce) {
  const store::LeaseInfo lease = Grant(kLong);
  constexpr size_t kKeys = 500;  // more than a transaction may write
  for (size_t i = 0; i < kKeys; i += 100) {
    store::Transaction transaction;
    for (size_t j = 0; j < 100; ++j)
      transaction.writes.push_back(PutOf(Key(Text(i + j)), "1", lease.id));
    MustCommit(transaction);
  }
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{Current().value + 1});
  const Result<store::Revision> revoked = RevokeAndWait(store(), lease.id);
  ASSERT_TRUE(revoked);
  ASSERT_TRUE(sink.WaitForEvents(kKeys));
  for (const store::Event& event : sink.events()) EXPECT_EQ(event.revision(), *revoked);
  EXPECT_EQ(sink.events_per_call(), std::vector<size_t>{kKeys});
}

SKIFF_ON_EVERY_STORE(LeaseBehaviourTest);

}  // namespace
}  // namespace skiff::testing
