#include "base/hash_index.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff {
namespace {

const uint32_t* FindNumber(const HashIndex<uint32_t>& index, uint32_t number) {
  return index.Find(KeyedHash(&number, sizeof number, 1),
                    [&](uint32_t other) { return other == number; });
}

TEST(HashIndexTest, FindsWhatWasInsertedAndNothingElse) {
  constexpr uint32_t kCount = 1000;
  for (const bool reserved : {false, true}) {
    HashIndex<uint32_t> index;
    if (reserved) index.Reserve(kCount);
    for (uint32_t i = 0; i < kCount; ++i) index.Insert(KeyedHash(&i, sizeof i, 1), i);
    EXPECT_EQ(index.size(), kCount);
    for (uint32_t i = 0; i < 2 * kCount; ++i)
      EXPECT_EQ(FindNumber(index, i) != nullptr, i < kCount);
  }
}

TEST(HashIndexTest, CanBeUsedAgainAfterClear) {
  HashIndex<uint32_t> index;
  index.Insert(7, 1);
  index.Clear();
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.Find(7, [](uint32_t) { return true; }), nullptr);
  index.Insert(7, 2);
  EXPECT_EQ(*index.Find(7, [](uint32_t) { return true; }), 2u);
}

TEST(HashIndexTest, HashesByContentAndSeed) {
  EXPECT_EQ(KeyedHash("abcdefghi", 9, 1), KeyedHash(std::string("abcdefghi").data(), 9, 1));
  EXPECT_NE(KeyedHash("abcdefghi", 9, 1), KeyedHash("abcdefghi", 9, 2));
  EXPECT_NE(KeyedHash("a", 1, 1), KeyedHash("a\0", 2, 1));
  EXPECT_EQ(ProcessHashSeed(), ProcessHashSeed());
}

}  // namespace
}  // namespace skiff
