// Reads: single keys, ranges, old revisions, limits, counts, scans.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "tests/store/store_fixture.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

using Names = std::vector<std::string>;

class RangeBehaviourTest : public StoreFixture {};

TEST_P(RangeBehaviourTest, GetFindsWhatWasPut) {
  const store::Revision revision = Put("a", "1");
  const std::optional<store::KeyValue> entry = Get("a");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->key, Key("a"));
  EXPECT_EQ(entry->value.view(), "1");
  EXPECT_EQ(entry->create_revision, revision);
  EXPECT_EQ(entry->mod_revision, revision);
  EXPECT_EQ(entry->version, 1);
  EXPECT_EQ(entry->lease, store::LeaseId());
}

TEST_P(RangeBehaviourTest, GetOfAnAbsentKeyFindsNothing) {
  Put("a", "1");
  EXPECT_FALSE(Get("b"));
  EXPECT_FALSE(Get(""));
  EXPECT_FALSE(Get("a/"));
}

TEST_P(RangeBehaviourTest, GetOfADeletedKeyFindsNothing) {
  Put("a", "1");
  Delete("a");
  EXPECT_FALSE(Get("a"));
}

TEST_P(RangeBehaviourTest, SingleKeyIsNotConfusedWithThoseItBegins) {
  Put(std::string_view("a\0", 2), "longer");
  Put("aa", "longer");
  EXPECT_FALSE(Get("a"));
  Put("a", "1");
  EXPECT_EQ(Get("a")->value.view(), "1");
}

TEST_P(RangeBehaviourTest, RangeComesInTheOrderOfTheKeysBytes) {
  const Names names = {
      std::string("\0", 1), "\x01", "A", "a", "a/b", "b", "\x7f", "\x80", "\xff", "\xff\xff"};
  for (const size_t i : {5, 2, 9, 0, 7, 3, 8, 1, 6, 4}) Put(names[i], Text(i));
  Names expected;
  for (size_t i = 0; i < names.size(); ++i) expected.push_back(names[i] + "=" + Text(i));
  EXPECT_EQ(Listed(Range({.range = All()})), expected);
}

TEST_P(RangeBehaviourTest, PrefixLeavesItsNeighboursOut) {
  for (const char* name : {"pods", "pods/", "pods/a", "pods/b", "pods0", "podr", "poe"})
    Put(name, "");
  const store::RangeReply reply = Range({.range = store::KeyRange::Prefix(Key("pods/"))});
  EXPECT_EQ(Listed(reply), (Names{"pods/=", "pods/a=", "pods/b="}));
  EXPECT_EQ(reply.count, 3);
  EXPECT_FALSE(reply.more);
}

TEST_P(RangeBehaviourTest, StartIsWithinAndEndIsNot) {
  for (const char* name : {"a", "b", "c", "d"}) Put(name, "");
  EXPECT_EQ(Listed(Range({.range = {Key("b"), Key("d")}})), (Names{"b=", "c="}));
}

TEST_P(RangeBehaviourTest, EmptyEndIsNoBound) {
  for (const char* name : {"a", "b", "c"}) Put(name, "");
  store::RangeReply reply = Range({.range = {Key("b"), ""}});
  std::erase_if(reply.entries, [&](const store::KeyValue& e) { return !All().Contains(e.key); });
  EXPECT_EQ(Listed(reply), (Names{"b=", "c="}));
  if (kind().fresh) {
    EXPECT_EQ(reply.count, 2);
  }
}

TEST_P(RangeBehaviourTest, EverythingIsTheWholeStore) {
  for (const char* name : {"a", "b"}) Put(name, "");
  store::RangeReply reply = Range({.range = store::KeyRange::All()});
  std::erase_if(reply.entries, [&](const store::KeyValue& e) { return !All().Contains(e.key); });
  EXPECT_EQ(Listed(reply), (Names{"a=", "b="}));
  if (kind().fresh) {
    EXPECT_EQ(reply.count, 2);
  }
}

TEST_P(RangeBehaviourTest, RangeThatEndsBeforeItStartsIsEmpty) {
  for (const char* name : {"a", "b", "c"}) Put(name, "");
  const store::RangeReply reply = Range({.range = {Key("c"), Key("a")}});
  EXPECT_TRUE(reply.entries.empty());
  EXPECT_EQ(reply.count, 0);
  EXPECT_FALSE(reply.more);
}

TEST_P(RangeBehaviourTest, LimitCutsOffAndTellsOfMore) {
  for (const char* name : {"a", "b", "c"}) Put(name, "");
  const store::RangeReply two = Range({.range = All(), .limit = 2});
  EXPECT_EQ(Listed(two), (Names{"a=", "b="}));
  EXPECT_EQ(two.count, 3);
  EXPECT_TRUE(two.more);
  for (const int64_t enough : {3, 4}) {
    const store::RangeReply all = Range({.range = All(), .limit = enough});
    EXPECT_EQ(all.entries.size(), 3u);
    EXPECT_EQ(all.count, 3);
    EXPECT_FALSE(all.more);
  }
}

TEST_P(RangeBehaviourTest, PagesAtOneRevisionAddUpToThatState) {
  Names expected;
  for (int i = 10; i < 35; ++i) {
    Put(Text(i), Text("v", i));
    expected.push_back(Text(i, "=v", i));
  }
  const store::Revision at = Current();
  Names found;
  store::KeyRange rest = All();
  for (bool more = true; more;) {
    store::RangeReply page = Range({.range = rest, .at = at, .limit = 4});
    ASSERT_FALSE(page.entries.empty());
    EXPECT_EQ(page.count, static_cast<int64_t>(expected.size() - found.size()));
    for (std::string& entry : Listed(page)) found.push_back(std::move(entry));
    rest.start = page.entries.back().key + '\0';
    more = page.more;
    // What happens between the pages does not show in them.
    Delete(Text(34 - found.size() % 5));
    Put(Text(10 + found.size(), "x"), "new");
    Put("12", "changed");
  }
  EXPECT_EQ(found, expected);
}

TEST_P(RangeBehaviourTest, CountOnlyCountsWithoutEntries) {
  for (const char* name : {"a", "b", "c"}) Put(name, "");
  const store::Revision three = Current();
  Delete("b");
  const store::RangeReply reply = Range({.range = All(), .count_only = true});
  EXPECT_EQ(reply.count, 2);
  EXPECT_TRUE(reply.entries.empty());
  EXPECT_EQ(Range({.range = All(), .limit = 1, .count_only = true}).count, 2);
  EXPECT_EQ(Range({.range = All(), .at = three, .count_only = true}).count, 3);
}

TEST_P(RangeBehaviourTest, KeysOnlyLeavesTheValuesOut) {
  const store::Revision first = Put("a", "value");
  const store::Revision second = Put("a", "another");
  const store::RangeReply reply = Range({.range = All(), .keys_only = true});
  ASSERT_EQ(reply.entries.size(), 1u);
  EXPECT_EQ(reply.entries[0].key, Key("a"));
  EXPECT_TRUE(reply.entries[0].value.empty());
  EXPECT_EQ(reply.entries[0].create_revision, first);
  EXPECT_EQ(reply.entries[0].mod_revision, second);
  EXPECT_EQ(reply.entries[0].version, 2);
}

TEST_P(RangeBehaviourTest, AtARevisionShowsTheStateOfThatTime) {
  const store::Revision before = Current();
  const store::Revision one = Put("a", "1");
  const store::Revision two = Put("b", "1");
  const store::Revision three = Put("a", "2");
  const store::Revision four = Delete("b");
  const store::Revision five = Put("b", "again");
  const auto at = [&](store::Revision revision) {
    return Listed(Range({.range = All(), .at = revision}));
  };
  EXPECT_EQ(at(before), Names());
  EXPECT_EQ(at(one), (Names{"a=1"}));
  EXPECT_EQ(at(two), (Names{"a=1", "b=1"}));
  EXPECT_EQ(at(three), (Names{"a=2", "b=1"}));
  EXPECT_EQ(at(four), (Names{"a=2"}));
  EXPECT_EQ(at(five), (Names{"a=2", "b=again"}));
  EXPECT_EQ(at({}), at(five));
  const std::optional<store::KeyValue> old = Get("b", three);
  ASSERT_TRUE(old);
  EXPECT_EQ(old->create_revision, two);
  EXPECT_EQ(old->version, 1);
  EXPECT_EQ(Get("b", five)->create_revision, five);
}

TEST_P(RangeBehaviourTest, AtARevisionLimitsAndCountsThatState) {
  for (const char* name : {"a", "b", "c"}) Put(name, "1");
  const store::Revision old = Current();
  for (const char* name : {"a", "b", "c"}) Delete(name);
  for (const char* name : {"aa", "d"}) Put(name, "2");
  const store::RangeReply reply = Range({.range = All(), .at = old, .limit = 2});
  EXPECT_EQ(Listed(reply), (Names{"a=1", "b=1"}));
  EXPECT_EQ(reply.count, 3);
  EXPECT_TRUE(reply.more);
}

TEST_P(RangeBehaviourTest, ReplyTellsTheStoresRevision) {
  const store::Revision one = Put("a", "1");
  EXPECT_EQ(Range({.range = All()}).revision, one);
  const store::Revision two = Put("a", "2");
  EXPECT_EQ(Range({.range = All()}).revision, two);
  EXPECT_EQ(Range({.range = All(), .at = one}).revision, two);
  EXPECT_EQ(Range({.range = store::KeyRange::Single(Key("absent"))}).revision, two);
  EXPECT_EQ(Current(), two);
}

TEST_P(RangeBehaviourTest, AtAFutureRevisionIsATimeout) {
  Put("a", "1");
  const store::Revision future{Current().value + 1000};
  EXPECT_EQ(ReasonOf(store::RangeAndWait(store(), {.range = All(), .at = future})),
            StatusReason::kTimeout);
}

TEST_P(RangeBehaviourTest, NegativeRevisionsAndLimitsAreRefused) {
  EXPECT_EQ(ReasonOf(store::RangeAndWait(store(), {.range = All(), .at = store::Revision{-1}})),
            StatusReason::kBadRequest);
  EXPECT_EQ(ReasonOf(store::RangeAndWait(store(), {.range = All(), .limit = -1})),
            StatusReason::kBadRequest);
}

TEST_P(RangeBehaviourTest, AStaleReadFindsAStateThatWas) {
  const store::Revision revision = Put("a", "1");
  const store::RangeReply reply = Range({.range = All(), .may_be_stale = true});
  EXPECT_LE(reply.revision, Current());
  // With one server, what is at hand is the newest.
  EXPECT_GE(reply.revision, revision);
  EXPECT_EQ(Listed(reply), (Names{"a=1"}));
}

TEST_P(RangeBehaviourTest, ValuesAreAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 1024; ++i) bytes.push_back(static_cast<char>(i * 7));
  Put("bytes", bytes);
  Put("empty", "");
  EXPECT_EQ(Get("bytes")->value.view(), bytes);
  ASSERT_TRUE(Get("empty"));
  EXPECT_EQ(Get("empty")->value.view(), "");
}

TEST_P(RangeBehaviourTest, ManyMegabytesComeWhole) {
  const std::string value(512 * 1024, 'x');
  for (int i = 0; i < 12; ++i) Put(Text(i + 10), value + Text(i));
  const store::RangeReply reply = Range({.range = All()});
  ASSERT_EQ(reply.entries.size(), 12u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(reply.entries[i].value.view(), value + Text(i));
}

SKIFF_ON_EVERY_STORE(RangeBehaviourTest);

// ---- Scan

class CollectingSink final : public store::ScanSink {
 public:
  void OnEntries(std::vector<store::KeyValue> entries) override {
    const std::lock_guard lock(mutex_);
    ++pieces;
    for (store::KeyValue& entry : entries) found.push_back(std::move(entry));
  }
  std::vector<store::KeyValue> found;
  size_t pieces = 0;

 private:
  std::mutex mutex_;
};

class ScanBehaviourTest : public StoreFixture {
 protected:
  // The entries in order, and the revision.
  std::pair<std::vector<store::KeyValue>, store::Revision> Scan(store::KeyRange range) {
    CollectingSink sink;
    const auto revision = store::Await<store::Revision>(
        [&](auto done) { store().Scan(std::move(range), &sink, std::move(done)); });
    EXPECT_TRUE(revision) << revision.error().ToString();
    std::ranges::sort(sink.found, {}, &store::KeyValue::key);
    pieces_ = sink.pieces;
    return {std::move(sink.found), revision.value_or(store::Revision())};
  }

  // Many keys that were written, changed and deleted in various ways.
  void Fill(int count) {
    std::vector<store::Write> writes;
    const auto flush = [&] { MustCommit({{}, std::exchange(writes, {})}); };
    for (int round = 0; round < 3; ++round) {
      for (int i = round; i < count; i += round + 1) {
        const bool deletes = round > 0 && i % 5 == 0;
        writes.push_back(deletes ? DeleteOf(Key(Text(100'000 + i)))
                                 : PutOf(Key(Text(100'000 + i)), Text(i, " in round ", round)));
        if (writes.size() == 100) flush();
      }
    }
    if (!writes.empty()) flush();
  }

  size_t pieces_ = 0;
};

TEST_P(ScanBehaviourTest, EqualsARangeOfTheSame) {
  Fill(5000);
  for (const store::KeyRange& range :
       {All(), store::KeyRange::Prefix(Key("1003")), store::KeyRange{Key("100500"), Key("104000")},
        store::KeyRange::Single(Key("100001")), store::KeyRange::Prefix(Key("none"))}) {
    const store::RangeReply expected = Range({.range = range});
    const auto [entries, revision] = Scan(range);
    EXPECT_EQ(revision, expected.revision);
    EXPECT_TRUE(entries == expected.entries)
        << range.start << ": " << entries.size() << " for " << expected.entries.size();
  }
}

TEST_P(ScanBehaviourTest, OfAnEmptyRangeTellsTheRevision) {
  const store::Revision revision = Put("a", "1");
  const auto [entries, at] = Scan(store::KeyRange::Prefix(Key("none")));
  EXPECT_TRUE(entries.empty());
  EXPECT_EQ(at, revision);
}

TEST_P(ScanBehaviourTest, MuchComesInSeveralPieces) {
  constexpr int kEntries = 1000;
  const std::string value(20'000, 'x');
  for (int i = 0; i < kEntries; i += 50) {
    store::Transaction transaction;
    for (int j = i; j < i + 50; ++j) transaction.writes.push_back(PutOf(Key(Text(j)), value));
    MustCommit(std::move(transaction));
  }
  const auto [entries, revision] = Scan(All());
  EXPECT_EQ(entries.size(), static_cast<size_t>(kEntries));
  EXPECT_GT(pieces_, 1u);
}

TEST_P(ScanBehaviourTest, IsOfOneRevisionWhileOthersWrite) {
  // Every transaction gives all keys the same number, so a mixture would show.
  constexpr int kKeys = 60;
  const auto write_all = [&](int number) {
    store::Transaction transaction;
    for (int i = 0; i < kKeys; ++i)
      transaction.writes.push_back(PutOf(Key(Text(i + 100)), Text(number)));
    return store::CommitAndWait(store(), std::move(transaction));
  };
  ASSERT_TRUE(write_all(0));
  std::atomic<bool> stop = false;
  Thread writer("writer", [&] {
    for (int number = 1; !stop; ++number) (void)write_all(number);
  });
  for (int i = 0; i < 40; ++i) {
    const auto [entries, revision] = Scan(All());
    EXPECT_EQ(entries.size(), static_cast<size_t>(kKeys));
    for (const store::KeyValue& entry : entries) {
      EXPECT_EQ(entry.mod_revision, entries[0].mod_revision);
      EXPECT_EQ(entry.value, entries[0].value);
      EXPECT_LE(entry.mod_revision, revision);
    }
  }
  stop = true;
}

SKIFF_ON_EVERY_STORE(ScanBehaviourTest);

}  // namespace
}  // namespace skiff::testing
