#include "store/embedded/table_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff::store {
namespace {

// The bytes of a table as RocksDB writes it.
std::string MakeTable() {
  const TemporaryDirectory place;
  RocksDbOptions options;
  options.directory = place.PathOf("store");
  options.room = DiskSpaceLimits{};
  auto engine = RocksDbEngine::Open(options);
  auto batch = (*engine)->NewBatch();
  for (int i = 0; i < 20; ++i) batch->Put(Family::kLog, "key" + std::to_string(i), "value");
  (*engine)->Write(*batch).value();
  (*engine)->Defragment().value();
  engine->reset();
  for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
    if (entry.path().extension() != ".sst") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  return "";
}

const char* Damage(const std::string& file) {
  return FindTableDamage(file.size(), [&](uint64_t offset, size_t size, std::string* out) {
    *out += file.substr(offset, size);
    return offset + size <= file.size();
  });
}

// Behind so many numbers of variable size.
size_t SkipNumbers(const std::string& file, size_t at, int count) {
  for (; count > 0; ++at) count -= (file[at] & 0x80) == 0 ? 1 : 0;
  return at;
}

TEST(TableFileTest, ATableOfRocksDbIsSound) {
  const std::string table = MakeTable();
  ASSERT_GT(table.size(), 500U);
  EXPECT_EQ(Damage(table), nullptr) << Damage(table);
}

TEST(TableFileTest, EveryChangedBitOfPropertiesMetaindexAndFooterIsFound) {
  std::string table = MakeTable();
  const size_t properties = table.find("rocksdb.block.based");
  ASSERT_NE(properties, std::string::npos);
  // Where the index stands is compared when that is read: its block has a checksum of its own.
  const size_t index_handle = SkipNumbers(table, table.size() - 52, 2);
  const size_t index_handle_end = SkipNumbers(table, index_handle, 2);
  for (size_t at = properties; at < table.size(); ++at) {
    if (at >= index_handle && at < index_handle_end) continue;
    for (int bit = 0; bit < 8; ++bit) {
      table[at] = static_cast<char>(table[at] ^ (1 << bit));
      EXPECT_NE(Damage(table), nullptr) << at << " of " << table.size() << " bit " << bit;
      table[at] = static_cast<char>(table[at] ^ (1 << bit));
    }
  }
}

TEST(TableFileTest, ATableThatEndsTooEarlyIsDamaged) {
  const std::string table = MakeTable();
  for (size_t size = 0; size < table.size(); size += 7) {
    EXPECT_NE(Damage(table.substr(0, size)), nullptr) << size;
  }
}

TEST(TableFileTest, WhatCannotBeReadIsNotCalledDamaged) {
  const std::string table = MakeTable();
  EXPECT_EQ(FindTableDamage(table.size(), [](uint64_t, size_t, std::string*) { return false; }),
            nullptr);
}

}  // namespace
}  // namespace skiff::store
