// Closing and opening again, health and figures, requests that are open when the store goes.
#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "tests/store/store_fixture.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

using Names = std::vector<std::string>;

class LifecycleBehaviourTest : public StoreFixture {
 protected:
  void Reopen() {
    under_test().Close();
    const Result<void> opened = under_test().Open();
    ASSERT_TRUE(opened) << opened.error().ToString();
  }
};

TEST_P(LifecycleBehaviourTest, OpeningAgainKeepsEntriesAndRevisions) {
  Put("a", "1");
  Put("a", "2");
  Put("b", "1");
  Delete("b");
  Put("c", std::string(100'000, 'x'));
  const store::RangeReply before = Range({.range = All()});
  Reopen();
  const store::RangeReply after = Range({.range = All()});
  EXPECT_EQ(after.entries, before.entries);
  EXPECT_EQ(after.revision, before.revision);
  EXPECT_GT(Put("a", "3"), before.revision);
  EXPECT_EQ(Get("a")->version, 3);
}

TEST_P(LifecycleBehaviourTest, OpeningAgainKeepsHistory) {
  const store::Revision one = Put("a", "1");
  Put("b", "1");
  Delete("a");
  Put("a", "2");
  Reopen();
  EXPECT_EQ(Listed(Range({.range = All(), .at = one})), (Names{"a=1"}));
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), one, true);
  Put("c", "1");
  ASSERT_TRUE(sink.WaitForEvents(5));
  EXPECT_EQ(Told(sink.events()), (Names{"+a=1", "+b=1", "-a", "+a=2", "+c=1"}));
  EXPECT_EQ(sink.events()[2].previous->value.view(), "1");
}

TEST_P(LifecycleBehaviourTest, OpeningAgainKeepsTheRevisionOfADeletion) {
  Put("a", "1");
  const store::Revision deleted = Delete("a");
  Compact(deleted);
  Reopen();
  EXPECT_EQ(Current(), deleted);
  EXPECT_GT(Put("a", "2"), deleted);
}

TEST_P(LifecycleBehaviourTest, OpeningAgainKeepsCompaction) {
  const store::Revision one = Put("a", "1");
  const store::Revision two = Put("a", "2");
  Put("a", "3");
  Compact(two);
  Reopen();
  EXPECT_EQ(ReasonOf(store::RangeAndWait(store(), {.range = All(), .at = one})),
            StatusReason::kExpired);
  EXPECT_EQ(Listed(Range({.range = All(), .at = two})), (Names{"a=2"}));
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), one);
  ASSERT_TRUE(sink.WaitForEnd());
  EXPECT_EQ(sink.end()->reason(), StatusReason::kExpired);
}

TEST_P(LifecycleBehaviourTest, OpeningAgainKeepsLeases) {
  const store::LeaseInfo lease = Grant(std::chrono::seconds(600));
  const store::LeaseInfo revoked = Grant(std::chrono::seconds(600));
  Put("a", "1", lease.id);
  Put("b", "1", revoked.id);
  ASSERT_TRUE(RevokeAndWait(store(), revoked.id));
  Reopen();
  EXPECT_EQ(FindAndWait(store(), lease.id)->granted, lease.granted);
  EXPECT_EQ(ReasonOf(FindAndWait(store(), revoked.id)), StatusReason::kNotFound);
  EXPECT_TRUE(Get("a"));
  Put("c", "1", lease.id);
  ASSERT_TRUE(RevokeAndWait(store(), lease.id));
  EXPECT_EQ(Range({.range = All()}).count, 0);
}

TEST_P(LifecycleBehaviourTest, LeasesEndAfterOpeningAgain) {
  const store::LeaseInfo lease = Grant(std::chrono::seconds(5));
  const store::Revision before = Put("a", "1", lease.id);
  Reopen();
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{before.value + 1});
  under_test().PassTime(lease.granted);
  ASSERT_TRUE(sink.WaitForEvents(1));
  EXPECT_EQ(Told(sink.events()), (Names{"-a"}));
}

TEST_P(LifecycleBehaviourTest, OpeningAgainAndAgainChangesNothing) {
  const store::Revision revision = Put("a", "1");
  for (int i = 0; i < 5; ++i) {
    Reopen();
    EXPECT_EQ(Current(), revision);
    EXPECT_EQ(Listed(Range({.range = All()})), (Names{"a=1"}));
  }
}

TEST_P(LifecycleBehaviourTest, HealthOfAWorkingStoreIsGood) {
  Put("a", "1");
  const store::StoreHealth health = store().Health();
  EXPECT_TRUE(health.readable);
  EXPECT_TRUE(health.writable);
  EXPECT_EQ(health.reason, "");
}

TEST_P(LifecycleBehaviourTest, FiguresTellHowThingsAre) {
  const Result<store::StoreFigures> before = FiguresAndWait(store());
  ASSERT_TRUE(before) << before.error().ToString();
  EXPECT_EQ(before->engine, kind().engine);
  for (int i = 0; i < 10; ++i) Put(Text(i), std::string(1000, 'x'));
  Delete("3");
  (void)Commit({{}, {DeleteOf(Key("absent"))}});
  Put("4", "1");
  const store::Revision compacted = Put("4", "2");
  Put("4", "3");
  Compact(compacted);
  const Result<store::StoreFigures> after = FiguresAndWait(store());
  ASSERT_TRUE(after);
  EXPECT_EQ(after->revision, Current());
  if (after->keys != -1) {
    EXPECT_EQ(after->keys, before->keys + 9);
  }
  EXPECT_EQ(after->commits, before->commits + 14);
  if (kind().fresh || after->compacted != store::Revision()) {
    EXPECT_EQ(after->compacted, compacted);
  }
}

TEST_P(LifecycleBehaviourTest, RequestsThatAreOpenAtTheEndAreAllAnsweredOnce) {
  constexpr int kRequests = 300;
  std::vector<std::atomic<int>> answers(2 * kRequests);
  std::vector<store::Revision> committed(kRequests);
  const store::Revision before = Current();
  for (int i = 0; i < kRequests; ++i) {
    store().Commit(PutTransaction(Key(Text(i)), "1"), [&, i](Result<store::CommitReply> reply) {
      if (reply)
        committed[i] = reply->revision;
      else
        EXPECT_TRUE(reply.error().reason() == StatusReason::kServiceUnavailable ||
                    reply.error().reason() == StatusReason::kServerTimeout)
            << reply.error().ToString();
      ++answers[i];
    });
    store().Range({.range = All()}, [&, i](Result<store::RangeReply> reply) {
      if (!reply) {
        EXPECT_EQ(reply.error().reason(), StatusReason::kServiceUnavailable);
      }
      ++answers[kRequests + i];
    });
  }
  under_test().Close();
  for (const std::atomic<int>& count : answers) EXPECT_EQ(count, 1);
  ASSERT_TRUE(under_test().Open());
  EXPECT_GE(Current(), before);
  for (int i = 0; i < kRequests; ++i) {
    if (committed[i] == store::Revision()) continue;
    const std::optional<store::KeyValue> entry = Get(Text(i));
    ASSERT_TRUE(entry) << "acknowledged, then lost";
    EXPECT_EQ(entry->mod_revision, committed[i]);
  }
}

TEST_P(LifecycleBehaviourTest, ScansAndLeasesThatAreOpenAtTheEndAreAnsweredOnce) {
  struct NoSink final : store::ScanSink {
    void OnEntries(std::vector<store::KeyValue>) override {}
  };
  for (int i = 0; i < 100; ++i) Put(Text(i), std::string(10'000, 'x'));
  constexpr int kRequests = 50;
  NoSink sink;
  std::atomic<int> answers = 0;
  for (int i = 0; i < kRequests; ++i) {
    store().Scan(All(), &sink, [&](Result<store::Revision>) { ++answers; });
    store().GrantLease(std::chrono::seconds(60), {}, [&](Result<store::LeaseInfo>) { ++answers; });
    store().FindLease(store::LeaseId{1}, [&](Result<store::LeaseInfo>) { ++answers; });
    store().CurrentRevision([&](Result<store::Revision>) { ++answers; });
    store().Compact(store::Revision{1}, [&](Result<store::Revision>) { ++answers; });
    store().Figures([&](Result<store::StoreFigures>) { ++answers; });
  }
  under_test().Close();
  EXPECT_EQ(answers, 6 * kRequests);
  ASSERT_TRUE(under_test().Open());
}

TEST_P(LifecycleBehaviourTest, ClosingUnderLoadWithWatchesIsOrderly) {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::unique_ptr<RecordingSink>> sinks;
    std::vector<std::unique_ptr<store::Watch>> watches;
    const store::Revision first{Current().value + 1};
    std::atomic<int> open = 0;
    for (int i = 0; i < 40; ++i) {
      ++open;
      store().Commit(PutTransaction(Key(Text(i)), Text(round)), [&](auto) { --open; });
      sinks.push_back(std::make_unique<RecordingSink>());
      watches.push_back(StartWatch(*sinks.back(), All(), i % 2 == 0 ? first : store::Revision()));
    }
    under_test().Close();
    EXPECT_EQ(open, 0);
    for (const auto& sink : sinks) {
      ASSERT_TRUE(sink->WaitForEnd());
      EXPECT_EQ(sink->end()->reason(), StatusReason::kServiceUnavailable);
      EXPECT_EQ(sink->fault(), "");
    }
    watches.clear();
    ASSERT_TRUE(under_test().Open());
  }
}

SKIFF_ON_EVERY_STORE(LifecycleBehaviourTest);

}  // namespace
}  // namespace skiff::testing
