#include "store/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/limits.h"
#include "store/backup_file.h"
#include "store/backup_format.h"

namespace skiff::store {
namespace {

class StringSink final : public ByteSink {
 public:
  Result<void> Append(std::string_view bytes) override {
    if (text.size() + bytes.size() > room) return Fail(StatusReason::kInternalError, "full");
    text += bytes;
    return {};
  }
  std::string text;
  size_t room = SIZE_MAX;
};

KeyValue Entry(std::string key, std::string_view value, int64_t revision, int64_t lease = 0) {
  return {.key = std::move(key),
          .value = SharedBytes(value),
          .create_revision = {revision},
          .mod_revision = {revision},
          .version = 1,
          .lease = {lease}};
}

LeaseInfo Lease(int64_t id, int64_t granted, int64_t remaining) {
  return {{id}, std::chrono::seconds(granted), std::chrono::seconds(remaining)};
}

// A backup of a few entries, the last of them large.
std::string SampleBackup() {
  StringSink sink;
  BackupWriter writer(sink);
  EXPECT_TRUE(writer.Begin({.cluster_id = 77, .taken_at = 1'700'000'000, .prefix = "/registry/"}));
  EXPECT_TRUE(writer.Add(Entry("/registry/b", "two", 3)));
  EXPECT_TRUE(writer.Add(Entry("/registry/a", "", 2)));
  EXPECT_TRUE(writer.Add(Entry("/registry/e", "event", 5, 42)));
  EXPECT_TRUE(writer.Add(Entry("/registry/c", std::string(2000, 'x'), 4)));
  EXPECT_TRUE(writer.Add(Lease(42, 3600, 100)));
  EXPECT_TRUE(writer.Finish({9}));
  return sink.text;
}

// Reads all of it; the error, or "".
std::string Fault(std::string_view bytes) {
  MemorySource source(bytes);
  Result<BackupReader> reader = BackupReader::Open(source);
  if (!reader) return reader.error().message();
  const Result<BackupIndex> index = BackupIndex::Build(source, *reader);
  return index ? "" : index.error().message();
}

TEST(BackupFormatTest, WhatIsWrittenIsRead) {
  const std::string bytes = SampleBackup();
  MemorySource source(bytes);
  Result<BackupReader> reader = BackupReader::Open(source);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(reader->header(), (BackupHeader{77, 1'700'000'000, "/registry/"}));
  const Result<BackupIndex> index = BackupIndex::Build(source, *reader);
  ASSERT_TRUE(index) << index.error().message();
  EXPECT_EQ(index->end(), (BackupEnd{{9}, 4, 1, 44, 2008}));
  std::vector<std::string> keys;
  for (const BackupIndex::Place& place : index->by_revision()) {
    keys.push_back(index->Read(place).value().key);
  }
  EXPECT_EQ(keys,
            (std::vector<std::string>{"/registry/a", "/registry/b", "/registry/c", "/registry/e"}));
  EXPECT_EQ(index->Find("/registry/e").value()->entry, Entry("/registry/e", "event", 5, 42));
  EXPECT_FALSE(index->Find("/registry/d").value().has_value());
  EXPECT_EQ(index->FindLease({42})->remaining, std::chrono::seconds(100));
  EXPECT_EQ(index->FindLease({41}), nullptr);
}

TEST(BackupFormatTest, AnEmptyStoreHasABackup) {
  StringSink sink;
  BackupWriter writer(sink);
  ASSERT_TRUE(writer.Begin({}));
  ASSERT_TRUE(writer.Finish({1}));
  EXPECT_EQ(Fault(sink.text), "");
}

TEST(BackupFormatTest, EveryFlippedBitIsNoticed) {
  const std::string good = SampleBackup();
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      EXPECT_NE(Fault(bad), "") << "bit " << bit << " of byte " << at;
    }
  }
}

TEST(BackupFormatTest, EveryCutIsNoticed) {
  const std::string good = SampleBackup();
  for (size_t size = 0; size < good.size(); ++size) {
    const std::string fault = Fault(std::string_view(good).substr(0, size));
    EXPECT_NE(fault, "") << size;
    EXPECT_TRUE(size == 0 || fault.find("cut short") != std::string::npos) << fault;
  }
}

TEST(BackupFormatTest, FaultsSayWhatAndWhere) {
  const std::string good = SampleBackup();
  EXPECT_EQ(Fault(good + "x"), "the backup is damaged at byte " + std::to_string(good.size()) +
                                   ": something follows the end");
  EXPECT_EQ(Fault(""), "this is not a backup made by 'skiff store backup'");
  EXPECT_EQ(Fault("SQLite format 3"), "this is not a backup made by 'skiff store backup'");
  std::string newer = good;
  newer[8] = 2;
  EXPECT_EQ(Fault(newer),
            "the backup has format version 2, and this Skiff reads version 1; use the Skiff that "
            "made it, or a newer one");
  std::string flipped = good;
  flipped[60] ^= 1;
  EXPECT_EQ(Fault(flipped), "the backup is damaged at byte 47: a checksum is wrong");
}

// A frame as the writer would make it at a place.
std::string Frame(uint64_t offset, uint8_t kind, std::string_view payload) {
  const auto number = [](uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  };
  std::string frame = static_cast<char>(kind) + number(payload.size(), 4) + std::string(payload);
  const uint32_t seed = Crc32c(number(kBackupFormatVersion, 4) + number(offset, 8));
  return frame + number(Crc32c(frame, seed), 4);
}

TEST(BackupFormatTest, RightChecksumsDoNotExcuseNonsense) {
  const std::string head = SampleBackup().substr(0, 12);
  const std::string header = head + Frame(12, 1, std::string(16, '\0'));
  EXPECT_NE(Fault(head + Frame(12, 2, std::string(16, '\0'))).find("there is no header"),
            std::string::npos);
  for (const auto& [kind, payload, wanted] : std::vector<std::tuple<int, std::string, std::string>>{
           {9, "", "unknown kind 9"},
           {1, std::string(16, '\0'), "unknown kind 1"},
           {2, "short", "too short"},
           {2, std::string(36, '\0'), "a key of 0 bytes"},
           {2, std::string(32, '\0') + std::string("\1\0\0\0k", 5), "impossible revisions"},
           {2, std::string(32, '\0') + std::string("\xff\xff\xff\xff", 4), "a key of 4294967295"},
           {3, std::string(24, '\0'), "impossible times"},
           {3, "short", "wrong length"},
           {4, std::string(44, '\0'), "checksum of the whole file"},
           {4, "short", "wrong length"}}) {
    const std::string bytes = header + Frame(header.size(), static_cast<uint8_t>(kind), payload);
    EXPECT_NE(Fault(bytes).find(wanted), std::string::npos) << Fault(bytes);
  }
}

TEST(BackupFormatTest, AFrameIsBoundBeforeItIsRead) {
  const std::string huge = SampleBackup().substr(0, 12) + std::string("\2\xff\xff\xff\xff", 5);
  EXPECT_EQ(Fault(huge), "the backup is damaged at byte 12: a frame of 4294967295 bytes");
}

TEST(BackupFormatTest, MovedFramesAreNoticed) {
  StringSink sink;
  BackupWriter writer(sink);
  ASSERT_TRUE(writer.Begin({}));
  const size_t first = sink.text.size();
  ASSERT_TRUE(writer.Add(Entry("a", "1", 2)));
  const size_t second = sink.text.size();
  ASSERT_TRUE(writer.Add(Entry("b", "2", 3)));
  const size_t end = sink.text.size();
  ASSERT_TRUE(writer.Finish({3}));
  const std::string& good = sink.text;
  const std::string swapped = good.substr(0, first) + good.substr(second, end - second) +
                              good.substr(first, second - first) + good.substr(end);
  EXPECT_NE(Fault(swapped), "");
}

TEST(BackupFormatTest, AKeyOrALeaseThatIsThereTwiceIsAnError) {
  StringSink sink;
  BackupWriter writer(sink);
  ASSERT_TRUE(writer.Begin({}));
  ASSERT_TRUE(writer.Add(Entry("a", "1", 2)));
  ASSERT_TRUE(writer.Add(Entry("a", "2", 3)));
  ASSERT_TRUE(writer.Finish({3}));
  EXPECT_NE(Fault(sink.text).find("the key \"a\" is there twice"), std::string::npos);

  StringSink leases;
  BackupWriter other(leases);
  ASSERT_TRUE(other.Begin({}));
  ASSERT_TRUE(other.Add(Lease(1, 5, 5)));
  ASSERT_TRUE(other.Add(Lease(1, 5, 5)));
  ASSERT_TRUE(other.Finish({1}));
  EXPECT_NE(Fault(leases.text).find("a lease is in it twice"), std::string::npos);
}

TEST(BackupFormatTest, AMissingLeaseIsAnError) {
  StringSink sink;
  BackupWriter writer(sink);
  ASSERT_TRUE(writer.Begin({}));
  ASSERT_TRUE(writer.Add(Entry("a", "1", 2, 7)));
  ASSERT_TRUE(writer.Finish({3}));
  EXPECT_NE(Fault(sink.text).find("lease 7 is missing"), std::string::npos);
}

TEST(BackupFormatTest, EntriesNewerThanTheBackupAreAnError) {
  StringSink sink;
  BackupWriter writer(sink);
  ASSERT_TRUE(writer.Begin({}));
  ASSERT_TRUE(writer.Add(Entry("a", "1", 20)));
  ASSERT_TRUE(writer.Finish({3}));
  EXPECT_NE(Fault(sink.text).find("newer than the revision"), std::string::npos);
}

TEST(BackupFormatTest, AValueThatIsTooLargeIsNamed) {
  StringSink sink;
  BackupWriter writer(sink);
  ASSERT_TRUE(writer.Begin({}));
  const Result<void> added =
      writer.Add(Entry("big", std::string(limits::kMaxBackupFrameBytes, 'x'), 2));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message().find("\"big\""), std::string::npos);
}

// A source whose entries and leases are given.
class GivenSource final : public BackupSource {
 public:
  Result<Revision> Scan(const KeyRange& range, ScanSink* sink) override {
    for (const KeyValue& entry : entries) {
      if (range.Contains(entry.key)) sink->OnEntries({entry});
    }
    return revision;
  }
  Result<LeaseInfo> FindLease(LeaseId id) override {
    const auto found = leases.find(id);
    if (found == leases.end()) return Fail(StatusReason::kNotFound, "no such lease");
    return found->second;
  }
  Result<Revision> CurrentRevision() override { return revision; }

  std::vector<KeyValue> entries;
  std::map<LeaseId, LeaseInfo> leases;
  Revision revision{10};
};

TEST(BackupTest, HoldsThePrefixAndTheLeasesInUse) {
  GivenSource source;
  source.entries = {Entry("/registry/a", "1", 2, 5), Entry("/other", "2", 3, 6),
                    Entry("/registry/b", "3", 4, 7), Entry("/registry/c", "4", 4, 5)};
  source.leases = {{{5}, Lease(5, 60, 30)}, {{6}, Lease(6, 60, 30)}};
  StringSink sink;
  uint64_t told = 0;
  const Result<BackupEnd> end = TakeBackup(source, {.prefix = "/registry/"}, sink,
                                           [&](const WorkProgress& p) { told = p.entries; });
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(told, 3u);
  EXPECT_EQ(end->entries, 3u);
  EXPECT_EQ(end->leases, 2u);
  MemorySource bytes(sink.text);
  Result<BackupReader> reader = BackupReader::Open(bytes);
  const Result<BackupIndex> index = BackupIndex::Build(bytes, *reader);
  ASSERT_TRUE(index) << index.error().message();
  EXPECT_EQ(index->FindLease({5})->remaining, std::chrono::seconds(30));
  // Ended between the scan and the question.
  EXPECT_EQ(index->FindLease({7})->remaining, std::chrono::seconds(0));
}

TEST(BackupTest, AnErrorOfTheSinkIsTheErrorOfTheBackup) {
  GivenSource source;
  for (int i = 0; i < 100; ++i) source.entries.push_back(Entry("k" + std::to_string(i), "v", 2));
  StringSink sink;
  sink.room = 1000;
  const Result<BackupEnd> end = TakeBackup(source, {}, sink, {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message(), "full");
}

class BackupFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "skiff-backup.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  std::filesystem::path folder_;
};

TEST_F(BackupFileTest, AppearsOnlyWhenItIsCommitted) {
  const std::string path = folder_ / "b";
  auto file = NewBackupFile::Create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append(SampleBackup()));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE((*file)->Commit());
  file->reset();
  EXPECT_EQ(Names(), std::vector<std::string>{"b"});
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  auto source = OpenBackupFile(path);
  ASSERT_TRUE(source);
  Result<BackupReader> reader = BackupReader::Open(**source);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(BackupIndex::Build(**source, *reader));
}

TEST_F(BackupFileTest, WhatIsNotCommittedLeavesNothing) {
  auto file = NewBackupFile::Create(folder_ / "b");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append("something"));
  file->reset();
  EXPECT_TRUE(Names().empty());
}

TEST_F(BackupFileTest, AnUnnamedFileIsReadBackAndLeavesNothing) {
  auto file = NewBackupFile::CreateUnnamed(folder_);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append("something"));
  EXPECT_TRUE(Names().empty());
  auto source = (*file)->ReadBack();
  ASSERT_TRUE(source);
  std::string out(4, '\0');
  EXPECT_EQ((*source)->ReadAt(5, out).value(), 4u);
  EXPECT_EQ(out, "hing");
}

TEST_F(BackupFileTest, PlacesThatCannotBeWrittenAreNamed) {
  EXPECT_NE(NewBackupFile::Create(folder_).error().message().find("a directory"),
            std::string::npos);
  EXPECT_NE(NewBackupFile::Create(folder_ / "none" / "b").error().message().find("No such file"),
            std::string::npos);
  EXPECT_NE(OpenBackupFile(folder_).error().message().find("a directory"), std::string::npos);
}

}  // namespace
}  // namespace skiff::store
