#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

#define RULE \
  R"({"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]})"

const RulesTester& Webhooks() {
  static const RulesTester tester(
      "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration",
      R"({"metadata": {"name": "w"}, "webhooks": [{"name": "a.example.com",
      "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
      "clientConfig": {"url": "https://example.com/x"}, "rules": [)" RULE "]}]}");
  return tester;
}

TEST(WebhookRulesTest, AWebhookHasAPlaceAndKeepsItsPromises) {
  Webhooks().ExpectNew({
      {"webhooks[0].name=", "webhooks[0].name Required"},
      {"webhooks[0].name=a.b", "webhooks[0].name Invalid"},
      {"webhooks[0].name=A.b.c", "webhooks[0].name Invalid"},
      {"webhooks[0].failurePolicy=X", "webhooks[0].failurePolicy NotSupported"},
      {"webhooks[0].matchPolicy=X", "webhooks[0].matchPolicy NotSupported"},
      {"webhooks[0].sideEffects=", "webhooks[0].sideEffects Required"},
      {"webhooks[0].sideEffects=Some", "webhooks[0].sideEffects NotSupported"},
      {"webhooks[0].timeoutSeconds=31", "webhooks[0].timeoutSeconds Invalid"},
      {"webhooks[0].reinvocationPolicy=X", "webhooks[0].reinvocationPolicy NotSupported"},
      {"webhooks[0].namespaceSelector.matchLabels={\"-\": \"\"}",
       "webhooks[0].namespaceSelector.matchLabels Invalid"},
      {"webhooks[0].clientConfig={}", "webhooks[0].clientConfig Required"},
      {"webhooks[0].clientConfig.url=http://a", "webhooks[0].clientConfig.url Invalid"},
      {"webhooks[0].clientConfig={\"service\": {\"namespace\": \"n\", \"port\": 0}}",
       "webhooks[0].clientConfig.service.namespace Required; "
       "webhooks[0].clientConfig.service.port Invalid"},
      {"webhooks[0].admissionReviewVersions=", "webhooks[0].admissionReviewVersions Required"},
      {"webhooks[0].admissionReviewVersions=[\"v2\",\"v2\"]",
       "webhooks[0].admissionReviewVersions[1] Invalid; "
       "webhooks[0].admissionReviewVersions Invalid"},
      {"webhooks[0].matchConditions=[{\"name\": \"a\"},{\"name\": \"a\", \"expression\": "
       "\"true\"}]",
       "webhooks[0].matchConditions[0].expression Required; "
       "webhooks[0].matchConditions[1].name Duplicate"},
  });
}

TEST(WebhookRulesTest, NamesOfConfigurationsInFilesAreReserved) {
  const std::string edit = "metadata.name=w.static.k8s.io";
  const std::vector<std::string> warning{
      "metadata.name: names ending with \".static.k8s.io\" are reserved for static manifest-based "
      "configurations and cannot be managed via the API"};
  EXPECT_TRUE(Webhooks().Warnings("").empty());
  EXPECT_EQ(Webhooks().New(edit), "");
  EXPECT_EQ(Webhooks().Warnings(edit), warning);
  EXPECT_EQ(Webhooks().ChangeWarnings(edit, ""), warning);
  const RulesTester reserved = Webhooks().With({{"ManifestBasedAdmissionControlConfig", true}});
  EXPECT_EQ(reserved.New(edit), "metadata.name Invalid");
  EXPECT_TRUE(reserved.Warnings(edit).empty());
  EXPECT_EQ(reserved.Changed(edit, ""), "");
  EXPECT_EQ(reserved.ChangeWarnings(edit, ""), warning);
}

TEST(WebhookRulesTest, RulesNameOperationsGroupsVersionsAndResources) {
  const auto rule = [](std::string_view edit) {
    return Webhooks().New("webhooks[0].rules[0]." + std::string(edit));
  };
  const std::string at = "webhooks[0].rules[0].";
  EXPECT_EQ(rule("operations="), at + "operations Required");
  EXPECT_EQ(rule("operations=[\"*\",\"CREATE\"]"), at + "operations Invalid");
  EXPECT_EQ(rule("operations=[\"X\"]"), at + "operations[0] NotSupported");
  EXPECT_EQ(rule("apiGroups="), at + "apiGroups Required");
  EXPECT_EQ(rule("apiVersions=[\"\"]"), at + "apiVersions[0] Required");
  EXPECT_EQ(rule("resources="), at + "resources Required");
  EXPECT_EQ(rule("resources=[\"*\",\"pods\"]"), at + "resources Invalid");
  EXPECT_EQ(rule("resources=[\"*/*\",\"a\"]"), at + "resources Invalid");
  EXPECT_EQ(rule("resources=[\"pods/*\",\"pods/log\"]"), at + "resources[1] Invalid");
  EXPECT_EQ(rule("resources=[\"*/log\",\"pods/log\"]"), at + "resources[1] Invalid");
  EXPECT_EQ(rule("scope=X"), at + "scope NotSupported");
}

TEST(WebhookRulesTest, WhatWasStoredMayStay) {
  Webhooks().ExpectChanged({
      {"webhooks[0].sideEffects=Some", "webhooks[0].timeoutSeconds=3", ""},
      {"webhooks[0].admissionReviewVersions=[\"v9\"]", "webhooks[0].timeoutSeconds=3", ""},
      {"", "webhooks[0].sideEffects=Some", "webhooks[0].sideEffects NotSupported"},
  });
}

#define MATCH                                                                       \
  R"({"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},)" \
  R"("resourceRules": [)" RULE "]}"

TEST(AdmissionPolicyRulesTest, AValidatingPolicyMatchesAndAsks) {
  const RulesTester tester(
      "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
      R"({"metadata": {"name": "p"}, "spec": {"failurePolicy": "Fail", "validations": [
      {"expression": "true"}], "matchConstraints": )" MATCH "}}");
  tester.ExpectNew({
      {"spec.failurePolicy=", "spec.failurePolicy Required"},
      {"spec.failurePolicy=X", "spec.failurePolicy NotSupported"},
      {"spec.paramKind={}", "spec.paramKind.apiVersion Required; spec.paramKind.kind Required"},
      {"spec.paramKind={\"apiVersion\": \"a/b/c\", \"kind\": \"1\"}",
       "spec.paramKind.apiVersion Invalid; spec.paramKind.kind Invalid"},
      {"spec.paramKind={\"apiVersion\": \"a/\", \"kind\": \"K\"}",
       "spec.paramKind.apiVersion Invalid"},
      {"spec.matchConstraints=", "spec.matchConstraints Required"},
      {"spec.matchConstraints={}",
       "spec.matchConstraints.matchPolicy Required; "
       "spec.matchConstraints.namespaceSelector Required; "
       "spec.matchConstraints.objectSelector Required; "
       "spec.matchConstraints.resourceRules Required"},
      {"spec.matchConstraints.resourceRules[0].resourceNames=[\"a\",\"a\",\"b/c\"]",
       "spec.matchConstraints.resourceRules[0].resourceNames[1] Duplicate; "
       "spec.matchConstraints.resourceRules[0].resourceNames[2] Invalid"},
      {"spec.variables=[{\"name\": \"in\", \"expression\": \" \"}]",
       "spec.variables[0].name Invalid; spec.variables[0].expression Required"},
      {"spec.validations=", "spec.validations Required; spec.auditAnnotations Required"},
      {"spec.validations[0]={\"message\": \" \", \"messageExpression\": \" \", \"reason\": \"X\"}",
       "spec.validations[0].expression Required; spec.validations[0].messageExpression Invalid; "
       "spec.validations[0].message Invalid; spec.validations[0].reason NotSupported"},
      {"spec.validations[0].message=\"a\\nb\"", "spec.validations[0].message Invalid"},
      {"spec.auditAnnotations=[{\"key\": \"a\"},{\"key\": \"a\", \"valueExpression\": \"null\"}]",
       "spec.auditAnnotations[0].valueExpression Required; "
       "spec.auditAnnotations[1].key Duplicate"},
  });
  tester.ExpectChanged({{"spec.matchConditions=[{\"name\": \"\", \"expression\": \"\"}]",
                         "spec.failurePolicy=Ignore", ""},
                        {"", "spec.matchConditions=[{\"name\": \"\", \"expression\": \"true\"}]",
                         "spec.matchConditions[0].name Required"}});
  tester.ExpectChanged({{"", "status.typeChecking.expressionWarnings=[{}]",
                         "status.typeChecking.expressionWarnings[0].warning Required; "
                         "status.typeChecking.expressionWarnings[0].fieldRef Required"}},
                       "status");
}

TEST(AdmissionPolicyRulesTest, ExpressionsAreCompiled) {
  const RulesTester tester(
      "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
      R"({"metadata": {"name": "p"}, "spec": {"failurePolicy": "Fail", "validations": [
      {"expression": "true"}], "matchConstraints": )" MATCH "}}");
  tester.ExpectNew({
      {"spec.validations[0].expression=\"1\"", "spec.validations[0].expression Invalid"},
      {"spec.validations[0].expression=params.a == 1", "spec.validations[0].expression Invalid"},
      {"spec.validations[0].expression=variables.a", "spec.validations[0].expression Invalid"},
      {"spec.validations[0].messageExpression=\"1\"",
       "spec.validations[0].messageExpression Invalid"},
      {"spec.validations[0].messageExpression=string(authorizer)",
       "spec.validations[0].messageExpression Invalid"},
      {"spec.matchConditions=[{\"name\": \"a\", \"expression\": \"1 +\"}]",
       "spec.matchConditions[0].expression Invalid"},
      {"spec.auditAnnotations=[{\"key\": \"a\", \"valueExpression\": \"1\"}]",
       "spec.auditAnnotations[0].valueExpression Invalid"},
      {"spec.variables=[{\"name\": \"a\", \"expression\": \"variables.b\"},"
       "{\"name\": \"b\", \"expression\": \"variables.a\"}]",
       "spec.variables[0].expression Invalid"},
  });
  EXPECT_EQ(
      tester.NewMessages("spec.validations[0].expression=object.x"),
      "spec.validations[0].expression: Invalid value: \"object.x\": must evaluate to bool but "
      "got dyn");
}

TEST(AdmissionPolicyRulesTest, ABindingNamesAPolicyAndItsParameters) {
  const RulesTester tester("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding",
                           R"({"metadata": {"name": "b"}, "spec": {"policyName": "p",
                           "validationActions": ["Deny"]}})");
  tester.ExpectNew({
      {"spec.policyName=", "spec.policyName Required"},
      {"spec.policyName=A!", "spec.policyName Invalid"},
      {"spec.paramRef={}",
       "spec.paramRef Required; spec.paramRef.parameterNotFoundAction Required"},
      {"spec.paramRef={\"name\": \"n\", \"selector\": {}, \"parameterNotFoundAction\": \"X\"}",
       "spec.paramRef.name Forbidden; spec.paramRef.selector Forbidden; "
       "spec.paramRef.parameterNotFoundAction NotSupported"},
      {"spec.validationActions=", "spec.validationActions Required"},
      {"spec.validationActions=[\"Deny\",\"Deny\",\"Warn\",\"X\"]",
       "spec.validationActions[1] Duplicate; spec.validationActions[3] NotSupported; "
       "spec.validationActions Invalid"},
      {"spec.matchResources={}",
       "spec.matchResources.matchPolicy Required; "
       "spec.matchResources.namespaceSelector Required; "
       "spec.matchResources.objectSelector Required"},
  });
  tester.ExpectChanged({{"", "spec.policyName=q", ""}});
}

TEST(AdmissionPolicyRulesTest, AMutatingPolicyPatchesOneWay) {
  const RulesTester tester("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy",
                           R"({"metadata": {"name": "p"}, "spec": {"failurePolicy": "Fail",
      "reinvocationPolicy": "Never", "mutations": [{"patchType": "JSONPatch",
      "jsonPatch": {"expression": "[JSONPatch{op: 'test', path: '/x'}]"}}],
      "matchConstraints": )" MATCH "}}");
  tester.ExpectNew({
      {"spec.mutations=", "spec.mutations Required"},
      {"spec.mutations[0].patchType=", "spec.mutations[0].patchType Required"},
      {"spec.mutations[0].patchType=X", "spec.mutations[0].patchType NotSupported"},
      {"spec.mutations[0].patchType=ApplyConfiguration",
       "spec.mutations[0].applyConfiguration Required; spec.mutations[0].jsonPatch Invalid"},
      {"spec.mutations[0].jsonPatch.expression=''",
       "spec.mutations[0].jsonPatch.expression Required"},
      {"spec.mutations[0].jsonPatch.expression=\"[]\"",
       "spec.mutations[0].jsonPatch.expression Invalid"},
      {"spec.reinvocationPolicy=", "spec.reinvocationPolicy Required"},
      {"spec.reinvocationPolicy=X", "spec.reinvocationPolicy NotSupported"},
      {"spec.matchConstraints.resourceRules[0].operations=[\"DELETE\"]",
       "spec.matchConstraints.resourceRules.operations NotSupported"},
  });
  tester.ExpectChanged({{"", "spec.reinvocationPolicy=IfNeeded", ""}});
  const RulesTester binding("admissionregistration.k8s.io/v1beta1",
                            "MutatingAdmissionPolicyBinding",
                            R"({"metadata": {"name": "b"}, "spec": {"policyName": "p"}})");
  binding.ExpectNew({{"spec.policyName=", "spec.policyName Required"}});
}

TEST(AdmissionRulesTest, MessagesAreThoseOfKubernetes) {
  EXPECT_EQ(Webhooks().NewMessages("webhooks[0].sideEffects="),
            "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun");
  EXPECT_EQ(Webhooks().NewMessages("webhooks[0].rules[0].apiGroups=[\"*\", \"a\"]"),
            "webhooks[0].rules[0].apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is present, must "
            "not specify other API groups");
  EXPECT_EQ(Webhooks().NewMessages("webhooks[0].rules[0].resources=[\"a/*\", \"a/b\"]"),
            "webhooks[0].rules[0].resources[1]: Invalid value: \"a/b\": if 'a/*' is present, must "
            "not specify a/b");
}

TEST(AdmissionRulesTest, ABindingOfAMutatingPolicyIsNotForDeletions) {
  const RulesTester binding("admissionregistration.k8s.io/v1beta1",
                            "MutatingAdmissionPolicyBinding",
                            R"({"metadata": {"name": "b"}, "spec": {"policyName": "p",
    "matchResources": {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},
      "resourceRules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"],
                         "resources": ["pods"]}]}}})");
  binding.ExpectNew({{"spec.matchResources.resourceRules[0].operations=[\"DELETE\"]",
                      "spec.matchResources.resourceRules.operations NotSupported"}});
}

}  // namespace
}  // namespace skiff::apiserver
