#include "client/event_correlator.h"

#include <gtest/gtest.h>

namespace skiff::client {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

EventDraft Draft(std::string message, std::string object = "web") {
  EventDraft event;
  event.name = object + ".1";
  event.about = {.kind = "Pod", .api_version = "v1", .name_space = "default", .name = object};
  event.component = "test";
  event.type = "Warning";
  event.reason = "Failed";
  event.message = std::move(message);
  event.first = event.last = object::MakeTimestamp(100, 0);
  return event;
}

class EventCorrelatorTest : public testing::Test {
 protected:
  bool Pass(EventDraft& event) { return correlator_.Correlate(event, "fresh", now_); }

  EventCorrelator correlator_;
  Duration now_ = seconds(1);
};

TEST_F(EventCorrelatorTest, TheSameAgainIsCountedUnderTheFirstName) {
  EventDraft first = Draft("no room");
  ASSERT_TRUE(Pass(first));
  EXPECT_EQ(first.count, 1);
  EventDraft second = Draft("no room");
  second.name = "web.2";
  second.first = second.last = object::MakeTimestamp(200, 0);
  ASSERT_TRUE(Pass(second));
  EXPECT_EQ(second.count, 2);
  EXPECT_EQ(second.name, "web.1");
  EXPECT_EQ(second.first, object::MakeTimestamp(100, 0));
  EXPECT_EQ(second.last, object::MakeTimestamp(200, 0));
}

TEST_F(EventCorrelatorTest, EventsThatDifferInAnythingAreApart) {
  for (int i = 0; i < 5; ++i) {
    EventDraft event = Draft("no room");
    if (i == 1) event.reason = "Other";
    if (i == 2) event.type = "Normal";
    if (i == 3) event.about.uid = "u";
    if (i == 4) event.component = "another";
    ASSERT_TRUE(Pass(event));
    EXPECT_EQ(event.count, 1) << i;
  }
}

TEST_F(EventCorrelatorTest, FromTheTenthOfAKindThereIsOneForAll) {
  for (int i = 1; i <= 9; ++i) {
    EventDraft event = Draft("attempt " + std::to_string(i));
    ASSERT_TRUE(Pass(event));
    EXPECT_EQ(event.message, "attempt " + std::to_string(i));
  }
  for (int i = 10; i <= 14; ++i) {
    EventDraft event = Draft("attempt " + std::to_string(i));
    ASSERT_TRUE(Pass(event));
    EXPECT_EQ(event.name, "fresh");
    EXPECT_EQ(event.message, "(combined from similar events): attempt " + std::to_string(i));
    EXPECT_EQ(event.count, i - 9);
  }
}

TEST_F(EventCorrelatorTest, AfterTenQuietMinutesAKindBeginsAnew) {
  for (int i = 1; i <= 9; ++i) {
    EventDraft event = Draft("attempt " + std::to_string(i));
    ASSERT_TRUE(Pass(event));
  }
  now_ += minutes(10) + seconds(1);
  EventDraft event = Draft("attempt 10");
  ASSERT_TRUE(Pass(event));
  EXPECT_EQ(event.message, "attempt 10");
}

TEST_F(EventCorrelatorTest, TheSameMessageDoesNotMakeAKindLarger) {
  for (int i = 1; i <= 20; ++i) {
    EventDraft event = Draft("again");
    ASSERT_TRUE(Pass(event));
    EXPECT_EQ(event.message, "again");
    EXPECT_EQ(event.count, i);
  }
}

TEST_F(EventCorrelatorTest, AnObjectGetsTwentyFiveAndThenOneInFiveMinutes) {
  int passed = 0;
  for (int i = 0; i < 100; ++i) {
    EventDraft event = Draft("again");
    passed += Pass(event) ? 1 : 0;
  }
  EXPECT_EQ(passed, 25);
  EventDraft other = Draft("again", "db");
  EXPECT_TRUE(Pass(other)) << "another object has its own";
  now_ += minutes(5) + seconds(1);
  EventDraft event = Draft("again");
  EXPECT_TRUE(Pass(event));
  EXPECT_EQ(event.count, 101) << "what was dropped counts";
  event = Draft("again");
  EXPECT_FALSE(Pass(event));
  now_ += minutes(60 * 24);
  passed = 0;
  for (int i = 0; i < 100; ++i) {
    event = Draft("again");
    passed += Pass(event) ? 1 : 0;
  }
  EXPECT_EQ(passed, 25);
}

TEST_F(EventCorrelatorTest, WarningsAndWhatIsNormalHaveAllowancesOfTheirOwn) {
  for (int i = 0; i < 25; ++i) {
    EventDraft event = Draft("started");
    event.type = "Normal";
    ASSERT_TRUE(Pass(event)) << i;
  }
  EventDraft more = Draft("started");
  more.type = "Normal";
  EXPECT_FALSE(Pass(more));
  EventDraft warning = Draft("no room");
  EXPECT_TRUE(Pass(warning));
}

TEST_F(EventCorrelatorTest, TheOldestAreForgottenWhenThereAreTooMany) {
  EventDraft event = Draft("no room", "first");
  ASSERT_TRUE(Pass(event));
  for (size_t i = 0; i < limits::kMaxRememberedEvents; ++i) {
    event = Draft("no room", "pod-" + std::to_string(i));
    ASSERT_TRUE(Pass(event));
  }
  event = Draft("no room", "first");
  ASSERT_TRUE(Pass(event));
  EXPECT_EQ(event.count, 1);
  event = Draft("no room", "pod-" + std::to_string(limits::kMaxRememberedEvents - 1));
  ASSERT_TRUE(Pass(event));
  EXPECT_EQ(event.count, 2);
}

TEST(LruMapTest, ForgetsWhatWasNotUsedForLongest) {
  LruMap<int> map(2);
  map["a"] = 1;
  map["b"] = 2;
  EXPECT_NE(map.Find("a"), nullptr);
  map["c"] = 3;
  EXPECT_EQ(map.Find("b"), nullptr);
  EXPECT_EQ(map["a"], 1);
  EXPECT_EQ(map.size(), 2u);
}

}  // namespace
}  // namespace skiff::client
