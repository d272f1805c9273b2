#include "apiserver/rest/key_locks.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

TEST(KeyLocksTest, TheFirstGoesAtOnceAndTheOthersInOrder) {
  KeyLocks locks;
  std::string order;
  locks.Lock("k", [&] { order += 'a'; });
  locks.Lock("k", [&] { order += 'b'; });
  locks.Lock("k", [&] { order += 'c'; });
  locks.Lock("other", [&] { order += 'x'; });
  EXPECT_EQ(order, "ax");
  locks.Unlock("k");
  EXPECT_EQ(order, "axb");
  locks.Unlock("k");
  locks.Unlock("k");
  EXPECT_EQ(order, "axbc");
  locks.Lock("k", [&] { order += 'd'; });
  EXPECT_EQ(order, "axbcd");
}

}  // namespace
}  // namespace skiff::apiserver
