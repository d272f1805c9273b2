// What every engine promises (engine.h), run on each of them.
#include "store/embedded/engine.h"

#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff::store {
namespace {

using Contents = std::map<std::string, std::string>;

// Opens an engine on a place that outlives it; opening again finds what was written.
struct EngineKind {
  const char* name;
  std::function<std::function<std::unique_ptr<Engine>()>()> make_opener;
};

EngineKind RocksDbKind() {
  return {"RocksDb", [] {
            auto place = std::make_shared<TemporaryDirectory>();
            return [place] {
              RocksDbOptions options;
              options.directory = place->PathOf("store");
              options.room = DiskSpaceLimits{};
              auto engine = RocksDbEngine::Open(options);
              EXPECT_TRUE(engine.has_value()) << engine.error().ToString();
              return engine ? std::move(*engine) : nullptr;
            };
          }};
}

class EngineTest : public testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    open_ = GetParam().make_opener();
    Reopen();
  }
  void Reopen() {
    engine_.reset();
    engine_ = open_();
    ASSERT_NE(engine_, nullptr);
  }

  void Put(Family family, std::string_view key, std::string_view value) {
    auto batch = engine_->NewBatch();
    batch->Put(family, key, value);
    const auto written = engine_->Write(*batch);
    ASSERT_TRUE(written.has_value()) << written.error().ToString();
  }
  std::string Get(Family family, std::string_view key) {
    std::string value;
    const auto found = engine_->Get(family, key, &value);
    if (!found) return "error: " + found.error().ToString();
    return *found ? value : "absent";
  }
  static Contents Walk(EngineSnapshot& snapshot, Family family, std::string_view from = "") {
    Contents out;
    const auto cursor = snapshot.NewCursor(family);
    std::string last;
    for (cursor->Seek(from); cursor->Valid(); cursor->Next()) {
      EXPECT_TRUE(out.empty() || last < cursor->key());
      last = cursor->key();
      out.emplace(cursor->key(), cursor->value());
    }
    EXPECT_TRUE(cursor->status().has_value());
    return out;
  }

  std::function<std::unique_ptr<Engine>()> open_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(EngineTest, FindsWhatWasWrittenAndNothingElse) {
  Put(Family::kCurrent, "a", "1");
  EXPECT_EQ(Get(Family::kCurrent, "a"), "1");
  EXPECT_EQ(Get(Family::kCurrent, "b"), "absent");
  EXPECT_EQ(Get(Family::kLog, "a"), "absent") << "families are apart";
}

TEST_P(EngineTest, KeysAndValuesAreAnyBytes) {
  const std::string odd("\0\xff\n\0", 4);
  Put(Family::kLog, odd, odd);
  Put(Family::kLog, "empty", "");
  EXPECT_EQ(Get(Family::kLog, odd), odd);
  EXPECT_EQ(Get(Family::kLog, "empty"), "");
}

TEST_P(EngineTest, ABatchIsWrittenInItsOrderAcrossFamilies) {
  auto batch = engine_->NewBatch();
  batch->Put(Family::kCurrent, "a", "1");
  batch->Put(Family::kCurrent, "a", "2");
  batch->Put(Family::kLog, "b", "3");
  batch->Delete(Family::kLog, "b");
  batch->Put(Family::kMeta, "c", "4");
  batch->Put(Family::kLease, "d", "5");
  ASSERT_TRUE(engine_->Write(*batch).has_value());
  EXPECT_EQ(Get(Family::kCurrent, "a"), "2");
  EXPECT_EQ(Get(Family::kLog, "b"), "absent");
  EXPECT_EQ(Get(Family::kMeta, "c"), "4");
  EXPECT_EQ(Get(Family::kLease, "d"), "5");
}

TEST_P(EngineTest, AClearedBatchWritesNothingOfWhatItHeld) {
  auto batch = engine_->NewBatch();
  const size_t empty = batch->bytes();
  batch->Put(Family::kLog, "a", std::string(1000, 'x'));
  EXPECT_GE(batch->bytes(), empty + 1000);
  batch->Clear();
  EXPECT_EQ(batch->bytes(), empty);
  batch->Put(Family::kLog, "b", "1");
  ASSERT_TRUE(engine_->Write(*batch).has_value());
  EXPECT_EQ(Get(Family::kLog, "a"), "absent");
  EXPECT_EQ(Get(Family::kLog, "b"), "1");
}

TEST_P(EngineTest, DeletingWhatIsAbsentIsNoError) {
  auto batch = engine_->NewBatch();
  batch->Delete(Family::kCurrent, "nothing");
  EXPECT_TRUE(engine_->Write(*batch).has_value());
}

TEST_P(EngineTest, CursorsWalkInTheOrderOfBytes) {
  for (const char* key : {"b", "a", "\xff", "ab", "c"}) Put(Family::kCurrent, key, key);
  Put(Family::kLog, "aa", "of another family");
  const auto snapshot = engine_->NewSnapshot();
  const Contents all = {{"a", "a"}, {"ab", "ab"}, {"b", "b"}, {"c", "c"}, {"\xff", "\xff"}};
  EXPECT_EQ(Walk(*snapshot, Family::kCurrent), all);
  const Contents some = {{"b", "b"}, {"c", "c"}, {"\xff", "\xff"}};
  EXPECT_EQ(Walk(*snapshot, Family::kCurrent, "aba"), some);
  EXPECT_TRUE(Walk(*snapshot, Family::kMeta).empty());
}

TEST_P(EngineTest, ACursorCanSeekAgain) {
  for (const char* key : {"a", "b", "c"}) Put(Family::kLog, key, "");
  const auto snapshot = engine_->NewSnapshot();
  const auto cursor = snapshot->NewCursor(Family::kLog);
  cursor->Seek("c");
  ASSERT_TRUE(cursor->Valid());
  cursor->Next();
  EXPECT_FALSE(cursor->Valid());
  EXPECT_TRUE(cursor->status().has_value());
  cursor->Seek("a");
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "a");
}

TEST_P(EngineTest, ASnapshotDoesNotMoveAndAllItsFamiliesAgree) {
  Put(Family::kCurrent, "a", "old");
  Put(Family::kLog, "gone", "old");
  const auto snapshot = engine_->NewSnapshot();
  auto batch = engine_->NewBatch();
  batch->Put(Family::kCurrent, "a", "new");
  batch->Put(Family::kLog, "new", "new");
  batch->Delete(Family::kLog, "gone");
  ASSERT_TRUE(engine_->Write(*batch).has_value());

  EXPECT_EQ(Walk(*snapshot, Family::kCurrent), (Contents{{"a", "old"}}));
  EXPECT_EQ(Walk(*snapshot, Family::kLog), (Contents{{"gone", "old"}}));
  std::string value;
  ASSERT_TRUE(snapshot->Get(Family::kCurrent, "a", &value).value());
  EXPECT_EQ(value, "old");
  EXPECT_FALSE(snapshot->Get(Family::kLog, "new", &value).value());
  EXPECT_EQ(Walk(*engine_->NewSnapshot(), Family::kLog), (Contents{{"new", "new"}}));
}

TEST_P(EngineTest, OpeningAgainFindsEverything) {
  Put(Family::kMeta, "revision", "7");
  Put(Family::kLog, "a", std::string(100'000, 'x'));
  Reopen();
  EXPECT_EQ(Get(Family::kMeta, "revision"), "7");
  EXPECT_EQ(Get(Family::kLog, "a"), std::string(100'000, 'x'));
  Put(Family::kMeta, "revision", "8");
  Reopen();
  EXPECT_EQ(Get(Family::kMeta, "revision"), "8");
}

TEST_P(EngineTest, IsAMapUnderRandomWritesReopeningsAndDefragmentation) {
  SeededRandom random(7);
  std::array<Contents, kFamilyCount> expected;
  for (int step = 0; step < 400; ++step) {
    auto batch = engine_->NewBatch();
    for (uint64_t n = random.Uniform(4) + 1; n > 0; --n) {
      const auto family = static_cast<Family>(random.Uniform(kFamilyCount));
      Contents& contents = expected[static_cast<size_t>(family)];
      const std::string key = "key" + std::to_string(random.Uniform(60));
      if (random.Uniform(3) == 0) {
        batch->Delete(family, key);
        contents.erase(key);
      } else {
        const std::string value(random.Uniform(20'000), static_cast<char>('a' + step % 26));
        batch->Put(family, key, value);
        contents[key] = value;
      }
    }
    ASSERT_TRUE(engine_->Write(*batch).has_value());
    if (step % 150 == 149) Reopen();
    if (step % 190 == 189) {
      ASSERT_TRUE(engine_->Defragment().has_value());
    }
  }
  const auto snapshot = engine_->NewSnapshot();
  for (size_t i = 0; i < kFamilyCount; ++i) {
    EXPECT_EQ(Walk(*snapshot, static_cast<Family>(i)), expected[i]) << "family " << i;
  }
}

TEST_P(EngineTest, FiguresCountSyncsAndIsHealthy) {
  const uint64_t before = engine_->Figures().syncs;
  Put(Family::kLog, "a", "1");
  Put(Family::kLog, "b", "1");
  EXPECT_EQ(engine_->Figures().syncs, before + 2);
  EXPECT_TRUE(engine_->Health().has_value());
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineTest, testing::Values(RocksDbKind()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace skiff::store
