// Compaction: what it forgets, what it keeps, and what it does to reads and watches.
#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/thread.h"
#include "tests/store/store_fixture.h"
#include "tests/store/text.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using Names = std::vector<std::string>;

class CompactionBehaviourTest : public StoreFixture {
 protected:
  Names StateAt(store::Revision revision) {
    return Listed(Range({.range = All(), .at = revision}));
  }
};

TEST_P(CompactionBehaviourTest, ForgetsStatesBeforeAndKeepsThoseFromThere) {
  const store::Revision one = Put("a", "1");
  Put("b", "1");
  const store::Revision two = Delete("b");
  const store::Revision three = Put("a", "2");
  const store::Revision four = Put("c", "1");
  EXPECT_EQ(Compact(three), three);
  for (const store::Revision gone : {one, two})
    EXPECT_EQ(ReasonOf(store::RangeAndWait(store(), {.range = All(), .at = gone})),
              StatusReason::kExpired);
  EXPECT_EQ(StateAt(three), (Names{"a=2"}));
  EXPECT_EQ(StateAt(four), (Names{"a=2", "c=1"}));
  EXPECT_EQ(StateAt({}), (Names{"a=2", "c=1"}));
}

TEST_P(CompactionBehaviourTest, KeepsWhatWasNotChangedSince) {
  const store::Revision old = Put("old", "1");
  for (int i = 0; i < 10; ++i) Put("busy", Text(i));
  const store::Revision last = Current();
  Compact(last);
  const std::optional<store::KeyValue> entry = Get("old");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->mod_revision, old);
  EXPECT_EQ(entry->version, 1);
  EXPECT_EQ(Get("busy")->version, 10);
  EXPECT_EQ(StateAt(last), (Names{"busy=9", "old=1"}));
}

TEST_P(CompactionBehaviourTest, KeepsTheStateBetweenItsRevisionAndNow) {
  Put("a", "1");
  Put("b", "1");
  const store::Revision kept = Put("a", "2");
  Delete("a");
  Delete("b");
  Put("b", "2");
  Compact(kept);
  EXPECT_EQ(StateAt(kept), (Names{"a=2", "b=1"}));
  EXPECT_EQ(StateAt(store::Revision{kept.value + 1}), (Names{"b=1"}));
  EXPECT_EQ(StateAt(store::Revision{kept.value + 2}), Names());
  EXPECT_EQ(StateAt({}), (Names{"b=2"}));
}

TEST_P(CompactionBehaviourTest, ADeletedKeyStaysDeletedAndMayComeAgain) {
  Put("a", "1");
  Put("a", "2");
  const store::Revision deleted = Delete("a");
  Compact(deleted);
  EXPECT_FALSE(Get("a"));
  EXPECT_FALSE(Get("a", deleted));
  const store::Revision anew =
      MustCommit(store::Transaction::CreateIfAbsent(Key("a"), SharedBytes("3")));
  EXPECT_EQ(Get("a")->create_revision, anew);
  EXPECT_EQ(Get("a")->version, 1);
}

TEST_P(CompactionBehaviourTest, ChangesNoRevision) {
  Put("a", "1");
  const store::Revision last = Put("a", "2");
  Compact(last);
  EXPECT_EQ(Current(), last);
  EXPECT_GT(Put("a", "3"), last);
}

TEST_P(CompactionBehaviourTest, OfTheFutureIsRefused) {
  const store::Revision now = Put("a", "1");
  EXPECT_FALSE(CompactAndWait(store(), store::Revision{now.value + 1000}));
  EXPECT_EQ(StateAt(now), (Names{"a=1"}));
  EXPECT_EQ(ReasonOf(CompactAndWait(store(), store::Revision{-1})), StatusReason::kBadRequest);
}

TEST_P(CompactionBehaviourTest, DoesNotGoBack) {
  const store::Revision one = Put("a", "1");
  const store::Revision two = Put("a", "2");
  const store::Revision three = Put("a", "3");
  Compact(two);
  EXPECT_EQ(ReasonOf(CompactAndWait(store(), one)), StatusReason::kExpired);
  EXPECT_EQ(StateAt(two), (Names{"a=2"}));
  Compact(three);
  EXPECT_EQ(ReasonOf(store::RangeAndWait(store(), {.range = All(), .at = two})),
            StatusReason::kExpired);
}

TEST_P(CompactionBehaviourTest, TwiceAtOneRevisionChangesNothing) {
  Put("a", "1");
  const store::Revision two = Put("a", "2");
  Put("a", "3");
  Compact(two);
  // Either answer is right: it is done, or it had been done.
  const Result<store::Revision> again = CompactAndWait(store(), two);
  if (!again) {
    EXPECT_EQ(again.error().reason(), StatusReason::kExpired);
  }
  EXPECT_EQ(StateAt(two), (Names{"a=2"}));
}

TEST_P(CompactionBehaviourTest, EndsWatchesOfForgottenRevisions) {
  const store::Revision one = Put("a", "1");
  Put("a", "2");
  const store::Revision three = Put("a", "3");
  Compact(three);
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), one);
  ASSERT_TRUE(sink.WaitForEnd());
  EXPECT_EQ(sink.end()->reason(), StatusReason::kExpired);
  EXPECT_TRUE(sink.events().empty());
  EXPECT_EQ(sink.fault(), "");
}

TEST_P(CompactionBehaviourTest, WatchesMayBeginRightAfterIt) {
  Put("a", "1");
  const store::Revision two = Put("a", "2");
  Put("a", "3");
  Delete("a");
  Compact(two);
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{two.value + 1}, true);
  ASSERT_TRUE(sink.WaitForEvents(2));
  EXPECT_EQ(Told(sink.events()), (Names{"+a=3", "-a"}));
  EXPECT_EQ(sink.events()[0].previous->value.view(), "2") << "which can still be read";
}

// Of the revision itself the state is kept, but a deletion leaves nothing in it. Whether such a
// watch can be served is the engine's affair; a silent gap is not.
TEST_P(CompactionBehaviourTest, AWatchFromItsRevisionTellsTheDeletionOrEnds) {
  Put("a", "1");
  const store::Revision deleted = Delete("a");
  Put("b", "1");
  Compact(deleted);
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), deleted);
  SystemClock clock;
  EXPECT_TRUE(
      WaitUntilTrue(clock, kPatience, [&] { return !sink.events().empty() || sink.end(); }));
  if (sink.end()) {
    EXPECT_EQ(sink.end()->reason(), StatusReason::kExpired);
  } else {
    ASSERT_FALSE(sink.events().empty());
    EXPECT_EQ(Told(sink.events())[0], "-a");
  }
}

TEST_P(CompactionBehaviourTest, DoesNotDisturbWatchesThatAreUpToDate) {
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), store::Revision{Current().value + 1}, true);
  Names expected;
  for (int i = 0; i < 20; ++i) {
    const store::Revision revision = Put("a", Text(i));
    expected.push_back(Text("+a=", i));
    ASSERT_TRUE(sink.WaitForEvents(expected.size()));
    if (i % 4 == 3) Compact(revision);
  }
  EXPECT_EQ(Told(sink.events()), expected);
  EXPECT_FALSE(sink.end());
  EXPECT_EQ(sink.fault(), "");
}

TEST_P(CompactionBehaviourTest, KeysUnderALeaseAreStillItsOwn) {
  const Result<store::LeaseInfo> lease = GrantAndWait(store(), std::chrono::seconds(600));
  ASSERT_TRUE(lease);
  Put("a", "1", lease->id);
  Put("a", "2", lease->id);
  Put("b", "1");
  Compact(Current());
  EXPECT_EQ(Get("a")->lease, lease->id);
  EXPECT_TRUE(RevokeAndWait(store(), lease->id));
  EXPECT_FALSE(Get("a"));
  EXPECT_TRUE(Get("b"));
}

TEST_P(CompactionBehaviourTest, RacingWithWatchesEndsThemOrLeavesThemWhole) {
  const store::Revision first{Current().value + 1};
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    for (int i = 0; !stop; ++i) {
      if (i % 7 == 6)
        Delete(Text((i - 1) % 5));
      else
        Put(Text(i % 5), Text(i));
    }
  });
  RecordingSink everything;
  const auto whole = StartWatch(everything, All(), first);
  SeededRandom random(11);
  std::vector<std::unique_ptr<RecordingSink>> sinks;
  std::vector<std::unique_ptr<store::Watch>> watches;
  std::vector<store::Revision> begun;
  store::Revision compacted = first;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(everything.WaitForEvents(i * 5 + 5));
    const store::Revision now = Current();
    begun.push_back(
        {compacted.value + static_cast<int64_t>(random.Uniform(now.value - compacted.value + 1))});
    sinks.push_back(std::make_unique<RecordingSink>());
    watches.push_back(StartWatch(*sinks.back(), All(), begun.back()));
    // Nothing may have been written since the last time, and etcd does not compact one revision
    // twice.
    const store::Revision newest = everything.events().back().revision();
    if (i % 3 == 2 && newest > compacted) compacted = Compact(newest);
  }
  stop = true;
  writer.Join();
  const store::Revision last = Put("end", "");
  ASSERT_TRUE(everything.WaitForRevision(last));
  const std::vector<store::Event> expected = everything.events();
  for (size_t i = 0; i < sinks.size(); ++i) {
    SystemClock clock;
    EXPECT_TRUE(WaitUntilTrue(clock, kPatience, [&] {
      const std::vector<store::Event> told = sinks[i]->events();
      return sinks[i]->end() || (!told.empty() && told.back().revision() == last);
    }));
    EXPECT_EQ(sinks[i]->fault(), "");
    if (sinks[i]->end()) {
      EXPECT_EQ(sinks[i]->end()->reason(), StatusReason::kExpired);
    }
    // What was told is the history from there, without a gap, up to the end of the watch.
    const Names told = Told(sinks[i]->events());
    Names due;
    for (const store::Event& event : expected)
      if (event.revision() >= begun[i] && due.size() < told.size()) due.push_back(Told({event})[0]);
    EXPECT_EQ(told, due) << "begun at " << begun[i].value;
    if (!sinks[i]->end()) {
      EXPECT_EQ(sinks[i]->events().back().revision(), last);
    }
  }
}

TEST_P(CompactionBehaviourTest, RacingWithReadsExpiresThemOrLeavesThemWhole) {
  // At every revision there is exactly one of the two keys.
  const store::Revision first = MustCommit({{}, {PutOf(Key("even"), "")}});
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    for (int i = 1; !stop; ++i)
      MustCommit({{},
                  {i % 2 == 0 ? PutOf(Key("even"), "") : PutOf(Key("odd"), ""),
                   DeleteOf(Key(i % 2 == 0 ? "odd" : "even"))}});
  });
  Thread compactor("compactor", [&] {
    while (!stop) (void)CompactAndWait(store(), Current());
  });
  int read = 0;
  for (int i = 0; i < 300; ++i) {
    const store::Revision at{std::max(first.value, Current().value - i % 3)};
    const auto reply = store::RangeAndWait(store(), {.range = All(), .at = at});
    if (reply) {
      ++read;
      EXPECT_EQ(reply->entries.size(), 1u) << "at " << at.value;
    } else {
      EXPECT_EQ(reply.error().reason(), StatusReason::kExpired);
    }
  }
  stop = true;
  EXPECT_GT(read, 0);
}

SKIFF_ON_EVERY_STORE(CompactionBehaviourTest);

}  // namespace
}  // namespace skiff::testing
