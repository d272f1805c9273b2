// The watch cache over the embedded store, with threads that write, follow, list and tick at once.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "store/blocking.h"
#include "store/cache/resource_cache.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"

namespace skiff {
namespace {

constexpr std::string_view kPrefix = "/registry/pods/";
constexpr Duration kPatience = std::chrono::seconds(60);

// key → revision of its last write.
using Objects = std::map<std::string, int64_t>;

std::string PodBytes(const std::string& name, bool odd, uint64_t node) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","labels":{"odd":")" + (odd ? "yes" : "no") + R"("}},"spec":{"nodeName":"node-)" +
         std::to_string(node) + R"("}})";
}

class CacheOverEmbeddedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::EmbeddedOptions options;
    options.open_engine = [this] { return disk_->Open(); };
    options.clock = &clock_;
    options.random = &store_random_;
    options.compaction_interval = Duration(0);
    auto store = store::EmbeddedStore::Open(std::move(options));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = *std::move(store);
    auto facts = store::FactsReader::Make(*object::FindPreferredResource("", "pods")->hub);
    ASSERT_TRUE(facts) << facts.error().ToString();
    facts_ = std::make_shared<const store::FactsReader>(std::move(*facts));
  }

  void StartCache() {
    store::CacheOptions options;
    options.prefix = kPrefix;
    options.facts = facts_;
    options.symbols = &symbols_;
    options.events_come_first = true;
    cache_.emplace(*store_, clock_, random_, std::move(options));
    const auto loaded =
        store::Await<store::Revision>([&](auto done) { cache_->Start(std::move(done)); });
    ASSERT_TRUE(loaded) << loaded.error().ToString();
  }

  int64_t Commit(store::Write write) {
    auto reply = store::CommitAndWait(*store_, {{}, {std::move(write)}});
    EXPECT_TRUE(reply) << reply.error().ToString();
    return reply ? reply->revision.value : 0;
  }
  int64_t Put(const std::string& key, bool odd = false, uint64_t node = 0) {
    return Commit({store::Write::Kind::kPut,
                   std::string(kPrefix) + key,
                   SharedBytes(PodBytes(key, odd, node)),
                   {}});
  }
  int64_t Delete(const std::string& key) {
    return Commit({store::Write::Kind::kDelete, std::string(kPrefix) + key, {}, {}});
  }

  Objects List(store::SelectionRequest selection = {}, int64_t limit = 0) {
    Objects out;
    std::string token;
    do {
      store::CacheListRequest request;
      request.selection = selection;
      request.limit = limit;
      request.continue_token = token;
      auto reply = store::Await<store::ListReply>(
          [&](auto done) { cache_->List(std::move(request), std::move(done)); });
      EXPECT_TRUE(reply) << reply.error().ToString();
      if (!reply) return out;
      token = reply->page().continue_token;
      store::ListCursor at = reply->Entries();
      while (const store::CacheEntry* entry = at.Next()) {
        out[std::string(entry->key())] = entry->revision().value;
      }
    } while (!token.empty());
    return out;
  }
  // The revision of the object, or zero.
  int64_t Get(const std::string& key) {
    const size_t slash = key.find('/');
    auto reply = store::Await<store::CacheGetReply>([&](auto done) {
      cache_->Get({.name_space = key.substr(0, slash), .name = key.substr(slash + 1)},
                  std::move(done));
    });
    EXPECT_TRUE(reply) << reply.error().ToString();
    return reply && reply->entry ? reply->entry->revision().value : 0;
  }

  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  object::SymbolTable symbols_;
  SystemClock clock_;
  SeededRandom store_random_{1};
  SeededRandom random_{2};
  std::shared_ptr<const store::FactsReader> facts_;
  std::unique_ptr<store::EmbeddedStore> store_;
  std::optional<store::ResourceCache> cache_;
};

// Follows a selection through watches that it often gives up and resumes, and checks that each
// event fits what it knows.
class Follower {
 public:
  Follower(store::ResourceCache& cache, Clock& clock, store::SelectionRequest selection,
           uint64_t seed)
      : cache_(cache), clock_(clock), selection_(std::move(selection)), random_(seed) {}

  // Until the objects are those expected, which are set when nobody writes any more.
  bool Run() {
    const Duration deadline = clock_.Monotonic() + kPatience;
    while (clock_.Monotonic() < deadline) {
      if (!Open()) return false;
      const uint64_t events = random_.Uniform(40);  // short: it is joining that is delicate
      if (!Follow(events, deadline)) return false;
      watcher_.reset();
      if (Done()) return true;
    }
    ADD_FAILURE() << "the follower did not reach the last state";
    return false;
  }
  void Expect(Objects expected) {
    std::lock_guard lock(mutex_);
    expected_ = std::move(expected);
    awake_ = true;
    wake_.notify_all();
  }

 private:
  bool Open() {
    store::CacheWatchRequest request;
    request.selection = selection_;
    request.resource_version = last_ == 0 ? "0" : std::to_string(last_);
    request.allow_bookmarks = true;
    request.wake = [this] {
      std::lock_guard lock(mutex_);
      awake_ = true;
      wake_.notify_all();
    };
    auto watcher = store::Await<std::unique_ptr<store::Watcher>>(
        [&](auto done) { cache_.Watch(std::move(request), std::move(done)); });
    EXPECT_TRUE(watcher) << watcher.error().ToString();
    if (!watcher) return false;
    watcher_ = std::move(*watcher);
    initial_ = last_ == 0;
    return true;
  }

  bool Follow(uint64_t events, Duration deadline) {
    std::vector<store::WatchItem> items;
    // The state that a watch begins with is in order of keys, so one cannot resume within it.
    while (events > 0 || initial_) {
      items.clear();
      const store::Watcher::Progress progress = watcher_->Take(1 + random_.Uniform(20), items);
      for (const store::WatchItem& item : items) {
        if (!Apply(item)) return false;
      }
      events -= std::min<uint64_t>(events, items.size());
      if (progress == store::Watcher::Progress::kEnded) {
        ADD_FAILURE() << watcher_->why().ToString();
        return false;
      }
      if (progress != store::Watcher::Progress::kIdle) continue;
      initial_ = false;
      if (Done() || clock_.Monotonic() >= deadline) return true;
      std::unique_lock lock(mutex_);
      while (!awake_ && clock_.Monotonic() < deadline) clock_.WaitUntil(wake_, lock, deadline);
      awake_ = false;
    }
    return true;
  }

  bool Apply(const store::WatchItem& item) {
    const int64_t revision = item.event->revision().value;
    const bool known = item.type == store::EventType::kBookmark ||
                       objects_.contains(std::string(item.event->Object(item.type)->key()));
    EXPECT_TRUE(initial_ || revision >= last_) << "back in time";
    if (item.type == store::EventType::kBookmark) {
      bookmark_ = revision;
      last_ = std::max(last_, revision);
      return true;
    }
    const std::string key(item.event->Object(item.type)->key());
    EXPECT_GT(revision, initial_ ? 0 : bookmark_) << "an event that a bookmark had ruled out";
    EXPECT_EQ(known, item.type != store::EventType::kAdded) << key << "@" << revision;
    EXPECT_LT(known ? objects_[key] : 0, revision) << key << " came twice";
    if (item.type == store::EventType::kDeleted) {
      objects_.erase(key);
    } else {
      objects_[key] = revision;
    }
    last_ = std::max(last_, revision);
    return !::testing::Test::HasFailure();
  }

  bool Done() {
    std::lock_guard lock(mutex_);
    return expected_ && *expected_ == objects_;
  }

  store::ResourceCache& cache_;
  Clock& clock_;
  const store::SelectionRequest selection_;
  SeededRandom random_;
  std::unique_ptr<store::Watcher> watcher_;
  bool initial_ = true;
  int64_t last_ = 0;
  int64_t bookmark_ = 0;
  Objects objects_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool awake_ = false;
  std::optional<Objects> expected_;
};

TEST_F(CacheOverEmbeddedTest, ACommitIsVisibleInTheCacheBeforeItsAnswer) {
  Put("ns/a");
  StartCache();
  for (int i = 0; i < 200; ++i) {
    const int64_t revision = Put("ns/a");
    ASSERT_EQ(Get("ns/a"), revision);
    ASSERT_EQ(List(), (Objects{{"ns/a", revision}}));
  }
  Delete("ns/a");
  EXPECT_EQ(Get("ns/a"), 0);
  EXPECT_EQ(List(), Objects());
}

TEST_F(CacheOverEmbeddedTest, PagesAreOfOneStateWhileOthersWrite) {
  for (int i = 0; i < 50; ++i) Put("ns/p" + std::to_string(100 + i));
  StartCache();
  store::CacheListRequest first;
  first.limit = 7;
  auto page = store::Await<store::ListReply>(
      [&](auto done) { cache_->List(std::move(first), std::move(done)); });
  ASSERT_TRUE(page);
  const store::Revision revision = page->revision();
  size_t seen = 0;
  while (true) {
    store::ListCursor at = page->Entries();
    while (const store::CacheEntry* entry = at.Next()) {
      EXPECT_LE(entry->revision(), revision);
      ++seen;
    }
    if (page->page().continue_token.empty()) break;
    for (int i = 0; i < 80; ++i) Put("ns/p" + std::to_string(100 + i));
    Delete("ns/p149");
    store::CacheListRequest next;
    next.limit = 7;
    next.continue_token = page->page().continue_token;
    page = store::Await<store::ListReply>(
        [&](auto done) { cache_->List(std::move(next), std::move(done)); });
    ASSERT_TRUE(page) << page.error().ToString();
    EXPECT_EQ(page->revision(), revision);
  }
  EXPECT_EQ(seen, 50u);
}

TEST_F(CacheOverEmbeddedTest, FollowersSeeEveryChangeOnceWhateverElseHappens) {
  constexpr int kWriters = 3;
  constexpr int kWrites = 700;
  Put("ns/first", true, 1);
  StartCache();

  store::SelectionRequest odd;
  odd.labels = object::LabelSelector::Parse("odd=yes").value();
  store::SelectionRequest on_node;
  on_node.fields = object::FieldSelector::Parse("spec.nodeName=node-1").value();
  store::SelectionRequest in_namespace;
  in_namespace.name_space = "ns1";
  store::SelectionRequest one;
  one.name_space = "ns0";
  one.name = "p3";
  const store::SelectionRequest selections[] = {{}, odd, on_node, in_namespace, one, {}};
  std::vector<std::unique_ptr<Follower>> followers;
  for (const store::SelectionRequest& selection : selections) {
    followers.push_back(
        std::make_unique<Follower>(*cache_, clock_, selection, 100 + followers.size()));
  }

  std::mutex stop_mutex;
  std::condition_variable stop_changed;
  bool stop = false;
  Thread ticker("ticker", [&] {
    std::unique_lock lock(stop_mutex);
    while (!stop) {
      lock.unlock();
      cache_->Tick();
      List(odd, 5);
      lock.lock();
      clock_.WaitUntil(stop_changed, lock, clock_.Monotonic() + std::chrono::milliseconds(2));
    }
  });
  std::vector<std::unique_ptr<Thread>> following;
  std::atomic<int> reached = 0;
  for (auto& follower : followers) {
    following.push_back(std::make_unique<Thread>("follower", [&] { reached += follower->Run(); }));
  }
  {
    std::vector<std::unique_ptr<Thread>> writing;
    for (int writer = 0; writer < kWriters; ++writer) {
      writing.push_back(std::make_unique<Thread>("writer", [this, writer] {
        SeededRandom random(static_cast<uint64_t>(writer) + 1);
        for (int i = 0; i < kWrites; ++i) {
          const std::string key =
              "ns" + std::to_string(writer) + "/p" + std::to_string(random.Uniform(10));
          const bool gone = random.Uniform(4) == 0;
          const int64_t revision =
              gone ? Delete(key) : Put(key, random.Uniform(2) == 0, random.Uniform(3));
          const int64_t found = Get(key);  // nobody else writes this key
          EXPECT_EQ(found, gone ? 0 : revision) << key;
        }
      }));
    }
  }
  for (size_t i = 0; i < followers.size(); ++i) followers[i]->Expect(List(selections[i]));
  following.clear();  // joins
  EXPECT_EQ(reached, static_cast<int>(followers.size()));
  {
    std::lock_guard lock(stop_mutex);
    stop = true;
    stop_changed.notify_all();
  }
  ticker.Join();
  EXPECT_EQ(cache_->watcher_count(), 0u);
}

TEST_F(CacheOverEmbeddedTest, ACacheThatStartsWhileOthersWriteMissesNothing) {
  std::atomic<bool> stop = false;
  Objects written;
  Thread writer("writer", [&] {
    for (int i = 0; i < 2000 && !stop; ++i) {
      const std::string key = "ns/p" + std::to_string(i % 50);
      written[key] = Put(key);
    }
  });
  for (int i = 0; i < 20; ++i) {
    cache_.reset();
    StartCache();
    List();
  }
  stop = true;
  writer.Join();
  EXPECT_EQ(List(), written);
}

}  // namespace
}  // namespace skiff
