#include "apiserver/authz/rbac_follower.h"

#include <optional>

#include <gtest/gtest.h>

#include "apiserver/authz/testing.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"
#include "store/cache/scripted_store.h"

namespace skiff::apiserver {
namespace {

using testing::Doc;
using testing::User;

class RbacFollowerTest : public ::testing::Test {
 protected:
  RbacFollowerTest()
      : roles_(Make("roles", true)),
        cluster_roles_(Make("clusterroles", false)),
        role_bindings_(Make("rolebindings", true)),
        cluster_role_bindings_(Make("clusterrolebindings", false)) {}

  std::unique_ptr<store::ResourceCache> Make(std::string resource, bool namespaced) {
    store::CacheOptions options;
    options.prefix = "/registry/" + resource + "/";
    options.namespaced = namespaced;
    auto facts = store::FactsReader::Make(
        *object::FindPreferredResource("rbac.authorization.k8s.io", resource)->hub);
    EXPECT_TRUE(facts.has_value());
    options.facts = std::make_shared<const store::FactsReader>(std::move(*facts));
    options.symbols = &symbols_;
    return std::make_unique<store::ResourceCache>(store_, clock_, random_, std::move(options));
  }

  void Put(const std::string& key, std::string_view json) {
    std::string stored;
    object::EncodeStorage(Doc(json).root(), &stored);
    store_.Put("/registry/" + key, stored);
  }
  void StartCaches() {
    for (store::ResourceCache* cache :
         {roles_.get(), cluster_roles_.get(), role_bindings_.get(), cluster_role_bindings_.get()}) {
      cache->Start([](Result<store::Revision>) {});
    }
  }
  void StartFollower() {
    follower_.emplace(policy_,
                      RbacFollower::Caches{roles_.get(), cluster_roles_.get(), role_bindings_.get(),
                                           cluster_role_bindings_.get()},
                      [this] { ++scheduled_; });
    follower_->Start();
  }
  void RunUntilIdle() {
    for (int handled = -1; handled != scheduled_;) {
      handled = scheduled_;
      follower_->Run();
    }
  }
  bool MayGetPods(const std::string& user, std::string_view name_space) {
    const serving::UserInfo info = User(user);
    serving::AccessAttributes attributes;
    attributes.user = &info;
    attributes.is_resource = true;
    attributes.verb = "get";
    attributes.resource = "pods";
    attributes.name_space = name_space;
    return policy_.Decide(attributes).decision == serving::Decision::kAllow;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  object::SymbolTable symbols_;
  store::ScriptedStore store_;
  std::unique_ptr<store::ResourceCache> roles_;
  std::unique_ptr<store::ResourceCache> cluster_roles_;
  std::unique_ptr<store::ResourceCache> role_bindings_;
  std::unique_ptr<store::ResourceCache> cluster_role_bindings_;
  RbacPolicy policy_;
  int scheduled_ = 0;
  std::optional<RbacFollower> follower_;
};

constexpr char kRole[] = R"({"kind":"Role","metadata":{"name":"r","namespace":"ns"},"rules":[
  {"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})";
constexpr char kBinding[] = R"({"kind":"RoleBinding","metadata":{"name":"b","namespace":"ns"},
  "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},
  "subjects":[{"kind":"User","name":"ann"}]})";

TEST_F(RbacFollowerTest, LoadsTheStateAndFollowsChanges) {
  Put("roles/ns/r", kRole);
  Put("rolebindings/ns/b", kBinding);
  StartCaches();
  StartFollower();
  EXPECT_FALSE(follower_->synced());
  RunUntilIdle();
  EXPECT_TRUE(follower_->synced());
  EXPECT_TRUE(MayGetPods("ann", "ns"));

  Put("clusterroles/r", R"({"kind":"ClusterRole","metadata":{"name":"r"},"rules":[
    {"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]})");
  Put("clusterrolebindings/b", R"({"kind":"ClusterRoleBinding","metadata":{"name":"b"},
    "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},
    "subjects":[{"kind":"User","name":"bob"}]})");
  const int before = scheduled_;
  RunUntilIdle();
  EXPECT_GT(before, 0);
  EXPECT_TRUE(MayGetPods("bob", "anywhere"));

  store_.Delete("/registry/rolebindings/ns/b");
  store_.Delete("/registry/clusterrolebindings/b");
  RunUntilIdle();
  EXPECT_FALSE(MayGetPods("ann", "ns"));
  EXPECT_FALSE(MayGetPods("bob", "anywhere"));
}

TEST_F(RbacFollowerTest, AWatchThatCannotBeginIsTriedAgain) {
  StartFollower();  // the caches are not ready yet
  RunUntilIdle();
  EXPECT_FALSE(follower_->synced());
  Put("roles/ns/r", kRole);
  Put("rolebindings/ns/b", kBinding);
  StartCaches();
  follower_->Tick();
  RunUntilIdle();
  EXPECT_TRUE(follower_->synced());
  EXPECT_TRUE(MayGetPods("ann", "ns"));
}

TEST_F(RbacFollowerTest, WhatGoesWhileTheStoreIsOutOfReachIsForgotten) {
  Put("roles/ns/r", kRole);
  Put("rolebindings/ns/b", kBinding);
  StartCaches();
  StartFollower();
  RunUntilIdle();
  ASSERT_TRUE(MayGetPods("ann", "ns"));
  store_.EndWatches(Status(StatusReason::kGone, "compacted"));
  store_.Delete("/registry/rolebindings/ns/b");
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(limits::kCacheRetryInterval);
    for (auto* cache : {&roles_, &cluster_roles_, &role_bindings_, &cluster_role_bindings_}) {
      (*cache)->Tick();
    }
    RunUntilIdle();
    follower_->Tick();
    RunUntilIdle();
  }
  EXPECT_FALSE(MayGetPods("ann", "ns"));
  Put("rolebindings/ns/b", kBinding);
  RunUntilIdle();
  EXPECT_TRUE(MayGetPods("ann", "ns"));
}

TEST_F(RbacFollowerTest, MayGoBeforeOrAfterTheWatches) {
  StartCaches();
  StartFollower();
  RunUntilIdle();
  follower_.reset();
  Put("roles/ns/r", kRole);
  StartFollower();
  for (auto* cache : {&roles_, &cluster_roles_, &role_bindings_, &cluster_role_bindings_}) {
    (*cache)->Stop();
  }
  RunUntilIdle();
  follower_->Tick();
}

}  // namespace
}  // namespace skiff::apiserver
