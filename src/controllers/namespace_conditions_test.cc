#include "controllers/namespace_conditions.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core_v1 = views::core_v1;

constexpr object::Timestamp kFirst{.seconds = 100, .nanos = 0};
constexpr object::Timestamp kLater{.seconds = 200, .nanos = 0};

TEST(NamespaceConditionsTest, AllFiveAreWrittenOnceAndOnlyChangesCount) {
  object::Document document = core_v1::Namespace::New();
  EXPECT_TRUE(SetNamespaceConditions({}, kFirst, document));
  EXPECT_EQ(core_v1::Namespace(document).status().conditions().size(), 5U);
  EXPECT_FALSE(SetNamespaceConditions({}, kLater, document));
}

TEST(NamespaceConditionsTest, TheTimeOfTransitionStaysWhileTheStatusDoes) {
  object::Document document = core_v1::Namespace::New();
  const auto condition = [&] { return core_v1::Namespace(document).status().conditions()[3]; };
  NamespaceFindings findings{.remaining = {{"configmaps.", 2}}};
  SetNamespaceConditions(findings, kFirst, document);
  EXPECT_EQ(condition().type(), "NamespaceContentRemaining");
  EXPECT_EQ(condition().last_transition_time().seconds, 100);
  findings.remaining["configmaps."] = 1;
  EXPECT_TRUE(SetNamespaceConditions(findings, kLater, document));
  EXPECT_EQ(condition().last_transition_time().seconds, 100);
  EXPECT_TRUE(condition().message().ends_with("configmaps. has 1 resource instances"));
  EXPECT_TRUE(SetNamespaceConditions({}, kLater, document));
  EXPECT_EQ(condition().status(), "False");
  EXPECT_EQ(condition().last_transition_time().seconds, 200);
}

TEST(NamespaceConditionsTest, ConditionsOfOthersStay) {
  object::Document document = core_v1::Namespace::New();
  core_v1::MutableNamespace(document).mutable_status().add_conditions().set_type("Other");
  SetNamespaceConditions({}, kFirst, document);
  EXPECT_EQ(core_v1::Namespace(document).status().conditions().size(), 6U);
  EXPECT_EQ(core_v1::Namespace(document).status().conditions()[0].type(), "Other");
}

TEST(NamespaceConditionsTest, FailuresAreCountedAndInOrder) {
  object::Document document = core_v1::Namespace::New();
  SetNamespaceConditions({.content_failures = {"b failed", "a failed"}}, kFirst, document);
  EXPECT_EQ(core_v1::Namespace(document).status().conditions()[2].message(),
            "Failed to delete all resource types, 2 remaining: a failed, b failed");
}

TEST(NamespaceConditionsTest, MessagesAreBounded) {
  NamespaceFindings findings;
  for (int i = 0; i < 10'000; ++i) findings.finalizers["example.com/ä" + std::to_string(i)] = 1;
  object::Document document = core_v1::Namespace::New();
  SetNamespaceConditions(findings, kFirst, document);
  const std::string_view message = core_v1::Namespace(document).status().conditions()[4].message();
  EXPECT_LE(message.size(), limits::kMaxConditionMessageBytes);
  EXPECT_GT(message.size(), limits::kMaxConditionMessageBytes - 4);
}

}  // namespace
}  // namespace skiff::controllers
