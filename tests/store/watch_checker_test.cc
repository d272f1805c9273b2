// Each fault of a watch is found when it is there, and nothing is found when it is not.
#include "tests/store/watch_checker.h"

#include <gtest/gtest.h>

namespace skiff::testing {
namespace {

store::Event Put(std::string key, std::string_view value, int64_t revision, int64_t create,
                 int64_t version) {
  return {.kind = store::Event::Kind::kPut,
          .entry = {.key = std::move(key),
                    .value = SharedBytes(value),
                    .create_revision = {create},
                    .mod_revision = {revision},
                    .version = version,
                    .lease = {}},
          .previous = std::nullopt};
}

store::Event Deletion(std::string key, int64_t revision) {
  store::Event event = Put(std::move(key), "", revision, 0, 0);
  event.kind = store::Event::Kind::kDelete;
  return event;
}

WatchCall Told(std::vector<store::Event> events, int64_t moment = 1000) {
  return {.kind = WatchCall::Kind::kEvents, .moment = moment, .events = std::move(events)};
}

WatchCall Mark(int64_t revision) {
  return {.kind = WatchCall::Kind::kProgress, .moment = 1000, .progress = {revision}};
}

WatchCall End(StatusReason reason) {
  return {.kind = WatchCall::Kind::kEnd, .moment = 1000, .end = Status(reason, "")};
}

// Written: a=1 at 2, a=2 at 3, b and c together at 4, a deleted at 5, a=3 at 6. Perhaps: d=9.
class WatchCheckerTest : public ::testing::Test {
 protected:
  std::vector<WrittenChange> changes_ = {
      {2, 10, "a", false, "1"},  {3, 20, "a", false, "2"}, {4, 30, "b", false, "4b"},
      {4, 30, "c", false, "4c"}, {5, 40, "a", true, ""},   {6, 50, "a", false, "3"},
      {0, 60, "d", false, "9"},
  };
  std::vector<WatchCall> right_ = {
      Told({Put("a", "1", 2, 2, 1)}),
      Told({Put("a", "2", 3, 2, 2), Put("b", "4b", 4, 4, 1), Put("c", "4c", 4, 4, 1)}),
      Mark(4),
      Told({Deletion("a", 5)}),
      Told({Put("a", "3", 6, 6, 1)}),
      Mark(6)};

  std::vector<WatchFinding> Check(std::vector<WatchCall> calls, bool previous = false) {
    std::vector<WatchLog> logs = {
        {.name = "w",
         .request = {.range = store::KeyRange::All(), .from = {2}, .previous_values = previous},
         .calls = std::move(calls)}};
    return CheckWatches(logs, Truth(changes_, logs, store::Revision{6}));
  }
  // The names of all faults found.
  std::vector<std::string> Faults(std::vector<WatchCall> calls) {
    std::vector<std::string> names;
    for (const WatchFinding& finding : Check(std::move(calls)))
      names.emplace_back(WatchFaultName(finding.fault));
    return names;
  }
  using Names = std::vector<std::string>;
};

TEST_F(WatchCheckerTest, FindsNothingWrongWithAWatchThatToldAll) {
  EXPECT_EQ(Describe(Check(right_)), "");
}

TEST_F(WatchCheckerTest, FindsLostEventsAndDeletions) {
  auto calls = right_;
  calls.erase(calls.begin());
  EXPECT_EQ(Faults(calls), Names{"lost event"});
  calls = right_;
  calls.erase(calls.begin() + 3);
  EXPECT_EQ(Faults(calls), Names{"lost deletion"});
}

TEST_F(WatchCheckerTest, FindsLostEventsOfAWatchThatExpiredOnlyBelowWhatItTold) {
  auto calls = right_;
  calls.resize(2);
  calls.push_back(End(StatusReason::kExpired));
  EXPECT_EQ(Faults(calls), Names{});
  calls[1].events.erase(calls[1].events.begin());
  EXPECT_EQ(Faults(calls), Names{"lost event"});
  calls = right_;
  calls.resize(2);
  calls.push_back(End(StatusReason::kServiceUnavailable));
  EXPECT_EQ(Faults(calls), (Names{"lost deletion", "lost event"}));
}

TEST_F(WatchCheckerTest, FindsDuplicatedEvents) {
  auto calls = right_;
  calls.insert(calls.begin() + 1, calls[0]);
  EXPECT_EQ(Faults(calls), Names{"duplicated event"});
}

TEST_F(WatchCheckerTest, FindsEventsOutOfOrderAndRevisionsTornApart) {
  auto calls = right_;
  std::swap(calls[0], calls[1]);
  EXPECT_EQ(Faults(calls), Names{"out of order"});
  calls = right_;
  store::Event torn = calls[1].events.back();
  calls[1].events.pop_back();
  calls.insert(calls.begin() + 2, Told({torn}));
  EXPECT_EQ(Faults(calls), Names{"split revision"});
}

TEST_F(WatchCheckerTest, FindsProgressAheadOfEventsAndProgressThatGoesBack) {
  auto calls = right_;
  calls[2] = Mark(5);
  EXPECT_EQ(Faults(calls), Names{"progress ahead of events"});
  calls = right_;
  calls.push_back(Mark(5));
  EXPECT_EQ(Faults(calls), Names{"progress going back"});
}

TEST_F(WatchCheckerTest, FindsEventsFromTheFutureThePastAndNowhere) {
  auto calls = right_;
  calls[4].moment = 49;
  EXPECT_EQ(Faults(calls), Names{"event from the future"});
  calls = right_;
  calls.push_back(Told({Put("a", "4", 7, 6, 2)}));
  EXPECT_EQ(Faults(calls), Names{"event from the future"});
  calls = right_;
  calls.insert(calls.begin(), Told({Put("z", "0", 1, 1, 1)}));
  EXPECT_EQ(Faults(calls), (Names{"before the start", "invented event"}));
}

TEST_F(WatchCheckerTest, FindsWrongContent) {
  auto calls = right_;
  calls[0].events[0].entry.value = SharedBytes("other");
  EXPECT_EQ(Faults(calls), Names{"wrong content"});
  calls = right_;
  calls[0].events[0].entry.version = 2;
  EXPECT_EQ(Faults(calls), Names{"wrong content"});
}

TEST_F(WatchCheckerTest, FindsWrongPreviousValues) {
  auto calls = right_;
  calls[1].events[0].previous = calls[0].events[0].entry;
  calls[3].events[0].previous = calls[1].events[0].entry;
  EXPECT_EQ(Describe(Check(calls, true)), "");
  calls[3].events[0].previous = calls[0].events[0].entry;
  EXPECT_TRUE(Has(Check(calls, true), WatchFault::kWrongPrevious));
  calls[3].events[0].previous.reset();
  EXPECT_TRUE(Has(Check(calls, true), WatchFault::kWrongPrevious));
}

TEST_F(WatchCheckerTest, FindsCallsAfterTheEnd) {
  auto calls = right_;
  calls.push_back(End(StatusReason::kExpired));
  calls.push_back(Mark(6));
  EXPECT_EQ(Faults(calls), Names{"call after the end"});
}

TEST_F(WatchCheckerTest, AWriteOfUnknownOutcomeMayBeSeenOrNotButByAllOrNone) {
  changes_[5].revision = 0;
  auto without = right_;
  without.erase(without.begin() + 4);
  EXPECT_EQ(Faults(right_), Names{});
  EXPECT_EQ(Faults(without), Names{});
  std::vector<WatchLog> logs = {
      {.name = "sees", .request = {.range = store::KeyRange::All(), .from = {2}}, .calls = right_},
      {.name = "does not",
       .request = {.range = store::KeyRange::All(), .from = {2}},
       .calls = without}};
  auto findings = CheckWatches(logs, Truth(changes_, logs, store::Revision{6}));
  ASSERT_EQ(findings.size(), 1U) << Describe(findings);
  EXPECT_EQ(findings[0].fault, WatchFault::kLostEvent);
}

}  // namespace
}  // namespace skiff::testing
