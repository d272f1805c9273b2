// The watch cache over every engine: what clients may rely on must not depend on the store below.
// The cache's own tests (src/store/cache) go through its rules one by one, over a scripted store.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/thread.h"
#include "store/cache/resource_cache.h"
#include "store/cache/testing.h"
#include "tests/store/store_fixture.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

using Texts = std::vector<std::string>;

// Takes from a watcher, and waits for what is to come.
class CacheClient {
 public:
  std::move_only_function<void()> WakeUp() {
    return [this] {
      const std::lock_guard lock(mutex_);
      woken_ = true;
      changed_.notify_all();
    };
  }

  // Until there are so many items, or the watch ends; false if neither comes.
  bool TakeUntil(size_t count) {
    SystemClock clock;
    const Duration deadline = clock.Monotonic() + kPatience;
    std::vector<store::WatchItem> items;
    while (texts.size() < count) {
      items.clear();
      const store::Watcher::Progress progress = watcher->Take(100, items);
      for (const store::WatchItem& item : items) {
        texts.push_back(store::WatchClient::TextOf(item));
        revisions.push_back(item.event->revision());
      }
      if (progress == store::Watcher::Progress::kEnded) return false;
      if (progress == store::Watcher::Progress::kIdle && !WaitForWake(clock, deadline))
        return false;
    }
    return true;
  }

  Texts texts;
  std::vector<store::Revision> revisions;

 private:
  bool WaitForWake(SystemClock& clock, Duration deadline) {
    std::unique_lock lock(mutex_);
    while (!woken_) {
      if (clock.Monotonic() >= deadline) return false;
      clock.WaitUntil(changed_, lock, deadline);
    }
    woken_ = false;
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;

 public:
  // Last, to go first: until then the cache may wake this from another thread.
  std::unique_ptr<store::Watcher> watcher;
};

class CacheBehaviourTest : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    PutPod("ns/first");
    store::CacheOptions options;
    options.prefix = Key("pods/");
    options.facts = store::PodFacts();
    options.symbols = &symbols_;
    options.events_come_first = kind().events_before_answers;
    cache_.emplace(store(), clock_, random_, std::move(options));
    ticker_ = std::make_unique<Thread>("ticker", [this] { TickUntilStopped(); });
    const auto loaded =
        store::Await<store::Revision>([&](auto done) { cache_->Start(std::move(done)); });
    ASSERT_TRUE(loaded) << loaded.error().ToString();
  }
  void TearDown() override {
    if (ticker_ != nullptr) {
      {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        changed_.notify_all();
      }
      ticker_.reset();
    }
    cache_.reset();
    StoreFixture::TearDown();
  }

  store::Revision PutPod(std::string_view key, std::string_view labels = {}) {
    return Put(Text("pods/", key), store::PodBytes(key, labels));
  }
  store::Revision DeletePod(std::string_view key) { return Delete(Text("pods/", key)); }
  static std::string Version(store::Revision revision) { return Text(revision.value); }

  Result<store::ListReply> List(store::CacheListRequest request) {
    return store::Await<store::ListReply>(
        [&](auto done) { cache_->List(std::move(request), std::move(done)); });
  }
  // Names and revisions as "ns/a@5"; the revision of the list is left to *revision.
  Texts Listed(store::CacheListRequest request, store::Revision* revision = nullptr,
               std::string* token = nullptr) {
    Result<store::ListReply> reply = List(std::move(request));
    EXPECT_TRUE(reply) << reply.error().ToString();
    Texts out;
    if (!reply) return out;
    if (token != nullptr) *token = reply->page().continue_token;
    for (store::ListCursor at = reply->Entries(); const store::CacheEntry* entry = at.Next();)
      out.push_back(Text(entry->key(), "@", entry->revision().value));
    if (revision != nullptr) *revision = reply->revision();
    return out;
  }
  std::string At(std::string_view key, store::Revision revision) {
    return Text(key, "@", revision.value);
  }

  Result<store::CacheGetReply> GetPod(std::string_view name, std::string resource_version = {}) {
    return store::Await<store::CacheGetReply>([&](auto done) {
      cache_->Get({.name_space = "ns",
                   .name = std::string(name),
                   .resource_version = std::move(resource_version)},
                  std::move(done));
    });
  }

  Result<void> WatchCache(store::CacheWatchRequest request, CacheClient& client) {
    request.wake = client.WakeUp();
    SKIFF_ASSIGN_OR_RETURN(client.watcher,
                           store::Await<std::unique_ptr<store::Watcher>>([&](auto done) {
                             cache_->Watch(std::move(request), std::move(done));
                           }));
    return {};
  }

  std::optional<store::ResourceCache> cache_;

 private:
  // As the server does.
  void TickUntilStopped() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      lock.unlock();
      cache_->Tick();
      lock.lock();
      if (!stopped_)
        clock_.WaitUntil(changed_, lock, clock_.Monotonic() + limits::kProgressInterval);
    }
  }

  SystemClock clock_;
  SeededRandom random_{1};
  object::SymbolTable symbols_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::unique_ptr<Thread> ticker_;
};

TEST_P(CacheBehaviourTest, ANewestListSeesEveryCommitThatWasAnswered) {
  for (int i = 0; i < 20; ++i) {
    const store::Revision put = PutPod("ns/a");
    const Texts listed = Listed({});
    EXPECT_TRUE(std::ranges::find(listed, At("ns/a", put)) != listed.end()) << put.value;
    DeletePod("ns/a");
    EXPECT_EQ(Listed({}).size(), 1u);
  }
}

TEST_P(CacheBehaviourTest, ANewestGetSeesEveryCommitThatWasAnswered) {
  for (int i = 0; i < 20; ++i) {
    const store::Revision put = PutPod("ns/a");
    const Result<store::CacheGetReply> found = GetPod("a");
    ASSERT_TRUE(found) << found.error().ToString();
    ASSERT_TRUE(found->entry);
    EXPECT_EQ(found->entry->revision(), put);
    EXPECT_GE(found->revision, put);
    DeletePod("ns/a");
    EXPECT_FALSE(GetPod("a")->entry);
  }
}

TEST_P(CacheBehaviourTest, NotOlderThanWaitsForTheRevision) {
  for (int i = 0; i < 20; ++i) {
    const store::Revision put = PutPod(Text("ns/", 10 + i));
    store::Revision revision;
    const Texts listed = Listed({.resource_version = Version(put)}, &revision);
    EXPECT_GE(revision, put);
    EXPECT_EQ(listed.size(), static_cast<size_t>(i + 2));
    const Result<store::CacheGetReply> found = GetPod(Text(10 + i), Version(put));
    ASSERT_TRUE(found && found->entry);
  }
}

TEST_P(CacheBehaviourTest, AnyStateIsOneThatWas) {
  const store::Revision put = PutPod("ns/a");
  Listed({.resource_version = Version(put)});
  store::Revision revision;
  EXPECT_EQ(Listed({.resource_version = "0"}, &revision).size(), 2u);
  EXPECT_GE(revision, put);
  EXPECT_LE(revision, Current());
}

TEST_P(CacheBehaviourTest, ExactlyARevisionShowsTheStateOfThatTime) {
  const store::Revision one = PutPod("ns/a");
  const store::Revision two = PutPod("ns/b");
  const store::Revision three = DeletePod("ns/a");
  const auto at = [&](store::Revision revision) {
    store::Revision told;
    Texts listed =
        Listed({.resource_version = Version(revision), .resource_version_match = "Exact"}, &told);
    EXPECT_EQ(told, revision);
    std::erase_if(listed, [](const std::string& text) { return text.starts_with("ns/first"); });
    return listed;
  };
  EXPECT_EQ(at(one), (Texts{At("ns/a", one)}));
  EXPECT_EQ(at(two), (Texts{At("ns/a", one), At("ns/b", two)}));
  EXPECT_EQ(at(three), (Texts{At("ns/b", two)}));
}

TEST_P(CacheBehaviourTest, ACompactedRevisionIsGone) {
  const store::Revision old = PutPod("ns/a");
  for (int i = 0; i < 5; ++i) PutPod("ns/a");
  const store::Revision now = PutPod("ns/b");
  Compact(now);
  const Result<store::ListReply> reply =
      List({.resource_version = Version(old), .resource_version_match = "Exact"});
  // The cache may still have that state at hand, but nothing else in its place.
  if (reply) {
    EXPECT_EQ(reply->revision(), old);
  } else {
    EXPECT_EQ(reply.error().code(), 410);
  }
  EXPECT_EQ(Listed({}).size(), 3u) << "compaction does not disturb the cache";
}

TEST_P(CacheBehaviourTest, TheFutureTimesOut) {
  const store::Revision future{Current().value + 100'000};
  const Result<store::ListReply> reply = List({.resource_version = Version(future)});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), 504);
}

TEST_P(CacheBehaviourTest, PagesShowOneStateWhileOthersWrite) {
  Texts expected = Listed({});
  for (int i = 10; i < 35; ++i) {
    const std::string key = Text("ns/p", i);
    expected.push_back(At(key, PutPod(key)));
  }
  std::ranges::sort(expected);
  Texts found;
  std::string token;
  do {
    store::CacheListRequest request;
    request.limit = 6;
    request.continue_token = token;
    for (std::string& text : Listed(std::move(request), nullptr, &token))
      found.push_back(std::move(text));
    PutPod(Text("ns/new", found.size()));
    DeletePod(Text("ns/p", 34 - found.size() % 3));
    PutPod("ns/p11");
  } while (!token.empty());
  EXPECT_EQ(found, expected);
}

TEST_P(CacheBehaviourTest, AWatchTellsWhatHappensAfterItsRevision) {
  const store::Revision from = PutPod("ns/a");
  const store::Revision b = PutPod("ns/b");
  CacheClient client;
  store::CacheWatchRequest request;
  request.resource_version = Version(from);
  ASSERT_TRUE(WatchCache(std::move(request), client));
  const store::Revision a = PutPod("ns/a");
  Put("other", "not a pod");
  const store::Revision gone = DeletePod("ns/b");
  ASSERT_TRUE(client.TakeUntil(3));
  EXPECT_EQ(client.texts, (Texts{Text("ADDED ns/b@", b.value), Text("MODIFIED ns/a@", a.value),
                                 Text("DELETED ns/b@", gone.value)}));
}

TEST_P(CacheBehaviourTest, InitialEventsAreTheStateAndThenABookmark) {
  const store::Revision a = PutPod("ns/a");
  CacheClient client;
  store::CacheWatchRequest request;
  request.send_initial_events = true;
  request.resource_version_match = "NotOlderThan";
  request.allow_bookmarks = true;
  const Result<void> begun = WatchCache(std::move(request), client);
  if (!store().HasReliableProgress()) {
    // As Kubernetes has it: without progress nobody could tell when the state is complete.
    ASSERT_FALSE(begun);
    GTEST_SKIP() << "this server's progress cannot be believed: " << begun.error().ToString();
  }
  ASSERT_TRUE(begun) << begun.error().ToString();
  ASSERT_TRUE(client.TakeUntil(3));
  EXPECT_EQ(client.texts[0], Text("ADDED ns/a@", a.value));
  EXPECT_TRUE(client.texts[1].starts_with("ADDED ns/first@"));
  EXPECT_TRUE(client.texts[2].starts_with("BOOKMARK(initial end)@")) << client.texts[2];
  EXPECT_GE(client.revisions[2], a);
  const store::Revision b = PutPod("ns/b");
  ASSERT_TRUE(client.TakeUntil(4));
  EXPECT_EQ(client.texts[3], Text("ADDED ns/b@", b.value));
}

TEST_P(CacheBehaviourTest, SelectorsSeeObjectsComeAndGo) {
  CacheClient client;
  store::CacheWatchRequest request;
  request.selection.labels = object::LabelSelector::Parse("app=web").value();
  request.resource_version = Version(Current());
  ASSERT_TRUE(WatchCache(std::move(request), client));
  const store::Revision in = PutPod("ns/a", "app=web");
  PutPod("ns/b", "app=db");
  const store::Revision out = PutPod("ns/a", "app=db");
  const store::Revision back = PutPod("ns/b", "app=web");
  ASSERT_TRUE(client.TakeUntil(3));
  EXPECT_EQ(client.texts, (Texts{Text("ADDED ns/a@", in.value), Text("DELETED ns/a@", out.value),
                                 Text("ADDED ns/b@", back.value)}));
}

TEST_P(CacheBehaviourTest, WatchesUnderLoadTellEveryChangeOnce) {
  constexpr int kWriters = 4;
  constexpr int kWrites = 60;
  const store::Revision before = Current();
  RecordingSink everything;
  const auto store_watch = StartWatch(everything, store::KeyRange::Prefix(Key("pods/")),
                                      store::Revision{before.value + 1});
  std::vector<std::unique_ptr<Thread>> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(std::make_unique<Thread>("writer", [&, writer] {
      for (int i = 0; i < kWrites; ++i) {
        const std::string key = Text("ns/", writer, "-", i % 7);
        if (i % 5 == 4)
          DeletePod(Text("ns/", writer, "-", (i - 1) % 7));
        else
          PutPod(key);
      }
    }));
  }
  std::vector<std::unique_ptr<CacheClient>> clients;
  std::vector<store::Revision> begun;
  for (int i = 0; i < 10; ++i) {
    begun.push_back(i % 2 == 0 ? before : Current());
    clients.push_back(std::make_unique<CacheClient>());
    store::CacheWatchRequest request;
    request.resource_version = Version(begun.back());
    ASSERT_TRUE(WatchCache(std::move(request), *clients.back()));
  }
  writers.clear();
  const store::Revision last = PutPod("ns/end");
  ASSERT_TRUE(everything.WaitForRevision(last));
  const std::vector<store::Event> events = everything.events();
  for (size_t i = 0; i < clients.size(); ++i) {
    std::vector<store::Revision> expected;
    for (const store::Event& event : events)
      if (event.revision() > begun[i]) expected.push_back(event.revision());
    ASSERT_TRUE(clients[i]->TakeUntil(expected.size()));
    EXPECT_EQ(clients[i]->revisions, expected);
  }
}

TEST_P(CacheBehaviourTest, AnsweredCommitsAreSeenByNewestListsOfOtherThreads) {
  std::atomic<int64_t> answered = 0;
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    while (!stop) answered = PutPod("ns/a").value;
  });
  for (int i = 0; i < 50; ++i) {
    const store::Revision floor{answered};
    store::Revision revision;
    const Texts listed = Listed({}, &revision);
    EXPECT_GE(revision, floor);
    const auto a = std::ranges::find_if(
        listed, [](const std::string& text) { return text.starts_with("ns/a@"); });
    if (floor.value != 0) {
      ASSERT_NE(a, listed.end());
      EXPECT_GE(std::stoll(a->substr(5)), floor.value);
    }
  }
  stop = true;
}

SKIFF_ON_EVERY_STORE(CacheBehaviourTest);

}  // namespace
}  // namespace skiff::testing
