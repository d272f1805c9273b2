#include "apiserver/rest/write_turns.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(WriteTurnsTest, TheFirstGoesAtOnceAndTheOthersInOrder) {
  WriteTurns turns;
  std::string order;
  turns.Take("k", [&] { order += 'a'; });
  turns.Take("k", [&] { order += 'b'; });
  turns.Take("k", [&] { order += 'c'; });
  turns.Take("other", [&] { order += 'x'; });
  EXPECT_EQ(order, "ax");
  turns.Leave("k");
  EXPECT_EQ(order, "axb");
  turns.Leave("k");
  turns.Leave("k");
  EXPECT_EQ(order, "axbc");
  turns.Take("k", [&] { order += 'd'; });
  EXPECT_EQ(order, "axbcd");
}

}  // namespace
}  // namespace skiff
