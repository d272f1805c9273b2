// Watches of the embedded store.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/embedded/embedded_store.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using Lines = std::vector<std::string>;

class EmbeddedWatchTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }
  std::unique_ptr<Watch> Start(CollectingSink* sink, KeyRange range, int64_t from = 0,
                               bool previous = false) {
    return store_->StartWatch({std::move(range), {from}, previous}, sink);
  }
};

TEST_F(EmbeddedWatchTest, EventsComeBeforeTheAnswerOfTheirCommit) {
  CollectingSink sink;
  const auto watch = Start(&sink, KeyRange::Prefix("a/"));
  Put("a/1", "x");
  EXPECT_EQ(Describe(sink.events()), Lines({"put a/1=x @2"}));
  Put("b/1", "x");
  Put("a/1", "y");
  Delete("a/1");
  EXPECT_EQ(Describe(sink.events()), Lines({"put a/1=x @2", "put a/1=y @4", "delete a/1 @5"}));
  EXPECT_TRUE(sink.events()[0].created());
  EXPECT_FALSE(sink.events()[1].created());
}

TEST_F(EmbeddedWatchTest, AWatchFromThePastIsCaughtUpAndThenLive) {
  for (int i = 0; i < 3000; ++i) Put("k" + std::to_string(i % 7), std::to_string(i));
  CollectingSink sink;
  const auto watch = Start(&sink, KeyRange::All(), 2);
  for (int i = 3000; i < 3200; ++i) Put("k", std::to_string(i));
  const auto events = sink.WaitForEvents(3200);
  ASSERT_EQ(events.size(), 3200u);
  for (size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(events[i].revision().value, static_cast<int64_t>(i) + 2);
    ASSERT_EQ(events[i].entry.value.view(), std::to_string(i));
  }
}

TEST_F(EmbeddedWatchTest, PreviousValuesComeLiveAndFromThePast) {
  Put("a", "1");
  CollectingSink live;
  CollectingSink plain;
  const auto watch = Start(&live, KeyRange::All(), 0, true);
  const auto plain_watch = Start(&plain, KeyRange::All());
  Put("a", "2");
  Put("b", "1");
  Do({DeleteOf("a"), PutOf("b", "2")});
  Put("a", "3");
  const Lines expected = {"put a=2 (1) @3", "put b=1 @4", "delete a (2) @5", "put b=2 (1) @5",
                          "put a=3 @6"};
  EXPECT_EQ(Describe(live.events()), expected);
  EXPECT_FALSE(plain.events()[0].previous);
  CollectingSink late;
  const auto late_watch = Start(&late, KeyRange::All(), 3, true);
  EXPECT_EQ(Describe(late.WaitForEvents(5)), expected);
}

TEST_F(EmbeddedWatchTest, AllEventsOfARevisionComeInOneCall) {
  CollectingSink sink;
  const auto watch = Start(&sink, KeyRange::Prefix("a"));
  Do({PutOf("a1", ""), PutOf("b1", ""), PutOf("a2", ""), PutOf("b2", ""), PutOf("a3", "")});
  ASSERT_EQ(sink.calls().size(), 1u);
  EXPECT_EQ(Describe(sink.calls()[0]), Lines({"put a1= @2", "put a2= @2", "put a3= @2"}));
  CollectingSink late;
  const auto late_watch = Start(&late, KeyRange::Prefix("a"), 1);
  late.WaitForEvents(3);
  ASSERT_EQ(late.calls().size(), 1u);
  EXPECT_EQ(Describe(late.calls()[0]), Describe(sink.calls()[0]));
}

TEST_F(EmbeddedWatchTest, AWatchOfAFutureRevisionWaitsForIt) {
  CollectingSink sink;
  const auto watch = Start(&sink, KeyRange::All(), 4);
  Put("a", "2");
  Put("a", "3");
  Put("a", "4");
  EXPECT_EQ(Describe(sink.events()), Lines({"put a=4 @4"}));
}

TEST_F(EmbeddedWatchTest, ProgressIsNotBelowTheStoreAndAfterItsEvents) {
  for (int i = 0; i < 5000; ++i) Put("a", "x");
  CollectingSink sink;
  const auto watch = Start(&sink, KeyRange::All(), 2);
  watch->RequestProgress();
  EXPECT_GE(sink.WaitForProgress(), 5001);
  EXPECT_EQ(sink.events().size(), 5000u);
  CollectingSink other;
  const auto other_watch = Start(&other, KeyRange::Prefix("b"));
  other_watch->RequestProgress();
  EXPECT_EQ(other.WaitForProgress(), 5001);
}

TEST_F(EmbeddedWatchTest, NothingComesAfterAWatchIsDestroyed) {
  CollectingSink sink;
  auto watch = Start(&sink, KeyRange::All());
  Put("a", "1");
  watch.reset();
  Put("a", "2");
  EXPECT_EQ(sink.events().size(), 1u);
  EXPECT_FALSE(sink.ended());
}

TEST_F(EmbeddedWatchTest, ClosingTheStoreEndsWatchesWhichMayOutliveIt) {
  Put("a", "1");
  CollectingSink live;
  CollectingSink behind;
  const auto watch = Start(&live, KeyRange::All());
  const auto late_watch = Start(&behind, KeyRange::All(), 1);
  store_.reset();
  EXPECT_EQ(live.WaitForEnd().reason(), StatusReason::kServiceUnavailable);
  EXPECT_EQ(behind.WaitForEnd().reason(), StatusReason::kServiceUnavailable);
  watch->RequestProgress();
}

TEST_F(EmbeddedWatchTest, ManyWatchesOfManyRangesEachSeeTheirOwn) {
  std::vector<std::unique_ptr<CollectingSink>> sinks;
  std::vector<std::unique_ptr<Watch>> watches;
  const auto add = [&](KeyRange range) {
    sinks.push_back(std::make_unique<CollectingSink>());
    watches.push_back(Start(sinks.back().get(), std::move(range)));
  };
  for (int i = 0; i < 100; ++i) add(KeyRange::Prefix("p" + std::to_string(i) + "/"));
  add(KeyRange::All());
  add({"p5", ""});
  add(KeyRange::Single("p7/x"));
  for (int i = 0; i < 100; ++i) Put("p" + std::to_string(i) + "/x", "");
  for (size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(sinks[i]->events().size(), 1u) << i;
    EXPECT_EQ(sinks[i]->events()[0].entry.key, "p" + std::to_string(i) + "/x");
  }
  EXPECT_EQ(sinks[100]->events().size(), 100u);
  EXPECT_EQ(sinks[101]->events().size(), 55u);
  EXPECT_EQ(sinks[102]->events().size(), 1u);
}

}  // namespace
}  // namespace skiff::store
