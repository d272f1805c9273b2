#include "apiserver/rest/key_locks.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

TEST(KeyLocksTest, TheFirstGoesAtOnceAndTheOthersInOrder) {
  KeyLocks locks;
  std::string order;
  locks.Lock("k", [&](bool) { order += 'a'; });
  locks.Lock("k", [&](bool) { order += 'b'; });
  locks.Lock("k", [&](bool) { order += 'c'; });
  locks.Lock("other", [&](bool) { order += 'x'; });
  EXPECT_EQ(order, "ax");
  locks.Unlock("k");
  EXPECT_EQ(order, "axb");
  locks.Unlock("k");
  locks.Unlock("k");
  EXPECT_EQ(order, "axbc");
  locks.Lock("k", [&](bool) { order += 'd'; });
  EXPECT_EQ(order, "axbcd");
}

TEST(KeyLocksTest, StopSendsAwayWhoWaitsAndWhoComesLater) {
  KeyLocks locks;
  std::string order;
  const auto tells = [&](char name) {
    return [&order, name](bool locked) { order += locked ? name : static_cast<char>(name - 32); };
  };
  locks.Lock("k", tells('a'));
  locks.Lock("k", tells('b'));
  locks.Lock("other", tells('x'));
  locks.Lock("other", tells('y'));
  EXPECT_EQ(order, "ax");
  locks.Stop();
  EXPECT_EQ(order, "axBY");
  locks.Unlock("k");
  locks.Lock("k", tells('c'));
  EXPECT_EQ(order, "axBYC");
}

}  // namespace
}  // namespace skiff::apiserver
