// Watches on the cache.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/cache/testing.h"

namespace skiff::store {
namespace {

class CacheWatchTest : public CacheTestBase {
 protected:
  CacheWatchRequest Initial(std::string resource_version, bool bookmarks = true) {
    CacheWatchRequest request;
    request.resource_version = std::move(resource_version);
    request.resource_version_match = "NotOlderThan";
    request.send_initial_events = true;
    request.allow_bookmarks = bookmarks;
    return request;
  }
};

TEST_F(CacheWatchTest, TellsWhatHappensAfterItsRevision) {
  Put("ns/a");
  Start();
  Put("ns/b");
  Put("ns/a");
  Delete("ns/b");
  WatchClient client;
  ASSERT_EQ(WatchFrom(3, client), "");
  EXPECT_EQ(client.Drain(), "MODIFIED ns/a@4 DELETED ns/b@5");
  Put("ns/c");
  EXPECT_EQ(client.Drain(), "ADDED ns/c@6");
}

TEST_F(CacheWatchTest, UnsetAndZeroBeginWithTheState) {
  Put("ns/a");
  Put("ns/b");
  Start();
  for (const char* version : {"", "0"}) {
    WatchClient client;
    CacheWatchRequest request;
    request.resource_version = version;
    request.allow_bookmarks = true;
    ASSERT_EQ(Watch(std::move(request), client), "");
    EXPECT_EQ(client.Drain(), "ADDED ns/a@2 ADDED ns/b@3") << "without a bookmark at the end";
  }
}

TEST_F(CacheWatchTest, InitialEventsEndWithABookmark) {
  Put("ns/a");
  Start();
  PutOther();
  WatchClient client;
  ASSERT_EQ(Watch(Initial(""), client), "");
  Put("ns/b");
  EXPECT_EQ(client.Drain(), "ADDED ns/a@2 BOOKMARK(initial end)@3 ADDED ns/b@4");
  WatchClient without;
  ASSERT_EQ(Watch(Initial("", false), without), "");
  EXPECT_EQ(without.Drain(), "ADDED ns/a@2 ADDED ns/b@4");
}

TEST_F(CacheWatchTest, InitialEventsAreAsFreshAsAskedFor) {
  Put("ns/a");
  Start();
  store_.hold_events = true;
  Put("ns/a");
  WatchClient any;
  ASSERT_EQ(Watch(Initial("0"), any), "");
  EXPECT_EQ(any.Drain(), "ADDED ns/a@2 BOOKMARK(initial end)@2");
  WatchClient fresh;
  std::string error = "waits";
  CacheWatchRequest request = Initial("3");
  request.wake = fresh.WakeUp();
  cache_->Watch(std::move(request), [&](Result<std::unique_ptr<Watcher>> watcher) {
    error = watcher ? "" : ErrorText(watcher.error());
    if (watcher) fresh.watcher = std::move(*watcher);
  });
  EXPECT_EQ(error, "waits");
  store_.Deliver();
  EXPECT_EQ(error, "");
  EXPECT_EQ(fresh.Drain(), "ADDED ns/a@3 BOOKMARK(initial end)@3");
  EXPECT_EQ(any.Drain(), "MODIFIED ns/a@3");

  error = "waits";
  cache_->Watch(Initial("9"), [&](Result<std::unique_ptr<Watcher>> watcher) {
    error = watcher ? "" : ErrorText(watcher.error());
  });
  Pass(std::chrono::milliseconds(3100));
  EXPECT_EQ(error, "504 Timeout: Too large resource version: 9, current: 3");
}

TEST_F(CacheWatchTest, WithoutInitialEventsItBeginsNow) {
  Put("ns/a");
  Start();
  for (const char* version : {"", "0", "2"}) {
    WatchClient client;
    CacheWatchRequest request = Initial(version);
    request.send_initial_events = false;
    ASSERT_EQ(Watch(std::move(request), client), "");
    EXPECT_EQ(client.Drain(), "") << version;
  }
}

TEST_F(CacheWatchTest, AWatchOfTheFutureIsSilentUntilThen) {
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(3, client), "");
  Put("ns/a");
  Put("ns/b");
  EXPECT_EQ(client.Drain(), "");
  Put("ns/c");
  EXPECT_EQ(client.Drain(), "ADDED ns/c@4");
}

// It may have been cut off between the two.
TEST_F(CacheWatchTest, WhoGoesOnAfterATransactionHearsOfAllOfItAgain) {
  Start();
  Put("ns/a");
  const std::string prefix(kPodsPrefix);
  store_.Write({{prefix + "ns/b", SharedBytes(PodBytes("ns/b"))},
                {prefix + "ns/c", SharedBytes(PodBytes("ns/c"))}});
  Put("ns/d");
  WatchClient client;
  ASSERT_EQ(WatchFrom(3, client), "");
  EXPECT_EQ(client.Drain(), "ADDED ns/b@3 ADDED ns/c@3 ADDED ns/d@4");
  WatchClient after_one;
  ASSERT_EQ(WatchFrom(2, after_one), "");
  EXPECT_EQ(after_one.Drain(), "ADDED ns/b@3 ADDED ns/c@3 ADDED ns/d@4") << "but not ns/a";
  WatchClient up_to_date;
  ASSERT_EQ(WatchFrom(4, up_to_date), "");
  EXPECT_EQ(up_to_date.Drain(), "");
}

// The server may have ended between the two.
TEST_F(CacheWatchTest, WhoGoesOnAfterTheTransactionThatWasLoadedLastHearsOfAllOfIt) {
  Put("ns/a");
  const std::string prefix(kPodsPrefix);
  store_.Write({{prefix + "ns/b", SharedBytes(PodBytes("ns/b"))},
                {prefix + "ns/c", SharedBytes(PodBytes("ns/c"))}});
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(3, client), "");
  EXPECT_EQ(client.Drain(), "MODIFIED ns/b@3 MODIFIED ns/c@3");
  WatchClient anew;
  ASSERT_EQ(Watch(Initial("3"), anew), "");
  EXPECT_EQ(anew.Drain(), "ADDED ns/a@2 ADDED ns/b@3 ADDED ns/c@3 BOOKMARK(initial end)@3");
  WatchClient before;
  EXPECT_EQ(WatchFrom(2, before), "410 too old resource version: 2 (3)");
  Put("ns/d");
  EXPECT_EQ(client.Drain(), "ADDED ns/d@4");
}

TEST_F(CacheWatchTest, AWatchFromWhatTheRingHasLostIsTooOld) {
  CacheOptions options = Options();
  options.ring.min_events = 2;
  options.ring.max_events = 2;
  Start(std::move(options));
  for (int i = 0; i < 4; ++i) Put("ns/a");  // 2 to 5; 4 and 5 are kept
  WatchClient client;
  EXPECT_EQ(WatchFrom(1, client), "410 too old resource version: 1 (3)");
  EXPECT_EQ(WatchFrom(2, client), "410 too old resource version: 2 (3)");
  ASSERT_EQ(WatchFrom(3, client), "");
  EXPECT_EQ(client.Drain(), "MODIFIED ns/a@4 MODIFIED ns/a@5");
}

TEST_F(CacheWatchTest, AWatchCanResumeAtTheRevisionThatWasLoaded) {
  Put("ns/a");
  Put("ns/b");
  Start();
  WatchClient client;
  EXPECT_EQ(WatchFrom(2, client), "410 too old resource version: 2 (3)");
  EXPECT_EQ(WatchFrom(3, client), "");
}

// --- selectors

TEST_F(CacheWatchTest, ASelectorSeesObjectsComeAndGo) {
  Start();
  WatchClient client;
  CacheWatchRequest request;
  request.resource_version = "1";
  request.selection = Labels("app=web");
  ASSERT_EQ(Watch(std::move(request), client), "");
  EXPECT_EQ(client.Drain(), "");
  Put("ns/a", "app=web");
  Put("ns/a", "app=web,x=y");
  Put("ns/a", "app=db");
  Put("ns/a", "app=db,x=y");
  Put("ns/a", "app=web");
  Delete("ns/a");
  EXPECT_EQ(client.Drain(),
            "ADDED ns/a@2 MODIFIED ns/a@3 DELETED ns/a@4 ADDED ns/a@6 DELETED ns/a@7");
}

TEST_F(CacheWatchTest, WhatLeavesTheSelectionIsShownAsItWas) {
  Start();
  WatchClient client;
  CacheWatchRequest request;
  request.resource_version = "1";
  request.selection = Labels("app=web");
  ASSERT_EQ(Watch(std::move(request), client), "");
  client.Drain();
  Put("ns/a", "app=web");
  Put("ns/a", "app=db");
  std::vector<WatchItem> items;
  client.watcher->Take(10, items);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[1].type, EventType::kDeleted);
  EXPECT_EQ(items[1].event->revision().value, 3);
  EXPECT_EQ(items[1].event->Object(EventType::kDeleted)->value().view(),
            PodBytes("ns/a", "app=web"));
}

TEST_F(CacheWatchTest, EachScopeFindsItsOwnInTheRing) {
  struct Case {
    std::string_view name_space;
    std::string_view fields;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {"", "", "ADDED ns/a@2 ADDED ns/b@3 ADDED other/a@4 MODIFIED ns/a@5 DELETED ns/b@6"},
      {"ns", "", "ADDED ns/a@2 ADDED ns/b@3 MODIFIED ns/a@5 DELETED ns/b@6"},
      {"other", "", "ADDED other/a@4"},
      {"none", "", ""},
      {"ns", "metadata.name=a", "ADDED ns/a@2 MODIFIED ns/a@5"},
      {"", "metadata.name=a", "ADDED ns/a@2 ADDED other/a@4 MODIFIED ns/a@5"},
      {"", "metadata.namespace=other", "ADDED other/a@4"},
      {"", "spec.nodeName=node-1", "ADDED ns/a@2 ADDED other/a@4 DELETED ns/a@5"},
      {"", "spec.nodeName=node-2", "ADDED ns/b@3 ADDED ns/a@5 DELETED ns/b@6"},
      {"ns", "spec.nodeName=node-1", "ADDED ns/a@2 DELETED ns/a@5"},
      {"", "spec.nodeName!=node-1", "ADDED ns/b@3 ADDED ns/a@5 DELETED ns/b@6"},
      {"ns", "metadata.namespace=other", ""},
  };
  Start();
  Put("ns/a", "", "node-1");
  Put("ns/b", "", "node-2");
  Put("other/a", "", "node-1");
  Put("ns/a", "", "node-2");
  Delete("ns/b");
  for (const Case& c : kCases) {
    CacheWatchRequest request;
    request.resource_version = "1";
    request.selection.name_space = c.name_space;
    request.selection.fields = object::FieldSelector::Parse(c.fields).value();
    WatchClient client;
    ASSERT_EQ(Watch(std::move(request), client), "");
    EXPECT_EQ(client.Drain(), c.expected) << c.name_space << " " << c.fields;
  }
}

TEST_F(CacheWatchTest, LiveScopesSeeTheirOwn) {
  Start();
  std::map<std::string, WatchClient> clients;
  const auto add = [&](const std::string& name, std::string name_space, std::string_view fields) {
    CacheWatchRequest request;
    request.resource_version = "1";
    request.selection.name_space = std::move(name_space);
    request.selection.fields = object::FieldSelector::Parse(fields).value();
    ASSERT_EQ(Watch(std::move(request), clients[name]), "");
    EXPECT_EQ(clients[name].Drain(), "");
  };
  add("all", "", "");
  add("ns", "ns", "");
  add("key", "ns", "metadata.name=a");
  add("name", "", "metadata.name=a");
  add("node-1", "", "spec.nodeName=node-1");
  add("node-2", "", "spec.nodeName=node-2");
  add("node-1 in ns", "ns", "spec.nodeName=node-1");
  Put("ns/a", "", "node-1");
  Put("other/a", "", "node-1");
  Put("ns/a", "", "node-2");
  Delete("ns/a");
  Put("ns/b", "", "node-3");
  EXPECT_EQ(clients["all"].Drain(),
            "ADDED ns/a@2 ADDED other/a@3 MODIFIED ns/a@4 DELETED ns/a@5 ADDED ns/b@6");
  EXPECT_EQ(clients["ns"].Drain(), "ADDED ns/a@2 MODIFIED ns/a@4 DELETED ns/a@5 ADDED ns/b@6");
  EXPECT_EQ(clients["key"].Drain(), "ADDED ns/a@2 MODIFIED ns/a@4 DELETED ns/a@5");
  EXPECT_EQ(clients["name"].Drain(), "ADDED ns/a@2 ADDED other/a@3 MODIFIED ns/a@4 DELETED ns/a@5");
  EXPECT_EQ(clients["node-1"].Drain(), "ADDED ns/a@2 ADDED other/a@3 DELETED ns/a@4");
  EXPECT_EQ(clients["node-2"].Drain(), "ADDED ns/a@4 DELETED ns/a@5");
  EXPECT_EQ(clients["node-1 in ns"].Drain(), "ADDED ns/a@2 DELETED ns/a@4");
}

// --- queues

TEST_F(CacheWatchTest, WakesOncePerWait) {
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  Put("ns/a");
  EXPECT_EQ(client.wakes, 0) << "nobody waits before the first take";
  client.Drain();
  Put("ns/a");
  Put("ns/b");
  EXPECT_EQ(client.wakes, 1);
  EXPECT_EQ(client.Drain(), "MODIFIED ns/a@3 ADDED ns/b@4");
  Put("ns/a");
  EXPECT_EQ(client.wakes, 2);
}

TEST_F(CacheWatchTest, SlowWatcherCatchesUpFromTheRing) {
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  client.Drain();
  std::string expected;
  const size_t count = limits::kMaxWatcherEvents * 3 + limits::kCatchUpEvents;
  for (size_t i = 0; i < count; ++i) {
    expected += (i == 0 ? "ADDED" : " MODIFIED");
    expected += " ns/a@" + std::to_string(Put("ns/a"));
  }
  EXPECT_EQ(client.wakes, 1);
  EXPECT_EQ(client.Drain(7), expected);
  Put("ns/b");
  EXPECT_EQ(client.wakes, 2) << "and is live again";
}

TEST_F(CacheWatchTest, SlowWatcherGets410NotAGap) {
  CacheOptions options = Options();
  options.ring.min_events = 1;
  options.ring.max_events = 10;
  Start(std::move(options));
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  client.Drain();
  std::string expected;
  int64_t last = 0;
  for (size_t i = 0; i < limits::kMaxWatcherEvents + 20; ++i) {
    const int64_t revision = Put("ns/a");
    if (i >= limits::kMaxWatcherEvents) continue;
    expected += (i == 0 ? "ADDED ns/a@" : " MODIFIED ns/a@") + std::to_string(revision);
    last = revision;
  }
  EXPECT_EQ(client.Drain(), expected +
                                " END 410 too old resource version: " + std::to_string(last) +
                                " (" + std::to_string(store_.revision() - 10) + ")");
  Put("ns/a");
  EXPECT_TRUE(client.Drain().starts_with("END 410")) << "an end is final";
}

TEST_F(CacheWatchTest, AWatchFromFarBackReadsAllOfTheRing) {
  Start();
  std::string expected;
  for (size_t i = 0; i < 2 * limits::kCatchUpEvents + 10; ++i) {
    expected += (i == 0 ? "ADDED" : " MODIFIED");
    expected += " ns/a@" + std::to_string(Put("ns/a"));
  }
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  EXPECT_EQ(client.Drain(), expected);
}

TEST_F(CacheWatchTest, AChangeWhileAWatchCatchesUpIsNotLost) {
  Start();
  Put("ns/a");
  Put("ns/b");
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  std::vector<WatchItem> items;
  client.watcher->Take(1, items);  // has read the ring to its end, and holds b
  ASSERT_EQ(items.size(), 1u);
  Put("ns/c");
  EXPECT_EQ(client.Drain(), "ADDED ns/b@3 ADDED ns/c@4");
}

// The consumer of one watch runs when a change is in the ring and others have been told of it, but
// this watch has not: the change must not come from the ring and from the publisher both.
TEST_F(CacheWatchTest, AChangeThatIsBeingPublishedComesOnce) {
  Start();
  WatchClient late;
  std::string taken;
  bool armed = false;
  CacheWatchRequest request;
  request.resource_version = "1";
  request.wake = [&] {
    if (armed) taken = late.Drain();
  };
  std::unique_ptr<Watcher> early;
  cache_->Watch(std::move(request),
                [&](Result<std::unique_ptr<Watcher>> watcher) { early = std::move(*watcher); });
  std::vector<WatchItem> items;
  while (early->Take(10, items) != Watcher::Progress::kIdle) {
  }
  ASSERT_EQ(WatchFrom(1, late), "");  // told after the early one, and not live yet
  armed = true;
  Put("ns/a");
  EXPECT_EQ(taken, "ADDED ns/a@2");
  EXPECT_EQ(late.Drain(), "");
  Put("ns/a");
  EXPECT_EQ(late.Drain(), "MODIFIED ns/a@3");
}

TEST_F(CacheWatchTest, ARevisionIsNotTornByAFullQueue) {
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  client.Drain();
  std::vector<std::pair<std::string, SharedBytes>> writes;
  std::string expected;
  for (size_t i = 0; i < limits::kMaxWatcherEvents + 5; ++i) {
    const std::string key = "ns/p" + std::to_string(1000 + i);
    writes.emplace_back(std::string(kPodsPrefix) + key, SharedBytes(PodBytes(key)));
    expected += (i == 0 ? "ADDED " : " ADDED ") + key + "@2";
  }
  store_.Write(std::move(writes));
  EXPECT_EQ(client.Drain(), expected);
}

TEST_F(CacheWatchTest, ChangesDuringTheInitialStateComeAfterIt) {
  for (int i = 0; i < 10; ++i) Put("ns/a" + std::to_string(i));
  Start();
  WatchClient client;
  ASSERT_EQ(Watch(Initial(""), client), "");
  std::vector<WatchItem> items;
  client.watcher->Take(3, items);
  Put("ns/a0");
  Delete("ns/a9");
  const std::string rest = client.Drain(3);
  EXPECT_TRUE(rest.starts_with("ADDED ns/a3@")) << rest;
  EXPECT_TRUE(
      rest.ends_with("ADDED ns/a9@11 BOOKMARK(initial end)@11 MODIFIED ns/a0@12 "
                     "DELETED ns/a9@13"))
      << rest;
}

TEST_F(CacheWatchTest, ALongInitialStateIsTakenInSteps) {
  for (size_t i = 0; i < limits::kCatchUpEvents + 10; ++i) {
    Put("ns/p" + std::to_string(10'000 + i), i % 100 == 0 ? "app=web" : "");
  }
  Start();
  WatchClient client;
  CacheWatchRequest request = Initial("");
  request.selection = Labels("app=web");
  ASSERT_EQ(Watch(std::move(request), client), "");
  EXPECT_EQ(client.Drain(),
            "ADDED ns/p10000@2 ADDED ns/p10100@102 ADDED ns/p10200@202 ADDED ns/p10300@302 "
            "ADDED ns/p10400@402 ADDED ns/p10500@502 BOOKMARK(initial end)@523");
}

TEST_F(CacheWatchTest, DestroyingAWatcherEndsTheWatch) {
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  client.Drain();
  EXPECT_EQ(cache_->watcher_count(), 1u);
  Put("ns/a");
  client.watcher.reset();
  EXPECT_EQ(cache_->watcher_count(), 0u);
  Put("ns/a");
  EXPECT_EQ(client.wakes, 1);
}

TEST_F(CacheWatchTest, AWatcherOutlivesItsCacheAndEnds) {
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(1, client), "");
  client.Drain();
  Put("ns/a");
  cache_.reset();
  EXPECT_EQ(client.wakes, 1);
  EXPECT_EQ(client.Drain(), "ADDED ns/a@2 END 503 the cache is stopping");
}

// --- bookmarks

TEST_F(CacheWatchTest, BookmarksComeAboutOnceAMinute) {
  Start();
  WatchClient client;
  WatchClient silent;
  CacheWatchRequest request;
  request.resource_version = "1";
  request.allow_bookmarks = true;
  ASSERT_EQ(Watch(std::move(request), client), "");
  ASSERT_EQ(WatchFrom(1, silent), "");
  client.Drain();
  silent.Drain();
  PutOther();
  Pass(std::chrono::seconds(59));
  EXPECT_EQ(client.Drain(), "");
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(client.Drain(), "BOOKMARK@2") << "of the store's progress";
  PutOther();
  Pass(std::chrono::seconds(59));
  EXPECT_EQ(client.Drain(), "");
  Pass(std::chrono::seconds(8));
  EXPECT_EQ(client.Drain(), "BOOKMARK@3");
  EXPECT_EQ(silent.Drain(), "");
}

TEST_F(CacheWatchTest, ABookmarkComesShortlyBeforeTheDeadline) {
  Start();
  WatchClient client;
  CacheWatchRequest request;
  request.resource_version = "1";
  request.allow_bookmarks = true;
  request.deadline = clock_.Monotonic() + std::chrono::seconds(30);
  ASSERT_EQ(Watch(std::move(request), client), "");
  client.Drain();
  PutOther();
  Pass(std::chrono::milliseconds(27'900));
  EXPECT_EQ(client.Drain(), "");
  Pass(std::chrono::milliseconds(200));
  EXPECT_EQ(client.Drain(), "BOOKMARK@2");
  Pass(std::chrono::seconds(5));
  EXPECT_EQ(client.Drain(), "");
}

TEST_F(CacheWatchTest, ABookmarkDoesNotOvertakeEvents) {
  Start();
  WatchClient client;
  CacheWatchRequest request;
  request.resource_version = "1";
  request.allow_bookmarks = true;
  ASSERT_EQ(Watch(std::move(request), client), "");
  client.Drain();
  for (size_t i = 0; i < limits::kMaxWatcherEvents + 10; ++i) Put("ns/a");
  Pass(std::chrono::seconds(70));
  const std::string text = client.Drain();
  EXPECT_EQ(text.find("BOOKMARK"), std::string::npos) << "it is behind, so there is none yet";
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(client.Drain(), "BOOKMARK@" + std::to_string(store_.revision()));
}

TEST_F(CacheWatchTest, ABookmarkTellsOfNothingThatTheCacheHasNotSeen) {
  Start();
  WatchClient client;
  CacheWatchRequest request;
  request.resource_version = "1";
  request.allow_bookmarks = true;
  ASSERT_EQ(Watch(std::move(request), client), "");
  client.Drain();
  Put("ns/a");
  store_.hold_events = true;
  Put("ns/b");
  Pass(std::chrono::seconds(61));
  EXPECT_EQ(client.Drain(), "ADDED ns/a@2 BOOKMARK@2");
  store_.Deliver();
  EXPECT_EQ(client.Drain(), "ADDED ns/b@3");
}

}  // namespace
}  // namespace skiff::store
