#include "base/arena.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(ArenaTest, TakesNoMemoryBeforeTheFirstPiece) {
  Arena arena;
  EXPECT_EQ(arena.BytesReserved(), 0u);
}

TEST(ArenaTest, PiecesDoNotOverlapAcrossBlocks) {
  Arena arena;
  std::vector<std::string_view> pieces;
  for (int i = 0; i < 2000; ++i) {
    pieces.push_back(arena.Copy(std::string(static_cast<size_t>(i % 37 + 1), char('a' + i % 26))));
  }
  for (int i = 0; i < 2000; ++i) {
    const std::string_view piece = pieces[static_cast<size_t>(i)];
    ASSERT_EQ(piece.size(), static_cast<size_t>(i % 37 + 1));
    ASSERT_TRUE(std::all_of(piece.begin(), piece.end(), [&](char c) { return c == 'a' + i % 26; }));
  }
}

TEST(ArenaTest, AlignsEveryPiece) {
  Arena arena;
  for (int i = 0; i < 1000; ++i) {
    arena.AllocateChars(static_cast<size_t>(i % 7 + 1));
    for (const size_t align : {1, 2, 4, 8, 16}) {
      const auto at = reinterpret_cast<uintptr_t>(arena.Allocate(3, align));
      ASSERT_EQ(at % align, 0u);
    }
  }
}

TEST(ArenaTest, GrowsByBlocksThatAreNeitherManyNorWasteful) {
  Arena arena;
  constexpr size_t kPiece = 100;
  constexpr size_t kCount = 100'000;
  size_t blocks = 0;
  size_t reserved = 0;
  for (size_t i = 0; i < kCount; ++i) {
    arena.AllocateChars(kPiece);
    if (arena.BytesReserved() != reserved) ++blocks;
    reserved = arena.BytesReserved();
  }
  EXPECT_LT(blocks, 80u);
  EXPECT_LT(reserved, kPiece * kCount + 2 * Arena::kLargestBlock);
}

TEST(ArenaTest, AGoodSizeHintMakesOneBlock) {
  Arena arena(64 * 1024);
  arena.AllocateChars(1);
  const size_t reserved = arena.BytesReserved();
  for (int i = 0; i < 60; ++i) arena.AllocateChars(1024);
  EXPECT_EQ(arena.BytesReserved(), reserved);
}

TEST(ArenaTest, APieceLargerThanAnyBlockGetsItsOwn) {
  Arena arena;
  char* small = arena.AllocateChars(8);
  constexpr size_t kLarge = 3 * Arena::kLargestBlock;
  char* large = arena.AllocateChars(kLarge);
  std::memset(large, 'x', kLarge);
  std::memset(small, 'y', 8);
  EXPECT_EQ(large[0], 'x');
  EXPECT_EQ(large[kLarge - 1], 'x');
  EXPECT_GE(arena.BytesReserved(), kLarge);
}

TEST(ArenaTest, ALargePieceDoesNotEndAHalfFullBlock) {
  Arena arena(4096);
  arena.AllocateChars(16);
  arena.AllocateChars(Arena::kLargestBlock);
  const size_t reserved = arena.BytesReserved();
  arena.AllocateChars(2048);
  EXPECT_EQ(arena.BytesReserved(), reserved);
}

TEST(ArenaTest, AMovedArenaKeepsItsPieces) {
  Arena arena;
  const std::string_view text = arena.Copy("kept");
  Arena moved(std::move(arena));
  Arena assigned;
  assigned.Copy("other");
  assigned = std::move(moved);
  EXPECT_EQ(text, "kept");
  EXPECT_GT(assigned.BytesReserved(), 0u);
  EXPECT_EQ(assigned.Copy("more"), "more");
  EXPECT_EQ(text, "kept");
}

TEST(ArenaTest, CopyingNothingTakesNothing) {
  Arena arena;
  EXPECT_TRUE(arena.Copy("").empty());
  EXPECT_EQ(arena.BytesReserved(), 0u);
}

TEST(ArenaTest, ArraysAreAlignedForTheirType) {
  Arena arena;
  arena.AllocateChars(1);
  auto* numbers = arena.AllocateArray<uint64_t>(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(numbers) % alignof(uint64_t), 0u);
  for (uint64_t i = 0; i < 100; ++i) numbers[i] = i;
  EXPECT_EQ(numbers[99], 99u);
}

}  // namespace
}  // namespace skiff
