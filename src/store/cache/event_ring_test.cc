#include "store/cache/event_ring.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

EventRef EventAt(int64_t revision, Duration at, size_t bytes = 10) {
  return CachedEvent::Change(
      {revision},
      CacheEntry::Make("a", {revision}, SharedBytes(std::string(bytes, 'x')), object::LabelSet()),
      {}, at);
}

// "2 3 4"
std::string Revisions(const EventRing& ring, uint64_t from, size_t max = 100) {
  std::vector<EventRef> events;
  if (!ring.Read(from, max, events)) return "lost";
  std::string out;
  for (const EventRef& event : events) {
    out += (out.empty() ? "" : " ") + std::to_string(event->revision().value);
  }
  return out;
}

TEST(EventRingTest, FindsTheFirstEventAfterARevision) {
  EventRing ring;
  ring.Reset({1});
  for (const int64_t revision : {3, 3, 5, 8}) ring.Push(EventAt(revision, kSecond));
  EXPECT_EQ(ring.FirstAfter({0}), std::nullopt);
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({1})), "3 3 5 8");
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({2})), "3 3 5 8");
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({3})), "5 8");
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({7})), "8");
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({8})), "");
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({99})), "");
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({1}), 2), "3 3");
}

TEST(EventRingTest, ARevisionThatIsGoneInPartIsGone) {
  EventRing ring({.min_events = 1, .max_events = 2});
  ring.Reset({1});
  for (const int64_t revision : {3, 3, 5}) ring.Push(EventAt(revision, kSecond));
  EXPECT_EQ(ring.FirstAfter({2}), std::nullopt);
  EXPECT_EQ(ring.complete_after(), Revision{3});
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({3})), "5");
}

TEST(EventRingTest, WhoHeardOfARevisionHearsAllOfItAgainWhenItHasSeveralEvents) {
  EventRing ring;
  ring.Reset({1});
  for (const int64_t revision : {3, 3, 5, 8, 8, 8}) ring.Push(EventAt(revision, kSecond));
  EXPECT_EQ(ring.ResumeAfter({0}), std::nullopt);
  EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({1})), "3 3 5 8 8 8");
  EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({3})), "3 3 5 8 8 8");
  EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({4})), "5 8 8 8");
  EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({5})), "8 8 8");
  EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({8})), "8 8 8");
  EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({9})), "");
}

TEST(EventRingTest, NobodyResumesWithinARevisionThatIsGone) {
  for (const size_t kept : {1u, 2u}) {
    EventRing ring({.min_events = 1, .max_events = kept});
    ring.Reset({1});
    for (const int64_t revision : {3, 3, 5}) ring.Push(EventAt(revision, kSecond));
    EXPECT_EQ(ring.ResumeAfter({3}), std::nullopt);
    EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({4})), "5");
  }
  EventRing ring({.min_events = 1, .max_events = 1});
  ring.Reset({1});
  for (const int64_t revision : {3, 5}) ring.Push(EventAt(revision, kSecond));
  EXPECT_EQ(Revisions(ring, *ring.ResumeAfter({3})), "5");
}

TEST(EventRingTest, KeepsWhatIsYoungAndAtLeastAFew) {
  EventRing ring({.min_events = 3, .max_events = 100, .age = 10 * kSecond});
  ring.Reset({1});
  for (int64_t i = 0; i < 20; ++i) ring.Push(EventAt(2 + i, i * kSecond));
  EXPECT_EQ(ring.end() - ring.first(), 11u);
  ring.Push(EventAt(50, 1000 * kSecond));
  EXPECT_EQ(ring.end() - ring.first(), 3u);
}

TEST(EventRingTest, IsBoundedInBytes) {
  EventRing ring({.min_events = 3, .max_events = 100, .max_bytes = 5000});
  ring.Reset({1});
  for (int64_t i = 0; i < 20; ++i) {
    ring.Push(EventAt(2 + i, kSecond, 1000));
    EXPECT_LE(ring.bytes(), 5000u);
  }
  EXPECT_EQ(ring.end() - ring.first(), 4u);
  ring.Push(EventAt(50, kSecond, 1'000'000));
  EXPECT_EQ(ring.end() - ring.first(), 1u) << "the newest stays whatever its size";
}

TEST(EventRingTest, WhoeverStoodBeforeAResetHasLostItsPlace) {
  EventRing ring;
  ring.Reset({1});
  ring.Push(EventAt(2, kSecond));
  const uint64_t old_end = ring.end();
  ring.Reset({9});
  EXPECT_EQ(Revisions(ring, old_end), "lost");
  EXPECT_EQ(ring.FirstAfter({8}), std::nullopt);
  EXPECT_EQ(Revisions(ring, *ring.FirstAfter({9})), "");
}

TEST(EventRingTest, EncodingsGoWhenNobodyReadsTheEvent) {
  EventRing ring;
  ring.Reset({1});
  int made = 0;
  const auto encode = [&](const CachedEvent& event) {
    event.Encoded(EventType::kAdded, EncodingSlot::kJson, [&] {
      ++made;
      return SharedBytes("x");
    });
  };
  EventRef held = EventAt(2, kSecond);
  ring.Push(held);
  ring.Push(EventAt(3, kSecond));
  ring.Push(EventAt(4, 5 * kSecond));
  std::vector<EventRef> events;
  ring.Read(ring.first(), 3, events);
  for (const EventRef& event : events) encode(*event);
  events.clear();
  EXPECT_EQ(made, 3);
  ring.DropEncodings(4 * kSecond);
  ring.Read(ring.first(), 3, events);
  for (const EventRef& event : events) encode(*event);
  EXPECT_EQ(made, 4) << "of the old one that nobody held, but not of the held and the young one";
}

}  // namespace
}  // namespace skiff::store
