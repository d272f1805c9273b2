#include "store/embedded/memory_engine.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

Result<void> Put(Engine& engine, std::string_view key, std::string_view value) {
  const auto batch = engine.NewBatch();
  batch->Put(Family::kLog, key, value);
  return engine.Write(*batch);
}

Result<void> Delete(Engine& engine, std::string_view key) {
  const auto batch = engine.NewBatch();
  batch->Delete(Family::kLog, key);
  return engine.Write(*batch);
}

std::string Read(EngineSnapshot& snapshot) {
  std::string text;
  const auto cursor = snapshot.NewCursor(Family::kLog);
  for (cursor->Seek(""); cursor->Valid(); cursor->Next()) {
    text += std::string(cursor->key()) + "=" + std::string(cursor->value()) + " ";
  }
  return text;
}

TEST(MemoryEngineTest, SnapshotsKeepWhatTheySawThroughLaterWrites) {
  const auto disk = MemoryDisk::Make();
  const auto engine = *disk->Open();
  ASSERT_TRUE(Put(*engine, "a", "1"));
  ASSERT_TRUE(Put(*engine, "b", "1"));
  auto first = engine->NewSnapshot();
  ASSERT_TRUE(Put(*engine, "a", "2"));
  const auto second = engine->NewSnapshot();
  ASSERT_TRUE(Delete(*engine, "b"));
  ASSERT_TRUE(Put(*engine, "c", "1"));
  EXPECT_EQ(Read(*first), "a=1 b=1 ");
  EXPECT_EQ(Read(*second), "a=2 b=1 ");
  EXPECT_EQ(Read(*engine->NewSnapshot()), "a=2 c=1 ");
  first.reset();
  ASSERT_TRUE(Put(*engine, "a", "3"));
  EXPECT_EQ(Read(*second), "a=2 b=1 ");
  EXPECT_EQ(disk->Keys(Family::kLog), std::vector<std::string>({"a", "c"}));
}

TEST(MemoryEngineTest, FamiliesAreApart) {
  const auto engine = *MemoryDisk::Make()->Open();
  ASSERT_TRUE(Put(*engine, "a", "1"));
  std::string value;
  EXPECT_TRUE(*engine->Get(Family::kLog, "a", &value));
  EXPECT_FALSE(*engine->Get(Family::kMeta, "a", &value));
}

TEST(MemoryEngineTest, ACopyIsWhatACrashLeaves) {
  const auto disk = MemoryDisk::Make();
  const auto engine = *disk->Open();
  ASSERT_TRUE(Put(*engine, "a", "1"));
  const auto crashed = disk->Copy();
  ASSERT_TRUE(Put(*engine, "a", "2"));
  EXPECT_EQ(Read(*(*crashed->Open())->NewSnapshot()), "a=1 ");
}

TEST(MemoryEngineTest, AFailedWriteStaysFailedUntilTheNextOpening) {
  for (const auto outcome : {MemoryDisk::Outcome::kApplied, MemoryDisk::Outcome::kLost}) {
    const auto disk = MemoryDisk::Make();
    auto engine = *disk->Open();
    disk->FailWrite(2, outcome);
    ASSERT_TRUE(Put(*engine, "a", "1"));
    EXPECT_EQ(Put(*engine, "b", "1").error().reason(), StatusReason::kServerTimeout);
    EXPECT_EQ(Put(*engine, "c", "1").error().reason(), StatusReason::kServiceUnavailable);
    engine.reset();
    engine = *disk->Open();
    ASSERT_TRUE(Put(*engine, "d", "1"));
    EXPECT_EQ(disk->Get(Family::kLog, "b").has_value(), outcome == MemoryDisk::Outcome::kApplied);
    EXPECT_FALSE(disk->Get(Family::kLog, "c"));
  }
}

TEST(MemoryEngineTest, OnlyOneEngineHasTheDisk) {
  const auto disk = MemoryDisk::Make();
  auto engine = *disk->Open();
  EXPECT_FALSE(disk->Open());
  engine.reset();
  EXPECT_TRUE(disk->Open());
}

}  // namespace
}  // namespace skiff::store
