#include "store/cache/entry.h"

#include <malloc.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

TEST(CacheEntryTest, KeepsWhatItWasMadeOf) {
  object::SymbolTable table;
  const object::LabelSet::Label labels[] = {{"app", "web"}};
  const SharedBytes value("storage bytes");
  const EntryRef entry =
      CacheEntry::Make("default/web", Revision{7}, value, object::LabelSet(table, labels));
  EXPECT_EQ(entry->key(), "default/web");
  EXPECT_EQ(entry->revision(), Revision{7});
  EXPECT_TRUE(entry->value().SharesWith(value));
  EXPECT_EQ(entry->labels().Find("app"), "web");
  EXPECT_EQ(entry->field_count(), 0u);
}

TEST(CacheEntryTest, NamespaceAndNameAreTheHalvesOfTheKey) {
  const EntryRef entry =
      CacheEntry::Make("default/web", Revision{1}, SharedBytes(), object::LabelSet());
  EXPECT_EQ(entry->name_space(), "default");
  EXPECT_EQ(entry->name(), "web");
  EXPECT_EQ(entry->name().data(), entry->key().data() + 8);
}

TEST(CacheEntryTest, KeyWithoutSlashIsANameWithoutNamespace) {
  const EntryRef entry = CacheEntry::Make("node-1", Revision{1}, SharedBytes(), object::LabelSet());
  EXPECT_EQ(entry->name_space(), "");
  EXPECT_EQ(entry->name(), "node-1");
}

TEST(CacheEntryTest, FieldsInTheStorageBytesAreNotCopied) {
  const SharedBytes value("....node-1..Running");
  const std::string elsewhere = "true";
  const std::string_view fields[] = {value.view().substr(4, 6), elsewhere, "",
                                     value.view().substr(12)};
  const EntryRef entry =
      CacheEntry::Make("default/web", Revision{1}, value, object::LabelSet(), fields);
  ASSERT_EQ(entry->field_count(), 4u);
  EXPECT_EQ(entry->field(0), "node-1");
  EXPECT_EQ(entry->field(0).data(), value.view().data() + 4);
  EXPECT_EQ(entry->field(1), "true");
  EXPECT_NE(entry->field(1).data(), elsewhere.data());
  EXPECT_EQ(entry->field(2), "");
  EXPECT_EQ(entry->field(3), "Running");
  EXPECT_EQ(entry->key(), "default/web");
}

TEST(CacheEntryTest, LongAndFarFieldsAreKeptToo) {
  std::string text(3'000'000, 'x');
  text.replace(2'500'000, 6, "node-1");
  const SharedBytes value(text);
  const std::string elsewhere(5'000, 'y');
  const std::string_view fields[] = {value.view().substr(2'500'000, 6),
                                     value.view().substr(10, 2'000), elsewhere, "short"};
  const EntryRef entry = CacheEntry::Make("a", Revision{1}, value, object::LabelSet(), fields);
  EXPECT_EQ(entry->field(0), "node-1");
  EXPECT_EQ(entry->field(1), value.view().substr(10, 2'000));
  EXPECT_EQ(entry->field(1).data(), value.view().data() + 10);
  EXPECT_EQ(entry->field(2), elsewhere);
  EXPECT_EQ(entry->field(3), "short");
}

TEST(CacheEntryTest, LastHandleFreesWhatTheEntryHeld) {
  object::SymbolTable table;
  const object::LabelSet::Label labels[] = {{"app", "web"}};
  EntryRef first =
      CacheEntry::Make("a", Revision{1}, SharedBytes("value"), object::LabelSet(table, labels));
  EntryRef second = first;
  EntryRef third(first.get());
  first = {};
  third = EntryRef();
  EXPECT_EQ(table.label_set_count(), 1u);
  EXPECT_EQ(second->key(), "a");
  second = {};
  EXPECT_EQ(table.label_set_count(), 0u);
}

// Of the entry and the storage bytes, as malloc counts. Labels are mostly shared, and the index is
// measured where it is tested.
double MemoryPerStorageByte(size_t value_size, std::string_view key, size_t fields) {
  constexpr size_t kEntries = 2'000;
  const std::string bytes(value_size, 'x');
  std::vector<EntryRef> entries;
  entries.reserve(kEntries);
  const size_t before = ::mallinfo2().uordblks;
  for (size_t i = 0; i < kEntries; ++i) {
    const SharedBytes value(bytes);
    std::array<std::string_view, 16> views;
    views.fill(value.view().substr(5, 9));
    entries.push_back(CacheEntry::Make(key, Revision{1}, value, object::LabelSet(),
                                       std::span(views).first(fields)));
  }
  return static_cast<double>(::mallinfo2().uordblks - before) /
         static_cast<double>(kEntries * value_size);
}

TEST(CacheEntryTest, TakesLittleMoreMemoryThanTheStorageBytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers replace malloc";
#endif
  EXPECT_LE(MemoryPerStorageByte(500, "kube-node-lease/node-12345.example", 0), 1.25);
  EXPECT_LE(MemoryPerStorageByte(800, "default/web-5d9c7b8f6d-x2x7q.17a2b3c4d5e6f708", 11), 1.25);
  EXPECT_LE(MemoryPerStorageByte(2'048, "default/settings-of-the-web-server", 0), 1.07);
  EXPECT_LE(MemoryPerStorageByte(4'500, "default/web-5d9c7b8f6d-x2x7q", 9), 1.04);
}

}  // namespace
}  // namespace skiff::store
