#include "store/embedded/record.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

LogRecord Put() {
  LogRecord record;
  record.create_revision = 3;
  record.version = 2;
  record.lease.value = 77;
  record.previous = {5, 1};
  record.key = "/registry/pods/a";
  record.value = "some bytes";
  return record;
}

std::string Encoded(LogPosition position, const LogRecord& record) {
  std::string bytes;
  EncodeRecord(position, record, &bytes);
  return bytes;
}

TEST(RecordTest, RecordsComeBackAsTheyWere) {
  const std::string bytes = Encoded({9, 4}, Put());
  const Result<LogRecord> record = DecodeRecord({9, 4}, bytes);
  ASSERT_TRUE(record) << record.error().ToString();
  EXPECT_EQ(record->kind, Write::Kind::kPut);
  EXPECT_EQ(record->create_revision, 3);
  EXPECT_EQ(record->version, 2);
  EXPECT_EQ(record->lease.value, 77);
  EXPECT_EQ(record->previous, (LogPosition{5, 1}));
  EXPECT_EQ(record->key, "/registry/pods/a");
  EXPECT_EQ(record->value, "some bytes");

  LogRecord deletion;
  deletion.kind = Write::Kind::kDelete;
  deletion.key = "k";
  EXPECT_EQ(DecodeRecord({2, 0}, Encoded({2, 0}, deletion))->kind, Write::Kind::kDelete);
}

TEST(RecordTest, AnyFlippedBitAndAnyCutIsNoticed) {
  const std::string good = Encoded({9, 4}, Put());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(DecodeRecord({9, 4}, bad)) << bit;
  }
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(DecodeRecord({9, 4}, good.substr(0, length))) << length;
  }
}

TEST(RecordTest, ARecordUnderAnotherPositionIsNoticed) {
  const std::string bytes = Encoded({9, 4}, Put());
  EXPECT_FALSE(DecodeRecord({9, 5}, bytes));
  EXPECT_FALSE(DecodeRecord({10, 4}, bytes));
}

TEST(RecordTest, FieldsThatContradictAreRefused) {
  const auto refused = [](auto change) {
    LogRecord record = Put();
    change(record);
    return !DecodeRecord({9, 4}, Encoded({9, 4}, record));
  };
  EXPECT_TRUE(refused([](LogRecord& r) { r.create_revision = 10; }));
  EXPECT_TRUE(refused([](LogRecord& r) { r.create_revision = 0; }));
  EXPECT_TRUE(refused([](LogRecord& r) { r.version = 0; }));
  EXPECT_TRUE(refused([](LogRecord& r) { r.key = ""; }));
  EXPECT_TRUE(refused([](LogRecord& r) { r.previous = {9, 0}; }));
  EXPECT_TRUE(refused([](LogRecord& r) { r.previous = {0, 1}; }));
  EXPECT_TRUE(refused([](LogRecord& r) { r.kind = Write::Kind::kDelete; }));
  EXPECT_FALSE(refused([](LogRecord&) {}));
}

TEST(RecordTest, KeysOfTheLogAreInOrderOfPositions) {
  const LogPosition positions[] = {{1, 0}, {1, 1}, {1, 300}, {2, 0}, {256, 0}, {1LL << 40, 7}};
  for (size_t i = 0; i + 1 < std::size(positions); ++i) {
    EXPECT_LT(std::string_view(LogKey(positions[i])), std::string_view(LogKey(positions[i + 1])));
  }
  EXPECT_EQ(*DecodeLogKey(LogKey({1LL << 40, 7})), (LogPosition{1LL << 40, 7}));
  EXPECT_FALSE(DecodeLogKey("short"));
  EXPECT_FALSE(DecodeLogKey(LogKey({0, 1})));
}

TEST(RecordTest, RowsKnowTheirKeyAndNoticeAnyFlippedBit) {
  const CurrentRow row{{9, 4}, 3, 2, {77}, false};
  const std::string good{std::string_view(CurrentRowBytes("key", row))};
  EXPECT_EQ(*DecodeCurrentRow("key", good), row);
  EXPECT_FALSE(DecodeCurrentRow("kex", good));
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(DecodeCurrentRow("key", bad)) << bit;
  }
}

TEST(RecordTest, LeasesAndNumbersComeBackAndKnowTheirNames) {
  const LeaseRow row{3600, 1'700'000'000'000'000'000, true};
  const std::string key = LeaseKey({42});
  EXPECT_EQ(DecodeLeaseKey(key)->value, 42);
  EXPECT_EQ(*DecodeLeaseRow(key, EncodeLeaseRow(key, row)), row);
  EXPECT_FALSE(DecodeLeaseRow(LeaseKey({43}), EncodeLeaseRow(key, row)));
  EXPECT_LT(key, kLeaseKeysEnd);
  EXPECT_GE(AttachmentKey({42}, "a"), kLeaseKeysEnd);
  EXPECT_EQ(*DecodeMeta("revision", EncodeMeta("revision", 7)), 7);
  EXPECT_FALSE(DecodeMeta("compacted", EncodeMeta("revision", 7)));
}

}  // namespace
}  // namespace skiff::store
