#include "apiserver/discovery/merged_groups.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

RegisteredVersion Remote(std::string group, std::string version, int32_t group_priority,
                         int32_t version_priority) {
  return {.group = std::move(group),
          .version = std::move(version),
          .group_priority = group_priority,
          .version_priority = version_priority,
          .is_remote = true,
          .is_known = true,
          .is_stale = false};
}

class MergedGroupsTest : public testing::Test {
 protected:
  static std::string Text(const std::vector<MergedGroup>& groups) {
    std::string out;
    for (const MergedGroup& group : groups) {
      out += std::string(group.name) + ":";
      for (const MergedVersion& version : group.versions) {
        out += " " + std::string(version.version) + (version.remote != nullptr ? "!" : "");
      }
      out += "\n";
    }
    return out;
  }
  // The lines from the one that begins so on, as many.
  static std::string Lines(const std::string& text, std::string_view first, size_t count) {
    size_t at = text.find("\n" + std::string(first) + ":") + 1;
    size_t end = at;
    for (size_t i = 0; i < count; ++i) end = text.find('\n', end) + 1;
    return text.substr(at, end - at);
  }

  const ServedResources served_{RuntimeConfig(), FeatureGates()};
};

TEST_F(MergedGroupsTest, WithoutOthersBothAreWhatIsServed) {
  std::string served;
  for (const ServedGroup& group : served_.groups()) {
    served += std::string(group.name) + ":";
    for (const ServedVersion& version : group.versions) {
      served += " " + std::string(version.info->desc->version);
    }
    served += "\n";
  }
  EXPECT_EQ(Text(MergeGroups(served_, {})), served);
  EXPECT_EQ(Text(ListGroups(served_, {})), served);
}

TEST_F(MergedGroupsTest, GroupsStandByTheirHighestPriority) {
  const RegisteredVersion all[] = {Remote("low.example.com", "v1", 100, 1),
                                   Remote("high.example.com", "v1", 100, 1),
                                   Remote("high.example.com", "v2", 17790, 1)};
  EXPECT_EQ(Lines(Text(MergeGroups(served_, all)), "apps", 2),
            "apps: v1\nhigh.example.com: v2! v1!\n");
  EXPECT_TRUE(Text(ListGroups(served_, all)).ends_with("low.example.com: v1!\n"));
  // The aggregator's own stays the first.
  const RegisteredVersion first[] = {Remote("first.example.com", "v1", 20000, 1)};
  EXPECT_EQ(Lines(Text(MergeGroups(served_, first)), "apiregistration.k8s.io", 2),
            "apiregistration.k8s.io: v1\nfirst.example.com: v1!\n");
}

TEST_F(MergedGroupsTest, VersionsStandByPriorityAndThenAsKubectlWouldChoose) {
  const RegisteredVersion all[] = {
      Remote("a.example.com", "v1beta1", 10, 5), Remote("a.example.com", "v1alpha1", 10, 50),
      Remote("a.example.com", "v2", 10, 5), Remote("a.example.com", "v10", 10, 5)};
  EXPECT_TRUE(
      Text(MergeGroups(served_, all)).ends_with("a.example.com: v1alpha1! v10! v2! v1beta1!\n"));
}

TEST_F(MergedGroupsTest, EqualGroupsStandByNameHereAndByThatOfTheApiServiceThere) {
  const RegisteredVersion all[] = {Remote("a.example.com", "v2", 10, 5),
                                   Remote("b.example.com", "v1", 10, 5)};
  EXPECT_TRUE(
      Text(MergeGroups(served_, all)).ends_with("a.example.com: v2!\nb.example.com: v1!\n"));
  EXPECT_TRUE(Text(ListGroups(served_, all)).ends_with("b.example.com: v1!\na.example.com: v2!\n"));
}

TEST_F(MergedGroupsTest, AnotherServerMayHaveAVersionOfAGroupThatIsServedHere) {
  const RegisteredVersion all[] = {Remote("batch", "v9", 17400, 100), Remote("apps", "v1", 10, 1)};
  const std::string merged = Text(MergeGroups(served_, all));
  EXPECT_EQ(Lines(merged, "batch", 1), "batch: v9! v1\n");
  EXPECT_TRUE(merged.ends_with("apps: v1!\n"));
}

TEST_F(MergedGroupsTest, WhatNobodyHasAskedYetIsOnlyListed) {
  RegisteredVersion unknown = Remote("a.example.com", "v1", 10, 5);
  unknown.is_known = false;
  EXPECT_EQ(Text(MergeGroups(served_, {&unknown, 1})).find("a.example"), std::string::npos);
  EXPECT_NE(Text(ListGroups(served_, {&unknown, 1})).find("a.example"), std::string::npos);
}

TEST_F(MergedGroupsTest, PrioritiesThatSomebodyHasChangedOrderTheList) {
  RegisteredVersion changed = Remote("apps", "v1", 1, 1);
  changed.is_remote = false;
  EXPECT_EQ(Text(MergeGroups(served_, {&changed, 1})), Text(MergeGroups(served_, {})));
  EXPECT_TRUE(Text(ListGroups(served_, {&changed, 1})).ends_with("\napps: v1\n"));
}

TEST_F(MergedGroupsTest, OneGroupIsAsInTheList) {
  const RegisteredVersion all[] = {Remote("batch", "v9", 17400, 100)};
  EXPECT_EQ(Text({ListGroup(served_, all, "batch")}), "batch: v9! v1\n");
  EXPECT_TRUE(ListGroup(served_, all, "none").versions.empty());
}

}  // namespace
}  // namespace skiff::apiserver
