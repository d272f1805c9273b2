#include "store/embedded/importer.h"

#include <gtest/gtest.h>

#include "store/embedded/offline_reader.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

KeyValue Entry(std::string key, std::string_view value, int64_t created, int64_t modified,
               int64_t version, int64_t lease = 0) {
  return {.key = std::move(key),
          .value = SharedBytes(value),
          .create_revision = {created},
          .mod_revision = {modified},
          .version = version,
          .lease = {lease}};
}

class ImporterTest : public EmbeddedStoreTestBase {
 protected:
  // Entries a, b and e, of which the last has a lease, up to revision 100.
  void Import() {
    auto engine = disk_->Open();
    ASSERT_TRUE(engine);
    auto importer = EmbeddedImporter::Begin(**engine, clock_);
    ASSERT_TRUE(importer) << importer.error().message();
    ASSERT_TRUE(importer->Add(LeaseInfo{{7}, std::chrono::hours(1), std::chrono::seconds(30)}));
    ASSERT_TRUE(importer->Add(Entry("b", "2", 3, 9, 4)));
    ASSERT_TRUE(importer->Add(Entry("a", "1", 9, 9, 1)));
    ASSERT_TRUE(importer->Add(Entry("e", "3", 10, 10, 1, 7)));
    ASSERT_TRUE(importer->Finish({100}, random_));
  }
  Result<std::unique_ptr<OfflineReader>> OpenOffline() {
    auto engine = disk_->Open();
    EXPECT_TRUE(engine);
    return OfflineReader::Open(std::move(*engine), &clock_);
  }
  // The error of a verification, or "".
  std::string Fault() {
    auto reader = OpenOffline();
    if (!reader) return reader.error().message();
    const auto report = (*reader)->Verify({});
    if (!report) return report.error().message();
    return report->damage.empty() ? "" : report->damage[0];
  }
};

TEST_F(ImporterTest, KeepsEntriesWithTheirRevisions) {
  Import();
  Open();
  const RangeReply all = Read(KeyRange::All());
  EXPECT_EQ(all.revision.value, 100);
  ASSERT_EQ(all.entries.size(), 3u);
  EXPECT_EQ(all.entries[0], Entry("a", "1", 9, 9, 1));
  EXPECT_EQ(all.entries[1], Entry("b", "2", 3, 9, 4));
  EXPECT_EQ(all.entries[2], Entry("e", "3", 10, 10, 1, 7));
}

TEST_F(ImporterTest, TheStoreGoesOnAfterTheGivenRevision) {
  Import();
  Open();
  EXPECT_EQ(Put("b", "new"), 101);
  const RangeReply read = Read(KeyRange::Single("b"));
  EXPECT_EQ(read.entries[0], Entry("b", "new", 3, 101, 5));
  EXPECT_EQ(Delete("a"), 102);
  Reopen();
  EXPECT_EQ(Contents(), "b=new e=3");
}

TEST_F(ImporterTest, RevisionsOfTheLostHistoryHaveExpired) {
  Import();
  Open();
  for (const int64_t lost : {9, 50, 99}) {
    auto read = TryRange({KeyRange::All(), {lost}});
    ASSERT_FALSE(read) << lost;
    EXPECT_EQ(read.error().reason(), StatusReason::kExpired);
    CollectingSink sink;
    const auto watch = store_->StartWatch({KeyRange::All(), {lost}}, &sink);
    EXPECT_EQ(sink.WaitForEnd().reason(), StatusReason::kExpired);
  }
  CollectingSink sink;
  const auto watch = store_->StartWatch({KeyRange::All(), {101}}, &sink);
  Put("c", "1");
  EXPECT_EQ(sink.WaitForEvents(1)[0].revision().value, 101);
}

TEST_F(ImporterTest, LeasesGoOnWithTheTimeThatRemained) {
  Import();
  Open();
  const auto lease = Await<LeaseInfo>([&](auto done) { store_->FindLease({7}, std::move(done)); });
  ASSERT_TRUE(lease) << lease.error().message();
  EXPECT_EQ(lease->remaining, std::chrono::seconds(30));
  CollectingSink sink;
  const auto watch = store_->StartWatch({KeyRange::Single("e"), {101}}, &sink);
  clock_.Advance(std::chrono::seconds(31));
  EXPECT_EQ(sink.WaitForEvents(1)[0].kind, Event::Kind::kDelete);
}

TEST_F(ImporterTest, AnImportThatWasCutShortIsNoStore) {
  {
    auto engine = disk_->Open();
    auto importer = EmbeddedImporter::Begin(**engine, clock_);
    ASSERT_TRUE(importer->Add(Entry("a", "1", 2, 2, 1)));
  }
  auto store = EmbeddedStore::Open(Options());
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message().find("not finished"), std::string::npos);
}

TEST_F(ImporterTest, WhatIsNotEmptyOrInOrderIsRefused) {
  Import();
  auto engine = disk_->Open();
  EXPECT_FALSE(EmbeddedImporter::Begin(**engine, clock_));
  disk_ = MemoryDisk::Make();
  auto other = disk_->Open();
  auto importer = EmbeddedImporter::Begin(**other, clock_);
  ASSERT_TRUE(importer->Add(Entry("a", "1", 5, 5, 1)));
  EXPECT_FALSE(importer->Add(Entry("b", "1", 4, 4, 1)));
  EXPECT_FALSE(importer->Finish({4}, random_));
}

class OfflineReaderTest : public ImporterTest {};

TEST_F(OfflineReaderTest, ReadsWhatTheStoreHolds) {
  Open();
  Put("a", "1");
  Put("b", "2");
  Put("a", "3");
  Put("c", "4");
  Delete("c");
  store_.reset();
  auto reader = OpenOffline();
  ASSERT_TRUE(reader) << reader.error().message();
  CollectingScan scan;
  EXPECT_EQ((*reader)->Scan(KeyRange::All(), &scan).value().value, 6);
  EXPECT_EQ(scan.entries_.size(), 2u);
  EXPECT_EQ((*reader)->Get("a").value()->value.view(), "3");
  EXPECT_FALSE((*reader)->Get("c").value().has_value());
  EXPECT_EQ((*reader)->meta().keys, 2);
  const auto report = (*reader)->Verify({});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->records, 5u);
  EXPECT_EQ(report->keys, 2u);
}

TEST_F(OfflineReaderTest, AnEmptyEngineIsNoStoreAndStaysEmpty) {
  const auto reader = OpenOffline();
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().reason(), StatusReason::kNotFound);
  EXPECT_EQ(disk_->writes(), 0u);
}

TEST_F(OfflineReaderTest, ANewerFormatIsRefusedByItsNumber) {
  Import();
  disk_->Put(Family::kMeta, kMetaFormat, EncodeMeta(kMetaFormat, kStoreFormat + 1));
  EXPECT_NE(Fault().find("format version 2"), std::string::npos) << Fault();
}

TEST_F(OfflineReaderTest, AnImportedStoreIsSound) {
  Import();
  EXPECT_EQ(Fault(), "");
}

TEST_F(OfflineReaderTest, EveryFlippedByteIsNoticed) {
  Import();
  const auto good = disk_;
  for (const Family family : {Family::kMeta, Family::kLog, Family::kCurrent, Family::kLease}) {
    for (const std::string& key : good->Keys(family)) {
      const std::string value = *good->Get(family, key);
      for (size_t at = 0; at < value.size(); ++at) {
        disk_ = good->Copy();
        std::string bad = value;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        disk_->Put(family, key, bad);
        EXPECT_NE(Fault(), "") << static_cast<int>(family) << " " << at;
      }
    }
  }
}

TEST_F(OfflineReaderTest, EveryMissingRowIsNoticed) {
  Import();
  const auto good = disk_;
  for (const Family family : {Family::kMeta, Family::kLog, Family::kCurrent, Family::kLease}) {
    for (const std::string& key : good->Keys(family)) {
      disk_ = good->Copy();
      disk_->Delete(family, key);
      EXPECT_NE(Fault(), "") << static_cast<int>(family) << " " << key;
    }
  }
}

}  // namespace
}  // namespace skiff::store
