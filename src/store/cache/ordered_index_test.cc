#include "store/cache/ordered_index.h"

#include <malloc.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/thread.h"

namespace skiff::store {
namespace {

using Model = std::map<std::string, int64_t, std::less<>>;

EntryRef MakeEntry(std::string_view key, int64_t revision = 1) {
  return CacheEntry::Make(key, Revision{revision}, SharedBytes(), object::LabelSet());
}

std::vector<std::string> Keys(const IndexReader& index, std::string_view from = {},
                              std::string_view to = {}) {
  std::vector<std::string> out;
  for (IndexCursor at = index.Seek(from, to); !at.done(); at.Next()) {
    out.emplace_back(at->key());
  }
  return out;
}

std::string NumberedKey(size_t number) {
  std::string digits = std::to_string(number);
  return "default/item-" + std::string(8 - digits.size(), '0') + digits;
}

void ExpectSame(const IndexReader& index, const Model& model) {
  ASSERT_EQ(index.size(), model.size());
  auto expected = model.begin();
  for (IndexCursor at = index.Seek(); !at.done(); at.Next(), ++expected) {
    ASSERT_EQ(at->key(), expected->first);
    ASSERT_EQ(at->revision().value, expected->second);
    ASSERT_EQ(index.Find(expected->first), &*at);
  }
  ASSERT_TRUE(expected == model.end());
}

void ExpectSameRange(const IndexReader& index, const Model& model, std::string_view from,
                     std::string_view to) {
  const auto first = model.lower_bound(from);
  const auto last = to.empty() ? model.end() : model.lower_bound(to);
  std::vector<std::string> expected;
  if (to.empty() || from <= to) {
    for (auto at = first; at != last; ++at) expected.push_back(at->first);
  }
  ASSERT_EQ(index.Count(from, to), expected.size());
  ASSERT_EQ(Keys(index, from, to), expected);
  std::vector<std::string> in_runs;
  for (IndexCursor at = index.Seek(from, to); !at.done(); at.SkipRun()) {
    for (const CacheEntry* entry : at.Run()) in_runs.emplace_back(entry->key());
  }
  ASSERT_EQ(in_runs, expected);
}

// Keys of many shapes: shared beginnings, one the beginning of another, zero bytes, bytes above
// 0x7f, the empty key.
std::string RandomKey(Random& random, size_t variety) {
  static constexpr std::string_view kAlphabet("ab/\0\xff-", 6);
  std::string key;
  if (random.Uniform(4) != 0) key = "namespace-" + std::to_string(random.Uniform(3)) + "/";
  if (random.Uniform(2) == 0) return key + std::to_string(random.Uniform(variety));
  for (size_t size = random.Uniform(10); size > 0; --size) {
    key += kAlphabet[random.Uniform(kAlphabet.size())];
  }
  return key;
}

class Workload {
 public:
  Workload(uint64_t seed, size_t variety) : random_(seed), variety_(variety) {}

  // `puts` of a hundred steps put, the others erase.
  void Step(uint64_t puts) {
    const std::string key = RandomKey(random_, variety_);
    const auto was = model_.find(key);
    const bool put = random_.Uniform(100) < puts;
    const EntryRef before = put ? index_.Put(MakeEntry(key, ++revision_)) : index_.Erase(key);
    ASSERT_EQ(static_cast<bool>(before), was != model_.end());
    ASSERT_EQ(before ? before->revision().value : 0, before ? was->second : 0);
    if (put) {
      model_[key] = revision_;
    } else {
      model_.erase(key);
    }
  }
  void TakeSnapshot() { snapshots_.push_back({index_.Snapshot(), model_}); }
  void CheckAndDropSnapshots(size_t keep) {
    while (snapshots_.size() > keep) {
      const size_t which = random_.Uniform(snapshots_.size());
      const auto& [snapshot, model] = snapshots_[which];
      ExpectSame(snapshot, model);
      const std::string from = RandomKey(random_, variety_);
      const std::string to = random_.Uniform(8) == 0 ? "" : RandomKey(random_, variety_);
      ExpectSameRange(snapshot, model, from, to);
      snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(which));
    }
  }
  Random& random() { return random_; }
  const OrderedIndex& index() const { return index_; }
  const Model& model() const { return model_; }

 private:
  struct Held {
    IndexSnapshot snapshot;
    Model model;
  };
  SeededRandom random_;
  size_t variety_;
  OrderedIndex index_;
  Model model_;
  std::vector<Held> snapshots_;
  int64_t revision_ = 0;
};

TEST(OrderedIndexTest, EmptyIndexFindsNothing) {
  OrderedIndex index;
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.Find("a"), nullptr);
  EXPECT_EQ(index.Count("", ""), 0u);
  EXPECT_TRUE(index.Seek().done());
  EXPECT_FALSE(index.Erase("a"));
  EXPECT_EQ(index.Snapshot().size(), 0u);
}

TEST(OrderedIndexTest, PutReturnsTheEntryThatItReplaces) {
  OrderedIndex index;
  EXPECT_FALSE(index.Put(MakeEntry("a", 1)));
  const EntryRef replaced = index.Put(MakeEntry("a", 2));
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->revision(), Revision{1});
  EXPECT_EQ(index.Find("a")->revision(), Revision{2});
  EXPECT_EQ(index.size(), 1u);
}

TEST(OrderedIndexTest, EraseReturnsTheEntryThatIsGone) {
  OrderedIndex index;
  index.Put(MakeEntry("a", 1));
  const EntryRef erased = index.Erase(index.Find("a")->key());
  ASSERT_TRUE(erased);
  EXPECT_EQ(erased->key(), "a");
  EXPECT_TRUE(index.empty());
}

TEST(OrderedIndexTest, SeekIsBoundedOnBothSides) {
  OrderedIndex index;
  for (const char* key : {"a/1", "a/2", "a0", "b/1", "b/2", "c/1"}) index.Put(MakeEntry(key));
  EXPECT_EQ(Keys(index, "a/", "a0"), (std::vector<std::string>{"a/1", "a/2"}));
  EXPECT_EQ(Keys(index, "b/2"), (std::vector<std::string>{"b/2", "c/1"}));
  EXPECT_EQ(Keys(index, "b/20", "c/"), std::vector<std::string>());
  EXPECT_EQ(Keys(index, "c", "b"), std::vector<std::string>());
  EXPECT_EQ(index.Count("a", "b/2"), 4u);
  EXPECT_EQ(index.Seek("a", "b/2").left(), 4u);
}

TEST(OrderedIndexTest, SnapshotKeepsWhatWasThere) {
  OrderedIndex index;
  for (size_t i = 0; i < 1000; ++i) index.Put(MakeEntry(NumberedKey(i), 1));
  const IndexSnapshot snapshot = index.Snapshot();
  for (size_t i = 0; i < 1000; i += 2) index.Erase(NumberedKey(i));
  for (size_t i = 1; i < 1000; i += 2) index.Put(MakeEntry(NumberedKey(i), 2));
  EXPECT_EQ(snapshot.size(), 1000u);
  EXPECT_EQ(index.size(), 500u);
  for (size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(snapshot.Find(NumberedKey(i))->revision(), Revision{1});
  }
}

TEST(OrderedIndexTest, SnapshotOutlivesTheIndex) {
  IndexSnapshot snapshot;
  {
    OrderedIndex index;
    for (size_t i = 0; i < 100; ++i) index.Put(MakeEntry(NumberedKey(i)));
    snapshot = index.Snapshot();
  }
  const IndexSnapshot copy = snapshot;
  snapshot = IndexSnapshot();
  EXPECT_EQ(Keys(copy).size(), 100u);
}

TEST(OrderedIndexTest, BehavesLikeAMapUnderRandomEditsWithSnapshotsHeld) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    Workload work(seed, seed % 2 == 0 ? 100 : 100'000);
    // It grows, shrinks to nothing, and grows again.
    for (const uint64_t puts : {90, 50, 5, 0, 80}) {
      for (int i = 0; i < 4'000; ++i) {
        work.Step(puts);
        ASSERT_FALSE(testing::Test::HasFatalFailure());
        if (work.random().Uniform(100) == 0) work.TakeSnapshot();
        if (work.random().Uniform(400) == 0) work.CheckAndDropSnapshots(3);
      }
      ExpectSame(work.index(), work.model());
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
    work.CheckAndDropSnapshots(0);
  }
}

TEST(OrderedIndexTest, ErasingInAnyOrderLeavesTheOthers) {
  // By stride: every order visits all numbers, since the strides are prime to the size.
  constexpr size_t kSize = 4096;
  for (const size_t stride : {1u, 4095u, 1999u}) {
    OrderedIndex index;
    Model model;
    for (size_t i = 0; i < kSize; ++i) {
      index.Put(MakeEntry(NumberedKey(i), 1));
      model[NumberedKey(i)] = 1;
    }
    for (size_t i = 0; i < kSize; ++i) {
      const std::string key = NumberedKey(i * stride % kSize);
      ASSERT_TRUE(index.Erase(key));
      model.erase(key);
      if (i % 512 == 0) ExpectSame(index, model);
    }
    EXPECT_TRUE(index.empty());
  }
}

TEST(OrderedIndexTest, LoadTakesEntriesInAnyOrder) {
  for (const size_t size : {0u, 1u, 28u, 29u, 1000u, 30'011u}) {
    OrderedIndex index;
    index.Put(MakeEntry("what was there before"));
    Model model;
    std::vector<EntryRef> entries;
    for (size_t i = 0; i < size; ++i) {
      const std::string key = NumberedKey(i * 7919 % size);
      entries.push_back(MakeEntry(key, static_cast<int64_t>(i)));
      model[key] = static_cast<int64_t>(i);
    }
    index.Load(std::move(entries));
    ExpectSame(index, model);
    // What was loaded can be changed.
    for (size_t i = 0; i < size; i += 3) {
      index.Erase(NumberedKey(i));
      model.erase(NumberedKey(i));
    }
    index.Put(MakeEntry("default/a", 5));
    model["default/a"] = 5;
    ExpectSame(index, model);
  }
}

TEST(OrderedIndexTest, LoadSortsKeysThatBeginAlikeAndKeysThatEndWhereOthersGoOn) {
  SeededRandom random(3);
  Model model;
  for (int i = 0; i < 20'000; ++i) {
    std::string key = "namespace-" + std::to_string(random.Uniform(3)) + "/a-rather-long-name-";
    if (random.Uniform(3) == 0) key += std::string(random.Uniform(40), '\0');
    for (uint64_t parts = random.Uniform(4); parts > 0; --parts) {
      key += "part-" + std::to_string(random.Uniform(12));
    }
    model[key] = i;
  }
  std::vector<EntryRef> entries;
  for (const auto& [key, revision] : model) entries.push_back(MakeEntry(key, revision));
  for (size_t i = entries.size(); i > 1; --i) std::swap(entries[i - 1], entries[random.Uniform(i)]);
  OrderedIndex index;
  index.Load(std::move(entries));
  ExpectSame(index, model);
}

TEST(OrderedIndexTest, FreesEntriesWithTheLastSnapshotThatHoldsThem) {
  object::SymbolTable table;
  const auto labelled = [&](const std::string& value) {
    const object::LabelSet::Label labels[] = {{"app", value}};
    return CacheEntry::Make("default/web", Revision{1}, SharedBytes(),
                            object::LabelSet(table, labels));
  };
  OrderedIndex index;
  for (size_t i = 0; i < 100; ++i) index.Put(MakeEntry(NumberedKey(i)));
  index.Put(labelled("one"));
  IndexSnapshot snapshot = index.Snapshot();
  index.Put(labelled("two"));
  EXPECT_EQ(table.label_set_count(), 2u);
  snapshot = IndexSnapshot();
  EXPECT_EQ(table.label_set_count(), 1u);
  index.Clear();
  EXPECT_EQ(table.label_set_count(), 0u);
}

// Passes snapshots from the writer to the readers; holds a few at most.
class SnapshotQueue {
 public:
  void Push(IndexSnapshot snapshot) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < 8; });
    waiting_.push_back(std::move(snapshot));
    changed_.notify_all();
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  bool Pop(IndexSnapshot* out) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return false;
    *out = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<IndexSnapshot> waiting_;
  bool closed_ = false;
};

TEST(OrderedIndexTest, OtherThreadsReadAndFreeSnapshotsWhileTheWriterGoesOn) {
  constexpr size_t kKeys = 3'000;
  OrderedIndex index;
  SnapshotQueue queue;
  std::atomic<size_t> faults = 0;
  // A snapshot is in order and has as many entries as it says.
  const auto read = [&] {
    for (IndexSnapshot snapshot; queue.Pop(&snapshot);) {
      const IndexSnapshot copy = snapshot;
      std::string previous;
      size_t walked = 0;
      for (IndexCursor at = copy.Seek(); !at.done(); at.Next(), ++walked) {
        if (walked != 0 && at->key() <= previous) ++faults;
        previous = at->key();
      }
      if (walked != copy.size() || walked != copy.Count("", "")) ++faults;
    }
  };
  {
    Thread one("reader-1", read);
    Thread two("reader-2", read);
    SeededRandom random(9);
    for (int i = 0; i < 20'000; ++i) {
      const std::string key = NumberedKey(random.Uniform(kKeys));
      if (random.Uniform(3) == 0) {
        index.Erase(key);
      } else {
        index.Put(MakeEntry(key, i));
      }
      if (i % 50 == 0) queue.Push(index.Snapshot());
    }
    queue.Close();
  }
  EXPECT_EQ(faults, 0u);
}

// Bytes that the index takes for each entry, beside the entry itself.
template <typename Fill>
double IndexBytesPerEntry(size_t count, Fill fill) {
  std::vector<EntryRef> entries;
  entries.reserve(count);
  for (size_t i = 0; i < count; ++i) entries.push_back(MakeEntry(NumberedKey(i)));
  OrderedIndex index;
  const size_t before = ::mallinfo2().uordblks;
  fill(index, entries);
  const size_t after = ::mallinfo2().uordblks;
  EXPECT_EQ(index.size(), count);
  return static_cast<double>(after - before) / static_cast<double>(count);
}

TEST(OrderedIndexTest, TakesAFewBytesPerEntry) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers replace malloc";
#endif
  constexpr size_t kCount = 200'000;
  const auto in_order = [](OrderedIndex& index, const std::vector<EntryRef>& entries) {
    for (const EntryRef& entry : entries) index.Put(entry);
  };
  const auto at_random = [](OrderedIndex& index, const std::vector<EntryRef>& entries) {
    // 7919 is prime to the count, so each entry comes once.
    for (size_t i = 0; i < entries.size(); ++i) index.Put(entries[i * 7919 % entries.size()]);
  };
  const auto loaded = [](OrderedIndex& index, const std::vector<EntryRef>& entries) {
    index.Load(entries);
  };
  EXPECT_LE(IndexBytesPerEntry(kCount, in_order), 24);
  EXPECT_LE(IndexBytesPerEntry(kCount, at_random), 24);
  EXPECT_LE(IndexBytesPerEntry(kCount, loaded), 24);
}

}  // namespace
}  // namespace skiff::store
