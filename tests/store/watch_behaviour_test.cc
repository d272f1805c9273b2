// Watches: where they begin, what they tell, how they end.
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/thread.h"
#include "tests/store/store_fixture.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

using Told = std::vector<std::string>;

class WatchBehaviourTest : public StoreFixture {
 protected:
  store::Revision Next() { return {Current().value + 1}; }

  // Waits for that many events and expects them to be these and no more.
  void ExpectTold(RecordingSink& sink, const std::vector<std::string>& expected) {
    EXPECT_TRUE(sink.WaitForEvents(expected.size()));
    EXPECT_EQ(StoreFixture::Told(sink.events()), expected);
    EXPECT_EQ(sink.fault(), "");
    EXPECT_FALSE(sink.end()) << sink.end()->ToString();
  }
};

TEST_P(WatchBehaviourTest, WithoutARevisionBeginsWithTheNext) {
  Put("a", "before");
  RecordingSink sink;
  const auto watch = StartWatch(sink, All());
  Put("a", "1");
  Put("b", "2");
  ExpectTold(sink, {"+a=1", "+b=2"});
}

TEST_P(WatchBehaviourTest, WithoutARevisionSeesEveryCommitThatFollows) {
  for (int i = 0; i < 50; ++i) {
    RecordingSink sink;
    const auto watch = StartWatch(sink, All());
    Put("a", Text(i));
    ExpectTold(sink, {Text("+a=", i)});
  }
}

TEST_P(WatchBehaviourTest, FromAPastRevisionTellsWhatHappenedSince) {
  Put("a", "0");
  const store::Revision from = Put("a", "1");
  Put("b", "1");
  Delete("a");
  Put("a", "2");
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), from);
  ExpectTold(sink, {"+a=1", "+b=1", "-a", "+a=2"});
  // And goes on with what happens now.
  Put("c", "3");
  Delete("b");
  ExpectTold(sink, {"+a=1", "+b=1", "-a", "+a=2", "+c=3", "-b"});
}

TEST_P(WatchBehaviourTest, FromTheNextRevisionTellsNothingOld) {
  Put("a", "0");
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), Next());
  Put("a", "1");
  ExpectTold(sink, {"+a=1"});
}

TEST_P(WatchBehaviourTest, FromAFutureRevisionWaitsForIt) {
  if (!kind().fresh) GTEST_SKIP() << "revisions are not the test's own";
  const store::Revision from{Current().value + 3};
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), from);
  for (int i = 1; i <= 5; ++i) Put("a", Text(i));
  ExpectTold(sink, {"+a=3", "+a=4", "+a=5"});
}

TEST_P(WatchBehaviourTest, EventsCarryTheWholeEntry) {
  const store::LeaseInfo lease = Grant(std::chrono::seconds(600));
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), Next());
  const store::Revision created = Put("a", "1");
  const store::Revision changed = Put("a", "2", lease.id);
  const store::Revision deleted = Delete("a");
  ASSERT_TRUE(sink.WaitForEvents(3));
  const std::vector<store::Event> events = sink.events();
  EXPECT_TRUE(events[0].created());
  EXPECT_EQ(events[0].entry,
            (store::KeyValue{Key("a"), SharedBytes("1"), created, created, 1, store::LeaseId()}));
  EXPECT_FALSE(events[1].created());
  EXPECT_EQ(events[1].entry,
            (store::KeyValue{Key("a"), SharedBytes("2"), created, changed, 2, lease.id}));
  EXPECT_EQ(events[2].kind, store::Event::Kind::kDelete);
  EXPECT_FALSE(events[2].created());
  EXPECT_EQ(events[2].entry.key, Key("a"));
  EXPECT_EQ(events[2].revision(), deleted);
  EXPECT_TRUE(events[2].entry.value.empty());
  for (const store::Event& event : events) EXPECT_FALSE(event.previous);
  EXPECT_TRUE(RevokeAndWait(store(), lease.id));
}

TEST_P(WatchBehaviourTest, PreviousValuesComeWhenAskedFor) {
  const store::Revision next = Next();
  RecordingSink live;
  const auto live_watch = StartWatch(live, All(), next, true);
  Put("a", "1");
  const std::optional<store::KeyValue> first = Get("a");
  Put("a", "2");
  const std::optional<store::KeyValue> second = Get("a");
  Delete("a");
  Put("a", "3");
  RecordingSink late;
  const auto late_watch = StartWatch(late, All(), next, true);
  for (RecordingSink* sink : {&live, &late}) {
    ASSERT_TRUE(sink->WaitForEvents(4));
    const std::vector<store::Event> events = sink->events();
    EXPECT_FALSE(events[0].previous);
    EXPECT_EQ(events[1].previous, first);
    EXPECT_EQ(events[2].previous, second);
    EXPECT_FALSE(events[3].previous) << "the key was absent before";
  }
}

TEST_P(WatchBehaviourTest, PreviousValuesOfOneTransactionAreOfTheStateBeforeIt) {
  MustCommit({{}, {PutOf(Key("a"), "a1"), PutOf(Key("b"), "b1")}});
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), Next(), true);
  MustCommit({{}, {PutOf(Key("a"), "a2"), DeleteOf(Key("b")), PutOf(Key("c"), "c2")}});
  ASSERT_TRUE(sink.WaitForEvents(3));
  std::map<std::string, std::string> previous;
  for (const store::Event& event : sink.events())
    previous[event.entry.key] = event.previous ? std::string(event.previous->value.view()) : "-";
  EXPECT_EQ(previous, (std::map<std::string, std::string>{
                          {Key("a"), "a1"}, {Key("b"), "b1"}, {Key("c"), "-"}}));
}

TEST_P(WatchBehaviourTest, OnlyKeysOfTheRangeAreTold) {
  const store::Revision next = Next();
  RecordingSink prefix, single, part;
  const auto prefix_watch = StartWatch(prefix, store::KeyRange::Prefix(Key("pods/")), next);
  const auto single_watch = StartWatch(single, store::KeyRange::Single(Key("pods/b")), next);
  const auto part_watch = StartWatch(part, {Key("pods/b"), Key("pods/c")}, next);
  for (const char* name : {"pods", "pods/a", "pods/b", "pods/b2", "pods/c", "pods0"}) Put(name, "");
  Delete("pods/b");
  ExpectTold(prefix, {"+pods/a=", "+pods/b=", "+pods/b2=", "+pods/c=", "-pods/b"});
  ExpectTold(single, {"+pods/b=", "-pods/b"});
  ExpectTold(part, {"+pods/b=", "+pods/b2=", "-pods/b"});
}

TEST_P(WatchBehaviourTest, OnlyThoseKeysOfATransactionThatAreInTheRangeAreTold) {
  const store::Revision next = Next();
  const store::Transaction transaction{
      {}, {PutOf(Key("in/a"), "1"), PutOf(Key("out/a"), "1"), PutOf(Key("in/b"), "1")}};
  RecordingSink live;
  const auto live_watch = StartWatch(live, store::KeyRange::Prefix(Key("in/")), next);
  MustCommit(transaction);
  RecordingSink late;
  const auto late_watch = StartWatch(late, store::KeyRange::Prefix(Key("in/")), next);
  for (RecordingSink* sink : {&live, &late}) {
    ExpectTold(*sink, {"+in/a=1", "+in/b=1"});
    EXPECT_EQ(sink->events_per_call(), std::vector<size_t>{2});
  }
}

TEST_P(WatchBehaviourTest, AllEventsOfARevisionComeInOneCall) {
  constexpr size_t kWrites = 100;
  const store::Revision next = Next();
  RecordingSink live;
  const auto live_watch = StartWatch(live, All(), next);
  const std::string value(10'000, 'x');
  for (int round = 0; round < 3; ++round) {
    store::Transaction transaction;
    for (size_t i = 0; i < kWrites; ++i)
      transaction.writes.push_back(PutOf(Key(Text(i)), Text(round, value)));
    MustCommit(transaction);
  }
  RecordingSink late;
  const auto late_watch = StartWatch(late, All(), next);
  for (RecordingSink* sink : {&live, &late}) {
    ASSERT_TRUE(sink->WaitForEvents(3 * kWrites));
    EXPECT_EQ(sink->fault(), "");  // which sees a revision that is spread over calls
    for (const size_t in_call : sink->events_per_call()) EXPECT_EQ(in_call % kWrites, 0u);
  }
}

TEST_P(WatchBehaviourTest, TransactionsThatChangeNothingAreNotTold) {
  const store::Revision a = Put("a", "1");
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), Next());
  Commit({{}, {DeleteOf(Key("absent"))}});
  Commit(store::Transaction::CreateIfAbsent(Key("a"), SharedBytes("2")));
  Commit({{{Key("a"), a}}, {}});
  Put("a", "3");
  ExpectTold(sink, {"+a=3"});
}

TEST_P(WatchBehaviourTest, EventsAreToldBeforeTheCommitIsAnswered) {
  if (!kind().events_before_answers) GTEST_SKIP() << "events and answers travel apart";
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), Next());
  for (int i = 0; i < 200; ++i) {
    const store::Revision revision = Put("a", Text(i));
    const std::vector<store::Event> events = sink.events();
    ASSERT_EQ(events.size(), static_cast<size_t>(i + 1));
    EXPECT_EQ(events.back().revision(), revision);
  }
}

TEST_P(WatchBehaviourTest, WhoeverIsToldOfARevisionCanReadIt) {
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), Next());
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    for (int i = 0; !stop; ++i) Put("a", Text(i));
  });
  for (size_t i = 1; i <= 100; ++i) {
    ASSERT_TRUE(sink.WaitForEvents(i));
    const store::Event told = sink.events().back();
    const auto then = store::RangeAndWait(store(), {.range = All(), .at = told.revision()});
    ASSERT_TRUE(then) << then.error().ToString();
    EXPECT_EQ(then->entries.at(0), told.entry);
    const auto newest = store::RangeAndWait(store(), {.range = All()});
    ASSERT_TRUE(newest);
    EXPECT_GE(newest->entries.at(0).mod_revision, told.revision());
  }
  stop = true;
}

TEST_P(WatchBehaviourTest, ManyWatchesSeeTheSame) {
  constexpr int kWatches = 200;
  const store::Revision next = Next();
  std::vector<std::unique_ptr<RecordingSink>> sinks;
  std::vector<std::unique_ptr<store::Watch>> watches;
  for (int i = 0; i < kWatches; ++i) {
    sinks.push_back(std::make_unique<RecordingSink>());
    watches.push_back(StartWatch(*sinks.back(), All(), next));
  }
  for (int i = 0; i < 5; ++i) Put("a", Text(i));
  for (const auto& sink : sinks) ExpectTold(*sink, {"+a=0", "+a=1", "+a=2", "+a=3", "+a=4"});
}

TEST_P(WatchBehaviourTest, BegunAnywhereUnderLoadHasNoGapAndNoRepetition) {
  constexpr int kWriters = 4;
  constexpr int kWrites = 150;
  const store::Revision first = Next();
  std::vector<std::unique_ptr<Thread>> writers;
  std::atomic<int64_t> newest = first.value;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(std::make_unique<Thread>("writer", [&, writer] {
      for (int i = 0; i < kWrites; ++i) {
        const store::Revision revision = Put(Text(writer, "/", i % 10), Text(i));
        int64_t seen = newest;
        while (seen < revision.value && !newest.compare_exchange_weak(seen, revision.value)) {
        }
      }
    }));
  }
  SeededRandom random(7);
  std::vector<std::unique_ptr<RecordingSink>> sinks;
  std::vector<std::unique_ptr<store::Watch>> watches;
  std::vector<store::Revision> begun;
  for (int i = 0; i < 30; ++i) {
    begun.push_back({first.value + static_cast<int64_t>(random.Uniform(newest - first.value + 1))});
    sinks.push_back(std::make_unique<RecordingSink>());
    watches.push_back(StartWatch(*sinks.back(), All(), begun.back()));
    Put("between", Text(i));
  }
  writers.clear();
  const store::Revision last = Put("end", "");
  RecordingSink everything;
  const auto whole = StartWatch(everything, All(), first);
  ASSERT_TRUE(everything.WaitForRevision(last));
  const std::vector<store::Event> expected = everything.events();
  ASSERT_EQ(expected.size(), static_cast<size_t>(kWriters * kWrites + 31));
  for (size_t i = 0; i < sinks.size(); ++i) {
    ASSERT_TRUE(sinks[i]->WaitForRevision(last)) << "begun at " << begun[i].value;
    EXPECT_EQ(sinks[i]->fault(), "");
    const auto from = std::ranges::find_if(
        expected, [&](const store::Event& event) { return event.revision() >= begun[i]; });
    EXPECT_EQ(StoreFixture::Told(sinks[i]->events()), StoreFixture::Told({from, expected.end()}));
  }
}

TEST_P(WatchBehaviourTest, NothingIsToldAfterTheWatchIsDestroyed) {
  RecordingSink sink;
  auto watch = StartWatch(sink, All(), Next());
  Put("a", "1");
  ASSERT_TRUE(sink.WaitForEvents(1));
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    while (!stop) Put("a", "2");
  });
  ASSERT_TRUE(sink.WaitForEvents(5));
  watch.reset();
  const size_t told = sink.events().size();
  RecordingSink other;
  auto other_watch = StartWatch(other, All(), Next());
  EXPECT_TRUE(other.WaitForEvents(5));
  stop = true;
  writer.Join();
  EXPECT_EQ(sink.events().size(), told);
  EXPECT_FALSE(sink.end());
}

TEST_P(WatchBehaviourTest, WatchesMayComeAndGoUnderLoad) {
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    for (int i = 0; !stop; ++i) Put(Text(i % 5), Text(i));
  });
  const store::Revision first = Next();
  for (int i = 0; i < 100; ++i) {
    RecordingSink sink;
    const auto watch = StartWatch(sink, All(), i % 2 == 0 ? first : store::Revision());
    if (i % 3 == 0) {
      EXPECT_TRUE(sink.WaitForEvents(1));
    }
    if (i % 5 == 0) watch->RequestProgress();
    EXPECT_EQ(sink.fault(), "");
  }
  stop = true;
}

TEST_P(WatchBehaviourTest, ProgressComesOnRequest) {
  if (!store().HasReliableProgress()) GTEST_SKIP() << "this server's progress cannot be believed";
  RecordingSink sink, elsewhere;
  const auto watch = StartWatch(sink, All(), Next());
  const auto other = StartWatch(elsewhere, store::KeyRange::Prefix(Key("none/")), Next());
  for (int i = 0; i < 5; ++i) {
    const store::Revision revision = Put("a", Text(i));
    watch->RequestProgress();
    other->RequestProgress();
    ASSERT_TRUE(sink.WaitForProgress(revision));
    EXPECT_EQ(sink.events().size(), static_cast<size_t>(i + 1)) << "progress ahead of its events";
    // A watch that has nothing to tell gets on as well.
    ASSERT_TRUE(elsewhere.WaitForProgress(revision));
  }
  EXPECT_EQ(sink.fault(), "");
  EXPECT_TRUE(elsewhere.events().empty());
}

TEST_P(WatchBehaviourTest, ProgressIsNeverAheadOfEvents) {
  if (!store().HasReliableProgress()) GTEST_SKIP() << "this server's progress cannot be believed";
  const store::Revision first = Next();
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    for (int i = 0; !stop; ++i) Put(Text(i % 5), Text(i));
  });
  for (int i = 0; i < 20; ++i) {
    RecordingSink sink;
    const auto watch = StartWatch(sink, All(), first);
    const store::Revision now = Current();
    watch->RequestProgress();
    ASSERT_TRUE(sink.WaitForProgress(now));
    EXPECT_EQ(sink.fault(), "");  // which sees an event at or below a progress mark
    EXPECT_GE(sink.events().size(), static_cast<size_t>(now.value - first.value + 1));
  }
  stop = true;
}

TEST_P(WatchBehaviourTest, UnreliableProgressIsNotPassedOn) {
  if (store().HasReliableProgress()) GTEST_SKIP() << "progress can be believed";
  RecordingSink sink;
  const auto watch = StartWatch(sink, All(), Next());
  watch->RequestProgress();
  Put("a", "1");
  ASSERT_TRUE(sink.WaitForEvents(1));
  EXPECT_FALSE(sink.progress());
}

TEST_P(WatchBehaviourTest, EndsWhenTheStoreCloses) {
  RecordingSink live, late, future;
  const store::Revision next = Next();
  auto live_watch = StartWatch(live, All(), next);
  Put("a", "1");
  ASSERT_TRUE(live.WaitForEvents(1));
  auto late_watch = StartWatch(late, All(), next);
  auto future_watch = StartWatch(future, All(), store::Revision{next.value + 1'000'000});
  under_test().Close();
  for (RecordingSink* sink : {&live, &late, &future}) {
    ASSERT_TRUE(sink->WaitForEnd());
    EXPECT_EQ(sink->end()->reason(), StatusReason::kServiceUnavailable);
    EXPECT_EQ(sink->fault(), "");
  }
  ASSERT_TRUE(under_test().Open());
}

SKIFF_ON_EVERY_STORE(WatchBehaviourTest);

}  // namespace
}  // namespace skiff::testing
