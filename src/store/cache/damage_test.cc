// The cache over a store of which something cannot be read, or that has gone back in time.
#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "store/cache/testing.h"

namespace skiff::store {
namespace {

class CacheDamageTest : public CacheTestBase {
 protected:
  void StartDamaged() {
    for (const char* key : {"a/one", "a/two", "b/one"}) Put(key);
    store_.damaged.insert(std::string(kPodsPrefix) + "a/two");
    Start();
  }
};

constexpr const char* kDamaged = "500 /registry/pods/a/two is damaged";

TEST_F(CacheDamageTest, ADamagedObjectIsAnErrorAndAllOthersAreServed) {
  StartDamaged();
  ASSERT_TRUE(cache_->ready());
  EXPECT_EQ(Get("a/one"), "a/one@2, rv 4");
  EXPECT_EQ(Get("a/two"), kDamaged);
  EXPECT_EQ(Get("a/two", "0"), kDamaged);
  EXPECT_EQ(Get("a/three"), "none, rv 4");
  EXPECT_EQ(List({.selection = Namespace("b")}), "b/one@4, rv 4");
}

TEST_F(CacheDamageTest, NoListThatShouldHoldItPassesItOverInSilence) {
  StartDamaged();
  EXPECT_EQ(List(), kDamaged);
  EXPECT_EQ(List({.resource_version = "0"}), kDamaged);
  EXPECT_EQ(List({.selection = Namespace("a"), .limit = 1}), kDamaged);
  EXPECT_EQ(List({.selection = Labels("app=web")}), kDamaged) << "its labels are not known";
  EXPECT_EQ(List({.selection = Fields("metadata.namespace=a,metadata.name=two")}), kDamaged);
  EXPECT_EQ(List({.selection = Fields("metadata.namespace=a,metadata.name=one")}), "a/one@2, rv 4");
  WatchClient client;
  EXPECT_EQ(Watch({}, client), kDamaged) << "it begins with a list";
  CacheWatchRequest elsewhere;
  elsewhere.selection = Namespace("b");
  EXPECT_EQ(Watch(std::move(elsewhere), client), "");
  CacheWatchRequest without;
  without.without_damaged = true;
  EXPECT_EQ(Watch(std::move(without), client), "");
  EXPECT_EQ(client.Drain(), "ADDED a/one@2 ADDED b/one@4");
}

TEST_F(CacheDamageTest, WhenItIsWrittenAnewItIsServedAndWatchersStartOver) {
  StartDamaged();
  WatchClient client;
  ASSERT_EQ(WatchFrom(4, client), "") << "it is told of changes alone";
  store_.damaged.clear();
  Put("a/two");
  EXPECT_TRUE(
      client.Drain().ends_with("END 410 The resourceVersion for the provided watch is too old."));
  Tick();
  EXPECT_EQ(List(), "a/one@2 a/two@5 b/one@4, rv 5");
  EXPECT_EQ(Get("a/two"), "a/two@5, rv 5");
}

TEST_F(CacheDamageTest, WhenItIsDeletedWatchersThatKnewItLearnOfThatByStartingOver) {
  StartDamaged();
  WatchClient client;
  ASSERT_EQ(WatchFrom(4, client), "");
  Delete("a/two");
  EXPECT_TRUE(client.Drain().find("END 410") != std::string::npos);
  Tick();
  EXPECT_EQ(List(), "a/one@2 b/one@4, rv 5");
  EXPECT_EQ(Get("a/two"), "none, rv 5");
}

TEST_F(CacheDamageTest, WhyItCannotBeFilledIsKnown) {
  store_.failing = true;
  Start();
  EXPECT_FALSE(cache_->ready());
  EXPECT_EQ(cache_->fault(), "no leader");
  store_.failing = false;
  Pass(std::chrono::seconds(2));
  EXPECT_TRUE(cache_->ready());
  EXPECT_EQ(cache_->fault(), "");
}

TEST_F(CacheDamageTest, AStoreThatWentBackIsReadAnewAndOldRevisionsExpire) {
  for (const char* key : {"a/one", "a/two", "b/one"}) Put(key);
  Start();
  WatchClient client;
  ASSERT_EQ(WatchFrom(4, client), "");
  store_.GoBackTo(2);
  EXPECT_TRUE(client.Drain().find("END 410") != std::string::npos);
  Tick();
  EXPECT_EQ(cache_->revision().value, 2);
  EXPECT_EQ(List(), "a/one@2, rv 2");
  EXPECT_EQ(WatchFrom(4, client).substr(0, 3), "410") << "of the lost history";
  ASSERT_EQ(WatchFrom(2, client), "");
  Put("c/one");
  EXPECT_EQ(client.Drain(), "ADDED c/one@3");
  EXPECT_EQ(List(), "a/one@2 c/one@3, rv 3");
}

}  // namespace
}  // namespace skiff::store
