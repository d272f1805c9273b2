// What the embedded store does when blocks of its engine cannot be read.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/embedded/offline_reader.h"
#include "store/embedded/record.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

// Goes on after damage, and keeps what it is told.
class TolerantScan final : public ScanSink {
 public:
  void OnEntries(std::vector<KeyValue> entries) override {
    for (const KeyValue& entry : entries) {
      text_ += (text_.empty() ? "" : " ") + entry.key + "=" + std::string(entry.value.view());
    }
  }
  bool OnDamage(const KeyRange& where, const Status& why) override {
    EXPECT_EQ(why.reason(), StatusReason::kInternalError);
    lost_ += (lost_.empty() ? "" : " ") + where.start;
    if (where.end != where.start + '\0') lost_ += ".." + where.end;
    return true;
  }
  std::string text_;  // in order of revision
  std::string lost_;
};

class DamageTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }

  // "a=1 b=2" and, behind a bar, what is lost.
  std::string Scan() {
    TolerantScan sink;
    const auto revision =
        Await<Revision>([&](auto done) { store_->Scan(KeyRange::All(), &sink, std::move(done)); });
    EXPECT_TRUE(revision) << revision.error().ToString();
    return sink.text_ + (sink.lost_.empty() ? "" : " | " + sink.lost_);
  }
  // a to f at revisions 2 to 7.
  void PutSix() {
    for (const char* key : {"a", "b", "c", "d", "e", "f"}) Put(key, "1");
  }
  void SpoilLog(int64_t first, int64_t last) {
    disk_->CorruptBlock(Family::kLog, std::string(LogKey({first, 0})),
                        std::string(LogKey({last, 0})));
  }
};

TEST_F(DamageTest, RecordsThatCannotBeReadAreNamedByTheirKeysAndTheRestIsServed) {
  PutSix();
  SpoilLog(3, 4);
  EXPECT_EQ(Scan(), "a=1 d=1 e=1 f=1 | b c");
  EXPECT_EQ(Get("d")->value.view(), "1");
  const auto lost = TryRange({KeyRange::Single("b"), {}});
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message().find("\"b\""), std::string::npos);
  EXPECT_NE(lost.error().message().find("skiff store salvage"), std::string::npos);
  const auto list = TryRange({KeyRange::All(), {}});
  ASSERT_FALSE(list) << "an answer without b would say that there is none";
  EXPECT_EQ(list.error().reason(), StatusReason::kInternalError);
  EXPECT_EQ(store_->Health().damaged, 2u);
  EXPECT_TRUE(store_->Health().writable);
}

TEST_F(DamageTest, ALongScanGivesTheSameAsAShortOneInTheSameOrder) {
  constexpr int kTransactions = 120;
  constexpr int kWrites = 100;
  std::string expected, lost;
  for (int i = 0; i < kTransactions; ++i) {
    std::vector<Write> writes;
    for (int j = 0; j < kWrites; ++j) {
      // Neither the order of keys nor the reverse.
      const std::string key = std::to_string((i * kWrites + j) * 7919 % (kTransactions * kWrites));
      writes.push_back(PutOf(key, "1"));
      std::string& where = i == 70 ? lost : expected;
      where += (where.empty() ? "" : " ") + key + (i == 70 ? "" : "=1");
    }
    Do(std::move(writes));
  }
  disk_->CorruptBlock(Family::kLog, std::string(LogKey({72, 0})),
                      std::string(LogKey({72, kWrites - 1})));
  const std::string scanned = Scan();
  const size_t bar = scanned.find(" | ");
  EXPECT_EQ(scanned.substr(0, bar), expected);
  ASSERT_NE(bar, std::string::npos);
  EXPECT_EQ(scanned.size() - bar - 3, lost.size()) << "the keys of one transaction";
}

TEST_F(DamageTest, AScanThatWasNotToldToGoOnEndsWithAnErrorThatNamesTheKey) {
  PutSix();
  SpoilLog(3, 3);
  CollectingScan sink;
  const auto revision =
      Await<Revision>([&](auto done) { store_->Scan(KeyRange::All(), &sink, std::move(done)); });
  ASSERT_FALSE(revision);
  EXPECT_NE(revision.error().message().find("\"b\""), std::string::npos);
}

TEST_F(DamageTest, ADamagedKeyCanBeWrittenAndDeletedAndIsThenNotDamagedAnyMore) {
  PutSix();
  SpoilLog(3, 4);
  EXPECT_EQ(Scan(), "a=1 d=1 e=1 f=1 | b c");
  Put("b", "2");
  Delete("c");
  EXPECT_EQ(Scan(), "a=1 d=1 e=1 f=1 b=2");
  EXPECT_EQ(store_->Health().damaged, 0u);
  EXPECT_EQ(Contents(), "a=1 b=2 d=1 e=1 f=1");
}

TEST_F(DamageTest, RowsThatCannotBeReadAreFoundInTheLog) {
  PutSix();
  Put("c", "2");
  Delete("d");
  disk_->CorruptBlock(Family::kCurrent, "b", "d");
  EXPECT_EQ(Scan(), "a=1 b=1 e=1 f=1 c=2");
  EXPECT_EQ(Contents(), "a=1 b=1 c=2 e=1 f=1");
  EXPECT_EQ(Get("c")->value.view(), "2");
  EXPECT_EQ(Get("d"), std::nullopt);
  Reopen();
  Put("c", "3");
  EXPECT_EQ(Get("c")->version, 3);
  EXPECT_TRUE(Try(Transaction::CreateIfAbsent("d", SharedBytes("new")))->succeeded);
  EXPECT_FALSE(Try(Transaction::CreateIfAbsent("b", SharedBytes("new")))->succeeded);
  EXPECT_EQ(Contents(), "a=1 b=1 c=3 d=new e=1 f=1");
}

TEST_F(DamageTest, WhereRowsAndLogAreBothUnreadableTheStretchIsTold) {
  PutSix();
  disk_->CorruptBlock(Family::kCurrent, "b", "d");
  SpoilLog(4, 4);
  EXPECT_EQ(Scan(), "a=1 d=1 e=1 f=1 | b " + std::string("a\0..e", 5)) << "b may have been changed";
  Reopen();
  EXPECT_FALSE(TryRange({KeyRange::Single("c"), {}})) << "it cannot be told whether it exists";
  EXPECT_EQ(Get("e")->value.view(), "1");
}

TEST_F(DamageTest, ARecordThatDoesNotFitItsChecksumIsLostAlone) {
  PutSix();
  disk_->Put(Family::kLog, LogKey({4, 0}), "nonsense");
  EXPECT_EQ(Scan(), "a=1 b=1 d=1 e=1 f=1 | c");
}

TEST_F(DamageTest, OldStatesAreCompactedThroughDamage) {
  PutSix();
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) Put(key, "2");
  Delete("f");
  SpoilLog(9, 9);  // of b
  ASSERT_TRUE(Compact(14));
  EXPECT_EQ(Scan(), "a=2 c=2 d=2 e=2 | b");
  EXPECT_EQ(disk_->Keys(Family::kLog).size(), 7u) << "only what the lost record replaced stays";
}

TEST_F(DamageTest, LeasesThatCannotBeReadKeepNeitherTheStoreNorOtherLeasesFromWorking) {
  ASSERT_TRUE(Grant(100, 5));
  ASSERT_TRUE(Grant(100, 700));
  Put("a", "1", {5});
  disk_->CorruptBlock(Family::kLease, LeaseKey({5}), LeaseKey({5}));
  Reopen();
  EXPECT_FALSE(Find({5}));
  EXPECT_TRUE(Find({700}));
  EXPECT_EQ(Contents(), "a=1");
  EXPECT_NE(store_->Health().damage.find("leases"), std::string::npos);
}

TEST_F(DamageTest, AStoreThatRunsFindsDamageByItself) {
  PutSix();
  SpoilLog(3, 3);
  EXPECT_EQ(store_->Health().damaged, 0u);
  while (store_->Health().damaged == 0) clock_.Advance(std::chrono::minutes(1));
  EXPECT_NE(store_->Health().damage.find("\"b\""), std::string::npos);
  EXPECT_TRUE(store_->Health().writable);
}

TEST_F(DamageTest, AVerificationTellsOfAllDamage) {
  PutSix();
  store_.reset();
  SpoilLog(3, 3);
  disk_->Delete(Family::kLog, LogKey({5, 0}));
  auto reader = OfflineReader::Open(*disk_->Open(), &clock_);
  ASSERT_TRUE(reader) << reader.error().ToString();
  const auto report = (*reader)->Verify({});
  ASSERT_TRUE(report) << report.error().ToString();
  std::string all;
  for (const std::string& each : report->damage) all += each + "\n";
  EXPECT_NE(all.find("key \"b\""), std::string::npos) << all;
  EXPECT_NE(all.find("key \"d\": its record is missing"), std::string::npos) << all;
  EXPECT_NE(all.find("revision 5 is missing"), std::string::npos) << all;
}

TEST_F(DamageTest, WhatIsSalvagedIsEverythingThatCanBeRead) {
  PutSix();
  store_.reset();
  SpoilLog(3, 3);
  disk_->Delete(Family::kMeta, kMetaRevision);
  auto reader = OfflineReader::OpenDamaged(*disk_->Open(), &clock_);
  ASSERT_TRUE(reader) << reader.error().ToString();
  EXPECT_EQ((*reader)->meta().revision, 7);
  CollectingScan sink;
  const auto findings = (*reader)->Salvage(&sink);
  ASSERT_TRUE(findings) << findings.error().ToString();
  EXPECT_EQ(sink.entries_.size(), 5u);
  ASSERT_EQ(findings->lost.size(), 1u);
  EXPECT_EQ(findings->lost[0].first.start, "b");
}

}  // namespace
}  // namespace skiff::store
