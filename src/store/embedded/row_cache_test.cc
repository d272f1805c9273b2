#include "store/embedded/row_cache.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

CurrentRow Row(int64_t revision) { return {{revision, 3}, revision - 1, 2, {9}, false}; }

TEST(RowCacheTest, GivesRowsBackAsTheyWere) {
  SeededRandom random(1);
  RowCache cache(random);
  const CurrentRow deleted{{7, 0}, 0, 0, {}, true};
  cache.Put("a", Row(5));
  cache.Put("b", deleted);
  EXPECT_EQ(cache.Find("a"), Row(5));
  EXPECT_EQ(cache.Find("b"), deleted);
  EXPECT_EQ(cache.Find("c"), std::nullopt);
  cache.Put("a", Row(6));
  EXPECT_EQ(cache.Find("a"), Row(6));
  cache.Remove("a");
  EXPECT_EQ(cache.Find("a"), std::nullopt);
}

TEST(RowCacheTest, ARowThatDoesNotFitIsNotKeptNorIsTheOneBefore) {
  SeededRandom random(1);
  RowCache cache(random);
  cache.Put("a", Row(5));
  CurrentRow large = Row(6);
  large.version = int64_t{1} << 32;
  cache.Put("a", large);
  EXPECT_EQ(cache.Find("a"), std::nullopt);
}

TEST(RowCacheTest, NeverGivesARowThatIsNotTheLastThroughGrowthAndForgetting) {
  SeededRandom random(1);
  RowCache cache(random, 1024);
  std::map<std::string, CurrentRow> rows;
  for (int step = 1; step < 50'000; ++step) {
    const std::string key = "/registry/pods/default/pod-" + std::to_string(random.Uniform(3000));
    if (random.Uniform(10) == 0) {
      cache.Remove(key);
      rows.erase(key);
    } else {
      cache.Put(key, Row(step));
      rows[key] = Row(step);
    }
    const std::string other = "/registry/pods/default/pod-" + std::to_string(random.Uniform(3000));
    const auto found = cache.Find(other);
    if (found) {
      ASSERT_EQ(*found, rows.at(other));
    }
  }
}

TEST(RowCacheTest, KeepsNearlyAllRowsBelowItsBound) {
  SeededRandom random(1);
  RowCache cache(random, 1 << 16);
  for (int i = 1; i <= 20'000; ++i) cache.Put("key" + std::to_string(i), Row(i));
  int kept = 0;
  for (int i = 1; i <= 20'000; ++i) kept += cache.Find("key" + std::to_string(i)) == Row(i) ? 1 : 0;
  EXPECT_GT(kept, 19'500);
}

}  // namespace
}  // namespace skiff::store
