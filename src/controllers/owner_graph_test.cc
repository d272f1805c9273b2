#include "controllers/owner_graph.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "controllers/absent_owner_cache.h"

namespace skiff::controllers {
namespace {

// Notes what the graph asks for, as one line each.
class Asked final : public OwnerGraph::Listener {
 public:
  void AttemptToDelete(const std::string& uid) override { lines.push_back("delete " + uid); }
  void AttemptToOrphan(const std::string& uid) override { lines.push_back("orphan " + uid); }
  void CheckExistence(const std::string& uid) override { lines.push_back("check " + uid); }
  void Absent(const ObjectIdentity& owner) override {
    lines.push_back("absent " + owner.name_space + "/" + owner.name);
  }
  void InvalidNamespace(const ObjectIdentity& dependent, const OwnerReference& ref) override {
    lines.push_back("invalid " + dependent.uid + " of " + ref.uid);
  }
  std::vector<std::string> lines;
};

class OwnerGraphTest : public ::testing::Test {
 protected:
  using Lines = std::vector<std::string>;

  static ObjectIdentity Id(std::string uid, std::string name_space = "ns") {
    return {.kind = "ConfigMap",
            .api_version = "v1",
            .name_space = std::move(name_space),
            .name = "name-" + uid,
            .uid = uid};
  }
  static OwnerReference Ref(const std::string& uid, bool blocks = false) {
    return {.api_version = "v1",
            .kind = "ConfigMap",
            .name = "name-" + uid,
            .uid = uid,
            .block_owner_deletion = blocks};
  }
  void See(std::string uid, std::vector<OwnerReference> owners = {},
           std::string name_space = "ns") {
    graph_.Observe(
        {.identity = Id(std::move(uid), std::move(name_space)), .owners = std::move(owners)});
  }
  Lines Take() { return std::exchange(asked_.lines, {}); }

  Asked asked_;
  OwnerGraph graph_{asked_};
};

TEST_F(OwnerGraphTest, OwnersThatNobodyHasSeenAreCheckedOnce) {
  See("a", {Ref("o")});
  See("b", {Ref("o")});
  EXPECT_EQ(Take(), Lines{"check o"});
  EXPECT_FALSE(graph_.Find("o")->observed);
  See("o");
  EXPECT_TRUE(graph_.Find("o")->observed);
  EXPECT_EQ(Take(), Lines{});
}

TEST_F(OwnerGraphTest, TheEndOfAnOwnerConcernsItsDependents) {
  See("o");
  See("b", {Ref("o")});
  See("a", {Ref("o")});
  graph_.Remove(Id("o"));
  EXPECT_EQ(Take(), (Lines{"absent ns/name-o", "delete a", "delete b"}));
  EXPECT_EQ(graph_.size(), 2U);
}

TEST_F(OwnerGraphTest, DeletionInTheForegroundConcernsDependentsAndThenTheOwner) {
  See("o");
  See("a", {Ref("o", true)});
  See("b", {Ref("o")});
  graph_.Observe({.identity = Id("o"), .being_deleted = true, .foreground = true});
  EXPECT_EQ(Take(), (Lines{"delete a", "delete b", "delete o"}));
  const OwnerGraph::Node& owner = *graph_.Find("o");
  ASSERT_EQ(graph_.BlockingDependents(owner).size(), 1U);
  EXPECT_EQ(graph_.BlockingDependents(owner)[0]->identity.uid, "a");
  // The same again is no news.
  graph_.Observe({.identity = Id("o"), .being_deleted = true, .foreground = true});
  EXPECT_EQ(Take(), Lines{});
  graph_.Remove(Id("a"));
  EXPECT_EQ(Take(), Lines{"delete o"});
}

TEST_F(OwnerGraphTest, OrphaningGoesBeforeDeletionInTheForeground) {
  graph_.Observe({.identity = Id("o"), .being_deleted = true, .foreground = true, .orphan = true});
  EXPECT_EQ(Take(), Lines{"orphan o"});
  graph_.Observe({.identity = Id("o"), .being_deleted = true, .foreground = true});
  EXPECT_EQ(Take(), Lines{"delete o"});
}

TEST_F(OwnerGraphTest, AReferenceThatNoLongerBlocksConcernsTheOwner) {
  See("o");
  See("a", {Ref("o", true)});
  See("a", {Ref("o", false)});
  EXPECT_EQ(Take(), Lines{"delete o"});
  See("a", {Ref("o", true)});
  See("a", {});
  EXPECT_EQ(Take(), Lines{"delete o"});
  EXPECT_FALSE(graph_.Find("o")->has_dependents());
}

TEST_F(OwnerGraphTest, DependentsOfAnotherNamespaceAreDoubtfulWhoeverIsSeenFirst) {
  See("o", {}, "a");
  See("x", {Ref("o")}, "b");
  EXPECT_EQ(Take(), (Lines{"invalid x of o", "delete x"}));
  See("y", {Ref("p")}, "b");
  See("p", {}, "a");
  EXPECT_EQ(Take(), (Lines{"check p", "invalid y of p", "delete y"}));
}

TEST_F(OwnerGraphTest, WhatIsAbsentInOneNamespaceMayBeInAnother) {
  See("x", {Ref("o")}, "a");
  See("y", {Ref("o")}, "b");
  EXPECT_EQ(Take(), (Lines{"check o", "delete y"}));
  EXPECT_TRUE(graph_.RemoveAbsent(Id("o", "a")));
  EXPECT_EQ(Take(), (Lines{"absent a/name-o", "delete x"}));
  EXPECT_EQ(graph_.Find("o")->identity.name_space, "b");
  EXPECT_TRUE(graph_.RemoveAbsent(Id("o", "b")));
  EXPECT_EQ(Take(), (Lines{"absent b/name-o", "delete y"}));
  EXPECT_EQ(graph_.Find("o")->identity.name_space, "a") << "all places are looked at in turn";
  graph_.Remove(Id("x", "a"));
  EXPECT_FALSE(graph_.RemoveAbsent(Id("o", "b")));
  EXPECT_EQ(graph_.Find("o"), nullptr);
}

TEST_F(OwnerGraphTest, ClusterWideOwnersAreAbsentEverywhere) {
  See("x", {Ref("o")}, "a");
  See("y", {Ref("o")}, "b");
  graph_.SetClusterWide("o");
  Take();
  EXPECT_FALSE(graph_.RemoveAbsent(Id("o", "")));
  EXPECT_EQ(Take(), (Lines{"absent /name-o", "delete x", "delete y"}));
}

TEST_F(OwnerGraphTest, AnObservedOwnerIsNotAbsentBecauseItIsNotElsewhere) {
  See("x", {Ref("o")}, "b");
  See("o", {}, "a");
  Take();
  EXPECT_FALSE(graph_.RemoveAbsent(Id("o", "b")));
  EXPECT_EQ(Take(), (Lines{"absent b/name-o", "delete x"}));
  EXPECT_NE(graph_.Find("o"), nullptr);
}

TEST_F(OwnerGraphTest, OwnersThatNobodyHasSeenNorRefersToAreForgotten) {
  See("a", {Ref("o"), Ref("p")});
  EXPECT_EQ(graph_.size(), 3U);
  See("a", {Ref("p")});
  EXPECT_EQ(graph_.Find("o"), nullptr);
  graph_.Remove(Id("a"));
  EXPECT_EQ(graph_.size(), 0U);
}

TEST_F(OwnerGraphTest, AnObjectMayOwnItself) {
  graph_.Observe(
      {.identity = Id("o"), .owners = {Ref("o", true)}, .being_deleted = true, .foreground = true});
  EXPECT_TRUE(graph_.WaitsForItself(*graph_.Find("o")));
  graph_.Unobserve("v1", "ConfigMap");
  graph_.Remove(Id("o"));
  EXPECT_EQ(graph_.size(), 0U);
}

TEST_F(OwnerGraphTest, CirclesAreFoundOnlyWhereAllWait) {
  const auto deleted = [&](const std::string& uid, const std::string& owner, bool blocks) {
    graph_.Observe({.identity = Id(uid),
                    .owners = {Ref(owner, blocks)},
                    .being_deleted = true,
                    .foreground = true});
  };
  deleted("a", "b", true);
  deleted("b", "c", true);
  See("c", {Ref("a", true)});
  EXPECT_FALSE(graph_.WaitsForItself(*graph_.Find("a")));
  deleted("c", "a", true);
  EXPECT_TRUE(graph_.WaitsForItself(*graph_.Find("a")));
  deleted("d", "a", true);
  EXPECT_FALSE(graph_.WaitsForItself(*graph_.Find("d"))) << "it waits at no circle";
  deleted("b", "c", false);
  EXPECT_FALSE(graph_.WaitsForItself(*graph_.Find("a")));
}

ObjectIdentity Named(std::string uid) {
  ObjectIdentity identity;
  identity.uid = std::move(uid);
  return identity;
}

TEST(AbsentOwnersTest, KeepsTheOnesThatWereUsedLast) {
  AbsentOwnerCache absent(2);
  const ObjectIdentity a = Named("a");
  const ObjectIdentity b = Named("b");
  const ObjectIdentity c = Named("c");
  absent.Add(a);
  absent.Add(b);
  EXPECT_TRUE(absent.Has(a));
  absent.Add(c);
  EXPECT_TRUE(absent.Has(a));
  EXPECT_FALSE(absent.Has(b));
  EXPECT_EQ(absent.size(), 2U);
}

}  // namespace
}  // namespace skiff::controllers
