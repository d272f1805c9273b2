#include "apiserver/store_health.h"

#include <map>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

// What is wrong, by endpoint.
std::map<uint8_t, std::string> FaultsOf(const store::StoreHealth& health) {
  std::map<uint8_t, std::string> faults;
  for (const serving::HealthCheck& check : StoreHealthChecks([&] { return health; })) {
    EXPECT_EQ(check.name, "etcd");
    for (const uint8_t endpoint : {serving::HealthCheck::kHealthz, serving::HealthCheck::kLivez,
                                   serving::HealthCheck::kReadyz}) {
      if ((check.endpoints & endpoint) == 0) continue;
      EXPECT_FALSE(faults.contains(endpoint)) << "there are two checks of one endpoint";
      faults[endpoint] = check.check();
    }
  }
  EXPECT_EQ(faults.size(), 3U);
  return faults;
}

TEST(StoreHealthTest, AReadOnlyStoreMakesTheServerUnreadyButNotDead) {
  auto faults = FaultsOf({.readable = true, .writable = false, .reason = "disk full"});
  EXPECT_EQ(faults[serving::HealthCheck::kReadyz], "disk full");
  EXPECT_EQ(faults[serving::HealthCheck::kHealthz], "disk full");
  EXPECT_EQ(faults[serving::HealthCheck::kLivez], "");
}

TEST(StoreHealthTest, AStoreThatCannotBeReadIsNoLifeEither) {
  auto faults = FaultsOf({.readable = false, .writable = false, .reason = ""});
  EXPECT_EQ(faults[serving::HealthCheck::kReadyz], "not writable");
  EXPECT_EQ(faults[serving::HealthCheck::kLivez], "not writable");
}

TEST(StoreHealthTest, DamageOfSomeObjectsIsANoteOfEveryCheck) {
  store::StoreHealth health{.readable = true, .writable = true, .reason = ""};
  health.damaged = 2;
  for (const serving::HealthCheck& check : StoreHealthChecks([&] { return health; })) {
    EXPECT_EQ(check.check(), "");
    EXPECT_EQ(check.note(), "stored data is damaged in 2 places, see the log");
  }
}

TEST(StoreHealthTest, WhatIsOnlyRemarkedUponIsNoFault) {
  auto faults = FaultsOf({.readable = true, .writable = true, .reason = "nearly full"});
  EXPECT_EQ(faults[serving::HealthCheck::kReadyz], "");
}

}  // namespace
}  // namespace skiff::apiserver
