// Loading, getting and waiting. Lists and watches have tests of their own.
#include "store/cache/resource_cache.h"

#include <string>

#include <gtest/gtest.h>

#include "store/cache/testing.h"

namespace skiff::store {
namespace {

class ResourceCacheTest : public CacheTestBase {};

TEST_F(ResourceCacheTest, IsReadyWhenItHasLoadedWhatIsThere) {
  Put("ns/a");
  PutOther();
  store_.hold_scans = true;
  Start();
  EXPECT_FALSE(cache_->ready());
  store_.ReleaseScans();
  EXPECT_TRUE(cache_->ready());
  ASSERT_TRUE(loaded_ && *loaded_);
  EXPECT_EQ((**loaded_).value, 3);
  EXPECT_EQ(List({.resource_version = "0"}), "ns/a@2, rv 3");
}

TEST_F(ResourceCacheTest, ChangesBetweenTheScanAndTheWatchAreNotLost) {
  Put("ns/a");
  store_.hold_scans = true;
  Start();
  Put("ns/b");
  Delete("ns/a");
  store_.ReleaseScans();
  EXPECT_EQ(List({.resource_version = "0"}), "ns/b@3, rv 4");
}

TEST_F(ResourceCacheTest, LoadsAgainUntilTheStoreCanBeRead) {
  Put("ns/a");
  store_.failing = true;
  Start();
  Pass(std::chrono::seconds(3));
  EXPECT_FALSE(cache_->ready());
  EXPECT_GE(store_.scans, 3);
  EXPECT_LE(store_.scans, 5);
  store_.failing = false;
  Pass(std::chrono::seconds(2));
  EXPECT_TRUE(cache_->ready());
  EXPECT_TRUE(loaded_ && *loaded_);
}

TEST_F(ResourceCacheTest, StoppingAnswersWhoeverWaits) {
  store_.hold_scans = true;
  Start();
  cache_->Stop();
  ASSERT_TRUE(loaded_);
  EXPECT_EQ(ErrorText(loaded_->error()), "503 the cache is stopping");
  store_.ReleaseScans();
  EXPECT_FALSE(cache_->ready());
  EXPECT_EQ(store_.watch_count(), 0u);

  store_.hold_scans = false;
  loaded_.reset();
  Start();
  const auto list = StartList({.resource_version = "99"});
  EXPECT_EQ(TextOf(list), "waits");
  cache_->Stop();
  EXPECT_EQ(TextOf(list), "503 the cache is stopping");
}

TEST_F(ResourceCacheTest, WhatIsStillBeingScannedWhenItStopsIsNotRead) {
  Put("ns/a");
  store_.hold_scans = true;
  int reads = 0;
  CacheOptions options = Options();
  options.read = [&](const SharedBytes& stored) -> Result<SharedBytes> {
    ++reads;
    return stored;
  };
  Start(std::move(options));
  cache_->Stop();
  store_.ReleaseScans();
  EXPECT_EQ(reads, 0);
}

TEST_F(ResourceCacheTest, OneThatIsStoppedBeforeItStartsAsksNothingOfTheStore) {
  cache_.emplace(store_, clock_, random_, Options());
  cache_->Stop();
  cache_->Start([this](Result<Revision> revision) { loaded_ = std::move(revision); });
  ASSERT_TRUE(loaded_);
  EXPECT_EQ(ErrorText(loaded_->error()), "503 the cache is stopping");
  EXPECT_EQ(store_.scans, 0);
  EXPECT_EQ(store_.watch_count(), 0u);
}

TEST_F(ResourceCacheTest, AllChangesOfARevisionAppearAtOnce) {
  Start();
  const std::string prefix(kPodsPrefix);
  store_.hold_events = true;
  store_.Write({{prefix + "ns/a", SharedBytes(PodBytes("ns/a"))},
                {prefix + "ns/b", SharedBytes(PodBytes("ns/b"))}});
  EXPECT_EQ(List({.resource_version = "0"}), "rv 1");
  store_.Deliver();
  EXPECT_EQ(List({.resource_version = "0"}), "ns/a@2 ns/b@2, rv 2");
}

TEST_F(ResourceCacheTest, AnObjectThatCannotBeReadCountsAsSelected) {
  store_.Put(std::string(kPodsPrefix) + "ns/broken", "{");
  Put("ns/fine", "app=web");
  Start();
  EXPECT_EQ(List(), "ns/broken@2 ns/fine@3, rv 3");
  EXPECT_EQ(List({.selection = Labels("app=web")}), "ns/broken@2 ns/fine@3, rv 3");
  EXPECT_EQ(List({.selection = Fields("spec.nodeName=n")}), "ns/broken@2, rv 3");
  EXPECT_EQ(List({.selection = Fields("spec.nodeName=")}), "ns/broken@2 ns/fine@3, rv 3");
}

// --- the cache has lost its place

TEST_F(ResourceCacheTest, AnExpiredWatchIsFollowedByANewScan) {
  Put("ns/a");
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(2, client), "");
  EXPECT_EQ(client.Drain(), "");

  store_.hold_events = true;
  Put("ns/b");
  store_.EndWatches(Status(StatusReason::kExpired, "compacted"));
  EXPECT_FALSE(cache_->ready());
  EXPECT_EQ(client.wakes, 1);
  EXPECT_EQ(client.Drain(), "END 410 The resourceVersion for the provided watch is too old.");
  store_.hold_events = false;
  Tick();
  EXPECT_TRUE(cache_->ready());
  EXPECT_EQ(List({.resource_version = "0"}), "ns/a@2 ns/b@3, rv 3");
  EXPECT_EQ(client.Drain(), "END 410 The resourceVersion for the provided watch is too old.");
  Put("ns/c");
  EXPECT_EQ(List({.resource_version = "0"}), "ns/a@2 ns/b@3 ns/c@4, rv 4");
}

TEST_F(ResourceCacheTest, AWatchThatWasNotLiveWhenTheCacheLostItsPlaceEndsToo) {
  Put("ns/a");
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(2, client), "");  // nothing taken yet
  store_.EndWatches(Status(StatusReason::kExpired, "compacted"));
  Put("ns/b");
  Tick();
  Put("ns/c");
  EXPECT_EQ(client.Drain(), "END 410 The resourceVersion for the provided watch is too old.");
}

TEST_F(ResourceCacheTest, AWatchThatHasEndedIsToldNothingOfTheNewState) {
  Put("ns/a");
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(2, client), "");
  client.Drain();
  Put("ns/b");
  store_.EndWatches(Status(StatusReason::kExpired, "compacted"));
  Put("ns/c");  // nobody tells the watch of this one
  Tick();
  Put("ns/d");
  EXPECT_EQ(client.Drain(),
            "ADDED ns/b@3 END 410 The resourceVersion for the provided watch is too old.");
}

TEST_F(ResourceCacheTest, AWatchFromBeforeTheNewScanIsTooOld) {
  Put("ns/a");
  Start();
  Put("ns/b");
  store_.EndWatches(Status(StatusReason::kExpired, "compacted"));
  Put("ns/c");
  Tick();
  WatchClient client;
  EXPECT_EQ(WatchFrom(3, client), "410 too old resource version: 3 (4)");
  EXPECT_EQ(WatchFrom(4, client), "");
}

TEST_F(ResourceCacheTest, WhileItIsBeingFilledReadsGoToTheStoreOrComeAgain) {
  Put("ns/a");
  Put("ns/b");
  store_.hold_scans = true;
  Start();
  EXPECT_EQ(Get("ns/a"), "ns/a@2, rv 3");
  EXPECT_EQ(Get("ns/a", "0"), "ns/a@2, rv 3");
  EXPECT_EQ(Get("ns/a", "3"), "ns/a@2, rv 3");
  EXPECT_EQ(Get("ns/a", "9"), "504 Timeout: Too large resource version: 9, current: 3");
  EXPECT_EQ(List({.limit = 1}), "ns/a@2, rv 3, more (1)");
  EXPECT_EQ(List({.selection = Fields("metadata.name=b,metadata.namespace=ns")}), "ns/b@3, rv 3");
  EXPECT_EQ(List(), "429 storage is (re)initializing");
  EXPECT_EQ(List({.selection = Labels("a=b"), .limit = 1}), "429 storage is (re)initializing");
  WatchClient client;
  EXPECT_EQ(WatchFrom(2, client), "429 storage is (re)initializing");
}

// --- get: every kind of resourceVersion, over every kind of store

TEST_F(ResourceCacheTest, GetGivesWhatItsResourceVersionAsksFor) {
  struct Case {
    std::string_view resource_version;
    std::string_view before;  // while the cache is at 2
    std::string_view after;   // when it has been told of 3 and 4
  };
  // The store holds ns/a@3 and is at 4, the cache still has ns/a@2.
  constexpr Case kCases[] = {
      {"", "ns/a@3, rv 4", "ns/a@3, rv 4"},
      {"0", "ns/a@2, rv 2", "ns/a@3, rv 4"},
      {"1", "ns/a@2, rv 2", "ns/a@3, rv 4"},
      {"2", "ns/a@2, rv 2", "ns/a@3, rv 4"},
      {"3", "waits", "ns/a@3, rv 4"},
      {"4", "waits", "ns/a@3, rv 4"},
      {"5", "waits", "waits"},
  };
  Put("ns/a");
  Start();
  store_.hold_events = true;
  Put("ns/a");
  PutOther();
  for (const Case& c : kCases) EXPECT_EQ(Get("ns/a", c.resource_version), c.before);
  store_.hold_events = false;
  store_.Deliver();
  store_.TellProgress(4);
  for (const Case& c : kCases) EXPECT_EQ(Get("ns/a", c.resource_version), c.after);
  EXPECT_EQ(Get("ns/none"), "none, rv 4");
  EXPECT_EQ(Get("ns/none", "4"), "none, rv 4");
  EXPECT_EQ(Get("ns/a", "x"),
            "400 invalid resource version: resourceVersion: Invalid value: \"x\": "
            "strconv.ParseUint: parsing \"x\": invalid syntax");
}

TEST_F(ResourceCacheTest, AReadOfTheFutureWaitsAndThenTimesOut) {
  Start();
  const auto get = StartGet("ns/a", "3");
  const auto list = StartList({.resource_version = "3"});
  const auto exact = StartList({.resource_version = "3", .resource_version_match = "Exact"});
  Pass(std::chrono::milliseconds(2900));
  EXPECT_EQ(*get, "waits");
  EXPECT_EQ(TextOf(list), "waits");
  Pass(std::chrono::milliseconds(200));
  const std::string timeout = "504 Timeout: Too large resource version: 3, current: 1";
  EXPECT_EQ(*get, timeout);
  EXPECT_EQ(TextOf(list), timeout);
  EXPECT_EQ(TextOf(exact), timeout);
}

TEST_F(ResourceCacheTest, AReadOfTheFutureIsAnsweredWhenTheFutureComes) {
  Start();
  const auto get = StartGet("ns/a", "3");
  Pass(std::chrono::seconds(1));
  Put("ns/a");
  EXPECT_EQ(*get, "waits");
  PutOther();
  Tick();  // asks for progress
  EXPECT_EQ(*get, "ns/a@2, rv 3");
}

// --- consistent reads

TEST_F(ResourceCacheTest, AConsistentReadWaitsForTheCacheToReachTheStore) {
  Put("ns/a");
  Start();
  store_.hold_events = true;
  Put("ns/b");
  const int asked = store_.progress_requests;
  const auto list = StartList({});
  EXPECT_EQ(TextOf(list), "waits");
  EXPECT_EQ(store_.progress_requests, asked + 1);
  Tick();
  EXPECT_EQ(store_.progress_requests, asked + 2) << "asked again while somebody waits";
  store_.Deliver();
  EXPECT_EQ(TextOf(list), "ns/a@2 ns/b@3, rv 3");
  Tick();
  EXPECT_EQ(store_.progress_requests, asked + 2) << "asked though nobody waits";
  EXPECT_EQ(store_.ranges, 0) << "read from the store, though the cache had it";
}

TEST_F(ResourceCacheTest, ProgressWithoutEventsIsEnoughForAConsistentRead) {
  Put("ns/a");
  Start();
  PutOther();
  EXPECT_EQ(List(), "ns/a@2, rv 3");
  EXPECT_EQ(store_.ranges, 0);
}

TEST_F(ResourceCacheTest, AConsistentReadThatWaitsInVainIsReadFromTheStore) {
  Put("ns/a");
  Start();
  store_.hold_events = true;
  Put("ns/b");
  const auto list = StartList({.limit = 1});
  Pass(std::chrono::milliseconds(3100));
  EXPECT_EQ(TextOf(list), "ns/a@2, rv 3, more (1)");
  EXPECT_EQ(store_.ranges, 1);
}

TEST_F(ResourceCacheTest, WithoutReliableProgressTheNewestIsReadFromTheStore) {
  Put("ns/a");
  Start();
  store_.reliable = false;
  store_.hold_progress = true;
  store_.hold_events = true;
  Put("ns/b");
  EXPECT_EQ(List(), "ns/a@2 ns/b@3, rv 3");
  EXPECT_EQ(List({.resource_version = "0"}), "ns/a@2, rv 2");
  // Nobody will tell that the cache has reached 4, but the store knows.
  PutOther();
  store_.Deliver();
  const auto list = StartList({.resource_version = "4"});
  EXPECT_EQ(TextOf(list), "waits");
  Pass(std::chrono::milliseconds(3100));
  EXPECT_EQ(TextOf(list), "ns/a@2 ns/b@3, rv 4");
  const auto future = StartList({.resource_version = "9", .resource_version_match = "Exact"});
  Pass(std::chrono::milliseconds(3100));
  EXPECT_EQ(TextOf(future), "504 Timeout: Too large resource version: 9, current: 4");
}

TEST_F(ResourceCacheTest, WhenEventsComeFirstTheCacheIsAlwaysCurrent) {
  CacheOptions options = Options();
  options.events_come_first = true;
  Put("ns/a");
  Start(std::move(options));
  const int asked = store_.progress_requests;
  Put("ns/b");
  PutOther();
  EXPECT_EQ(List(), "ns/a@2 ns/b@3, rv 4");
  EXPECT_EQ(Get("ns/b"), "ns/b@3, rv 4");
  EXPECT_EQ(store_.ranges, 0);
  EXPECT_EQ(store_.progress_requests, asked);
}

TEST_F(ResourceCacheTest, UntilTheWatchHasCaughtUpTheCacheIsNotTakenForCurrent) {
  CacheOptions options = Options();
  options.events_come_first = true;
  Put("ns/a");
  store_.hold_progress = true;
  Start(std::move(options));
  store_.hold_events = true;
  Put("ns/b");
  EXPECT_EQ(Get("ns/b"), "ns/b@3, rv 3") << "from the store";
  const auto list = StartList({});
  EXPECT_EQ(TextOf(list), "waits");
  store_.Deliver();
  EXPECT_EQ(TextOf(list), "ns/a@2 ns/b@3, rv 3");
}

TEST_F(ResourceCacheTest, ACurrentRevisionThatComesLateIsStillRight) {
  CacheOptions options = Options();
  options.events_come_first = true;
  Start(std::move(options));
  store_.hold_revisions = true;
  const auto list = StartList({});
  Put("ns/a");
  Put("ns/b");
  store_.ReleaseRevisions();
  EXPECT_EQ(TextOf(list), "ns/a@2 ns/b@3, rv 3");
}

}  // namespace
}  // namespace skiff::store
