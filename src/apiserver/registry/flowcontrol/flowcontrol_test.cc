#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

constexpr std::string_view kVersion = "flowcontrol.apiserver.k8s.io/v1";

const RulesTester& Schema() {
  static const RulesTester tester(kVersion, "FlowSchema",
                                  R"({"metadata": {"name": "f"}, "spec": {"matchingPrecedence": 100,
      "priorityLevelConfiguration": {"name": "p"}, "rules": [{"subjects": [{"kind": "User",
      "user": {"name": "u"}}], "resourceRules": [{"verbs": ["get"], "apiGroups": [""],
      "resources": ["pods"], "namespaces": ["n"]}], "nonResourceRules": [{"verbs": ["*"],
      "nonResourceURLs": ["/a/*"]}]}]}})");
  return tester;
}

TEST(FlowSchemaRulesTest, ItMatchesSubjectsAndRequests) {
  Schema().ExpectNew({
      {"spec.matchingPrecedence=0", "spec.matchingPrecedence Invalid"},
      {"spec.matchingPrecedence=10001", "spec.matchingPrecedence Invalid"},
      {"spec.matchingPrecedence=1", "spec.matchingPrecedence Invalid"},
      {"spec.distinguisherMethod.type=X", "spec.distinguisherMethod.type NotSupported"},
      {"spec.priorityLevelConfiguration.name=", "spec.priorityLevelConfiguration.name Required"},
      {"spec.priorityLevelConfiguration.name=A!", "spec.priorityLevelConfiguration.name Invalid"},
      {"spec.rules[0].subjects=", "spec.rules[0].subjects Required"},
      {"spec.rules[0].subjects[0].kind=X", "spec.rules[0].subjects[0].kind NotSupported"},
      {"spec.rules[0].subjects[0].user.name=''", "spec.rules[0].subjects[0].user.name Required"},
      {"spec.rules[0].subjects[0].group={}", "spec.rules[0].subjects[0].group Forbidden"},
      {"spec.rules[0].subjects[0]={\"kind\": \"Group\"}",
       "spec.rules[0].subjects[0].group Required"},
      {"spec.rules[0].subjects[0]={\"kind\": \"ServiceAccount\", \"serviceAccount\": {}}",
       "spec.rules[0].subjects[0].serviceAccount.name Required; "
       "spec.rules[0].subjects[0].serviceAccount.namespace Required"},
      {"spec.rules[0].resourceRules= & spec.rules[0].nonResourceRules=", "spec.rules[0] Required"},
      {"spec.rules[0].resourceRules[0].verbs=[\"x\"]",
       "spec.rules[0].resourceRules[0].verbs NotSupported"},
      {"spec.rules[0].resourceRules[0].apiGroups=[\"*\",\"a\"]",
       "spec.rules[0].resourceRules[0].apiGroups Invalid"},
      {"spec.rules[0].resourceRules[0].resources=",
       "spec.rules[0].resourceRules[0].resources Required"},
      {"spec.rules[0].resourceRules[0].namespaces=",
       "spec.rules[0].resourceRules[0].namespaces Required"},
      {"spec.rules[0].resourceRules[0].namespaces= & "
       "spec.rules[0].resourceRules[0].clusterScope=true",
       ""},
      {"spec.rules[0].resourceRules[0].namespaces=[\"A\"]",
       "spec.rules[0].resourceRules[0].namespaces[0] Invalid"},
      {"spec.rules[0].nonResourceRules[0].nonResourceURLs=[\"/a*\",\"a\",\"//\",\"/\"]",
       "spec.rules[0].nonResourceRules[0].nonResourceURLs[0] Invalid; "
       "spec.rules[0].nonResourceRules[0].nonResourceURLs[1] Invalid; "
       "spec.rules[0].nonResourceRules[0].nonResourceURLs[2] Invalid"},
      {"metadata.name=catch-all", "spec Invalid"},
      {"status.conditions=[{\"type\": \"\"},{\"type\": \"\"}]",
       "status.conditions[0].type Required; status.conditions[1].type Duplicate; "
       "status.conditions[1].type Required"},
  });
  Schema().ExpectChanged({{"", "spec.matchingPrecedence=5", ""},
                          {"", "spec.matchingPrecedence=0", "spec.matchingPrecedence Invalid"}});
}

TEST(PriorityLevelRulesTest, ItLimitsOrExempts) {
  const RulesTester tester(kVersion, "PriorityLevelConfiguration",
                           R"({"metadata": {"name": "p"}, "spec": {"type": "Limited", "limited": {
      "nominalConcurrencyShares": 5, "limitResponse": {"type": "Queue", "queuing": {
      "queues": 64, "handSize": 6, "queueLengthLimit": 50}}}}})");
  const std::string queuing = "spec.limited.limitResponse.queuing";
  tester.ExpectNew({
      {"spec.type=", "spec.type Required"},
      {"spec.type=X", "spec.type NotSupported"},
      {"spec.type=Exempt", "spec.type Invalid; spec.limited Forbidden"},
      {"metadata.name=exempt", "spec.type Invalid; spec Invalid"},
      {"spec.exempt={}", "spec.exempt Forbidden"},
      {"spec.limited=", "spec.limited Required"},
      {"spec.limited.nominalConcurrencyShares=-1", "spec.limited.nominalConcurrencyShares Invalid"},
      {"spec.limited.lendablePercent=101", "spec.limited.lendablePercent Invalid"},
      {"spec.limited.borrowingLimitPercent=-1", "spec.limited.borrowingLimitPercent Invalid"},
      {"spec.limited.limitResponse.type=", "spec.limited.limitResponse.type Required"},
      {"spec.limited.limitResponse.type=X", "spec.limited.limitResponse.type NotSupported"},
      {"spec.limited.limitResponse.type=Reject", "spec.limited.limitResponse.queuing Forbidden"},
      {"spec.limited.limitResponse.queuing=", "spec.limited.limitResponse.queuing Required"},
      {queuing + ".queues=0 & " + queuing + ".queueLengthLimit=0",
       "spec.limited.limitResponse.queuing.queueLengthLimit Invalid; "
       "spec.limited.limitResponse.queuing.queues Invalid; "
       "spec.limited.limitResponse.queuing.handSize Invalid"},
      {queuing + ".handSize=64", "spec.limited.limitResponse.queuing.handSize Invalid"},
      {queuing + ".handSize=0", "spec.limited.limitResponse.queuing.handSize Invalid"},
      {"metadata.name=exempt & spec.type=Exempt & spec.limited= & "
       "spec.exempt.nominalConcurrencyShares=3",
       ""},
      {"metadata.annotations={\"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares\": "
       "\"\"}",
       "metadata.annotations Forbidden"},
  });
  tester.ExpectChanged({{"", "spec.limited.nominalConcurrencyShares=9", ""}});
}

TEST(FlowSchemaRulesTest, MessagesAreThoseOfKubernetes) {
  EXPECT_EQ(
      Schema().NewMessages("spec.priorityLevelConfiguration.name="),
      "spec.priorityLevelConfiguration.name: Required value: must reference a priority level");
  EXPECT_EQ(Schema().NewMessages("spec.distinguisherMethod={\"type\": \"ByDay\"}"),
            "spec.distinguisherMethod.type: Unsupported value: {\"Type\":\"ByDay\"}: supported "
            "values: \"ByNamespace\", \"ByUser\"");
  EXPECT_EQ(Schema().NewMessages("spec.rules[0].subjects="),
            "spec.rules[0].subjects: Required value: subjects must contain at least one value");
}

}  // namespace
}  // namespace skiff::apiserver
