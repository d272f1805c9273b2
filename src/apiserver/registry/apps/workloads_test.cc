#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

#define POD_TEMPLATE                                                                            \
  R"("template": {"metadata": {"labels": {"app": "a"}}, "spec": {"restartPolicy": "Always",)"   \
  R"("terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst", "securityContext": {},)" \
  R"("schedulerName": "default-scheduler", "containers": [{"name": "c", "image": "i",)"         \
  R"("imagePullPolicy": "Always", "terminationMessagePath": "/dev/termination-log",)"           \
  R"("terminationMessagePolicy": "File"}]}}, "selector": {"matchLabels": {"app": "a"}})"

const RulesTester& Deployment() {
  static const RulesTester tester(
      "apps/v1", "Deployment",
      R"({"metadata": {"name": "d", "namespace": "n"}, "spec": {"replicas": 1, "strategy": {
      "type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
      "progressDeadlineSeconds": 600, )" POD_TEMPLATE "}}");
  return tester;
}

TEST(DeploymentRulesTest, ANewDeploymentSelectsItsPodsAndReplacesThem) {
  Deployment().ExpectNew({
      {"spec.replicas=-1", "spec.replicas Invalid"},
      {"spec.selector=", "spec.selector Required; spec.template.metadata.labels Invalid"},
      {"spec.selector={}", "spec.selector Invalid"},
      {"spec.selector.matchLabels.app=b", "spec.template.metadata.labels Invalid"},
      {"spec.selector.matchLabels={\"_\": \"a\"}",
       "spec.selector.matchLabels Invalid; spec.selector Invalid"},
      {"spec.template.spec.restartPolicy=Never", "spec.template.spec.restartPolicy NotSupported"},
      {"spec.template.spec.activeDeadlineSeconds=5",
       "spec.template.spec.activeDeadlineSeconds Forbidden"},
      {"spec.strategy.type=Other", "spec.strategy NotSupported"},
      {"spec.strategy.type=Recreate", "spec.strategy.rollingUpdate Forbidden"},
      {"spec.strategy.rollingUpdate=", "spec.strategy.rollingUpdate Required"},
      {"spec.strategy.rollingUpdate.maxSurge=-1", "spec.strategy.rollingUpdate.maxSurge Invalid"},
      {"spec.strategy.rollingUpdate.maxUnavailable=150%",
       "spec.strategy.rollingUpdate.maxUnavailable Invalid"},
      {"spec.strategy.rollingUpdate={\"maxSurge\": 0, \"maxUnavailable\": \"0%\"}",
       "spec.strategy.rollingUpdate.maxUnavailable Invalid"},
      {"spec.minReadySeconds=-1", "spec.minReadySeconds Invalid"},
      {"spec.minReadySeconds=600", "spec.progressDeadlineSeconds Invalid"},
      {"spec.revisionHistoryLimit=-1", "spec.revisionHistoryLimit Invalid"},
      {"spec.template.spec.containers=", "spec.template.spec.containers Required"},
      {"spec.strategy={\"type\": \"Recreate\"}", ""},
  });
}

TEST(DeploymentRulesTest, ANameThatIsNoLabelIsWarnedAbout) {
  EXPECT_TRUE(Deployment().Warnings("").empty());
  EXPECT_EQ(Deployment().Warnings("metadata.name=a.b").size(), 1u);
}

TEST(DeploymentRulesTest, ASelectorNeverChanges) {
  Deployment().ExpectChanged({
      {"", "spec.replicas=3 & spec.paused=true", ""},
      {"", "spec.selector.matchLabels.app=b & spec.template.metadata.labels.app=b",
       "spec.selector Invalid"},
  });
}

TEST(DeploymentRulesTest, AStatusCountsWhatIsThere) {
  Deployment().ExpectChanged(
      {{"", "status.replicas=2 & status.readyReplicas=2 & status.availableReplicas=1", ""},
       {"", "status.observedGeneration=-1 & status.collisionCount=-1",
        "status.observedGeneration Invalid; status.collisionCount Invalid"},
       {"", "status.replicas=-1",
        "status.replicas Invalid; status.updatedReplicas Invalid; status.readyReplicas Invalid; "
        "status.availableReplicas Invalid"},
       {"", "status.updatedReplicas=1", "status.updatedReplicas Invalid"},
       {"", "status.replicas=1 & status.availableReplicas=1", "status.availableReplicas Invalid"},

       {"", "status.unavailableReplicas=-1", "status.unavailableReplicas Invalid"},
       {"", "status.terminatingReplicas=-1", "status.terminatingReplicas Invalid"},
       {"status.collisionCount=2", "status.collisionCount=1", "status.collisionCount Invalid"},
       {"status.collisionCount=2", "status.collisionCount=", "status.collisionCount Invalid"}},
      "status");
}

TEST(ReplicaSetRulesTest, ItKeepsPodsThatItSelects) {
  const RulesTester tester("apps/v1", "ReplicaSet",
                           R"({"metadata": {"name": "r"}, "spec": {)" POD_TEMPLATE "}}");
  tester.ExpectNew({
      {"spec.replicas=-1 & spec.minReadySeconds=-1",
       "spec.replicas Invalid; spec.minReadySeconds Invalid"},
      {"spec.selector=", "spec.selector Required; spec.template.metadata.labels Invalid"},
      {"spec.selector={}", "spec.selector Invalid"},
      {"spec.template.spec.restartPolicy=OnFailure",
       "spec.template.spec.restartPolicy NotSupported"},
  });
  tester.ExpectChanged({
      {"", "spec.replicas=2", ""},
      {"", "spec.selector.matchLabels.app=b & spec.template.metadata.labels.app=b",
       "spec.selector Invalid"},
  });
  tester.ExpectChanged(
      {{"", "status.replicas=1 & status.fullyLabeledReplicas=2",
        "status.fullyLabeledReplicas Invalid"},
       {"", "status.replicas=1 & status.readyReplicas=2", "status.readyReplicas Invalid"},
       {"", "status.replicas=1 & status.availableReplicas=1", "status.availableReplicas Invalid"}},
      "status");
}

const RulesTester& StatefulSet() {
  static const RulesTester tester("apps/v1", "StatefulSet",
                                  R"({"metadata": {"name": "s"}, "spec": {"serviceName": "svc",
      "podManagementPolicy": "OrderedReady", "updateStrategy": {"type": "RollingUpdate"},
      "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes":
      ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}], )" POD_TEMPLATE "}}");
  return tester;
}

TEST(StatefulSetRulesTest, ANewStatefulSetNamesItsPolicies) {
  StatefulSet().ExpectNew({
      {"spec.podManagementPolicy=", "spec.podManagementPolicy Required"},
      {"spec.podManagementPolicy=Other", "spec.podManagementPolicy Invalid"},
      {"spec.updateStrategy=", "spec.updateStrategy Required"},
      {"spec.updateStrategy.type=Other", "spec.updateStrategy Invalid"},
      {"spec.updateStrategy={\"type\": \"OnDelete\", \"rollingUpdate\": {}}",
       "spec.updateStrategy.rollingUpdate Invalid"},
      {"spec.updateStrategy.rollingUpdate.partition=-1",
       "spec.updateStrategy.rollingUpdate.partition Invalid"},
      {"spec.updateStrategy.rollingUpdate.maxUnavailable=0",
       "spec.updateStrategy.rollingUpdate.maxUnavailable Invalid"},
      {"spec.persistentVolumeClaimRetentionPolicy={\"whenDeleted\": \"X\", \"whenScaled\": \"\"}",
       "spec.persistentVolumeClaimRetentionPolicy.whenDeleted NotSupported; "
       "spec.persistentVolumeClaimRetentionPolicy.whenScaled NotSupported"},
      {"spec.replicas=-1", "spec.replicas Invalid"},
      {"spec.ordinals.start=-1", "spec.ordinals.start Invalid"},
      {"spec.serviceName=A", "spec.serviceName Invalid"},
      {"spec.selector={}", "spec.selector Invalid"},
      {"spec.template.spec.restartPolicy=Never", "spec.template.spec.restartPolicy NotSupported"},
      {"spec.volumeClaimTemplates[0].spec.accessModes=",
       "spec.volumeClaimTemplates[0].spec.accessModes Required"},
      {"spec.template.spec.containers[0].volumeMounts=[{\"name\": \"data\", \"mountPath\": "
       "\"/d\"}]",
       ""},
  });
}

TEST(StatefulSetRulesTest, FewFieldsMayChange) {
  StatefulSet().ExpectChanged({
      {"",
       "spec.replicas=3 & spec.minReadySeconds=4 & spec.revisionHistoryLimit=1 & "
       "spec.ordinals.start=1",
       ""},
      {"", "spec.serviceName=other", "spec Forbidden"},
      {"", "spec.podManagementPolicy=Parallel", "spec Forbidden"},
      {"", "spec.volumeClaimTemplates=", "spec Forbidden"},
      {"spec.serviceName=A", "spec.replicas=2", ""},
  });
  StatefulSet().ExpectChanged(
      {{"", "status.replicas=1 & status.currentReplicas=2", "status.currentReplicas Invalid"},
       {"", "status.replicas=1 & status.availableReplicas=1", "status.availableReplicas Invalid"},
       {"status.collisionCount=1", "status.collisionCount=0", "status.collisionCount Invalid"}},
      "status");
}

const RulesTester& DaemonSet() {
  static const RulesTester tester(
      "apps/v1", "DaemonSet",
      R"({"metadata": {"name": "d"}, "spec": {"updateStrategy": {"type": "RollingUpdate",
      "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}, )" POD_TEMPLATE "}}");
  return tester;
}

TEST(DaemonSetRulesTest, PodsAreReplacedBeforeOrAfterNewOnesRun) {
  DaemonSet().ExpectNew({
      {"spec.selector=", "spec.template.metadata.labels Invalid"},
      {"spec.selector={}", "spec.selector Invalid"},
      {"spec.template.metadata.labels.app=b", "spec.template.metadata.labels Invalid"},
      {"spec.template.spec.restartPolicy=Never", "spec.template.spec.restartPolicy NotSupported"},
      {"spec.template.spec.activeDeadlineSeconds=5",
       "spec.template.spec.activeDeadlineSeconds Forbidden"},
      {"spec.minReadySeconds=-1", "spec.minReadySeconds Invalid"},
      {"spec.revisionHistoryLimit=-1", "spec.revisionHistoryLimit Invalid"},
      {"spec.updateStrategy.type=X", "spec.updateStrategy NotSupported"},
      {"spec.updateStrategy.rollingUpdate=", "spec.updateStrategy.rollingUpdate Required"},
      {"spec.updateStrategy.rollingUpdate.maxSurge=1",
       "spec.updateStrategy.rollingUpdate.maxSurge Invalid"},
      {"spec.updateStrategy.rollingUpdate.maxUnavailable=0",
       "spec.updateStrategy.rollingUpdate.maxUnavailable Required"},
      {"spec.updateStrategy.rollingUpdate.maxUnavailable=101%",
       "spec.updateStrategy.rollingUpdate.maxUnavailable Invalid"},
      {"spec.updateStrategy={\"type\": \"OnDelete\"}", ""},
  });
  DaemonSet().ExpectChanged({
      {"", "spec.minReadySeconds=3", ""},
      {"", "spec.selector.matchLabels.app=b & spec.template.metadata.labels.app=b",
       "spec.selector Invalid"},
  });
  DaemonSet().ExpectChanged(
      {{"", "status.numberReady=-1", "status.numberReady Invalid"},
       {"status.collisionCount=1", "status.collisionCount=0", "status.collisionCount Invalid"}},
      "status");
}

TEST(ControllerRevisionRulesTest, DataIsAnObjectAndNeverChanges) {
  const RulesTester tester("apps/v1", "ControllerRevision",
                           R"({"metadata": {"name": "r"}, "data": {"a": 1}, "revision": 1})");
  tester.ExpectNew({{"data=", "data Required"},
                    {"data=[1]", "data Required"},
                    {"revision=-1", "revision Invalid"}});
  tester.ExpectChanged({{"", "revision=2", ""}, {"", "data.a=2", "data Invalid"}});
}

TEST(WorkloadRulesTest, MessagesAreThoseOfKubernetes) {
  EXPECT_EQ(Deployment().NewMessages("spec.selector={}"),
            "spec.selector: Invalid value: {}: empty selector is invalid for deployment");
  EXPECT_EQ(Deployment().NewMessages("spec.strategy={\"type\": \"Other\"}"),
            "spec.strategy: Unsupported value: {\"Type\":\"Other\",\"RollingUpdate\":null}: "
            "supported values: \"Recreate\", \"RollingUpdate\"");
  EXPECT_EQ(Deployment().NewMessages("spec.template.spec.activeDeadlineSeconds=5"),
            "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in "
            "ReplicaSet is not Supported");
  EXPECT_EQ(Deployment().ChangedMessages("", "status={\"replicas\": 2, \"availableReplicas\": 1}",
                                         "status"),
            "status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas");
  EXPECT_EQ(StatefulSet().ChangedMessages("", "status={\"replicas\": 2, \"availableReplicas\": 1}",
                                          "status"),
            "status.availableReplicas: Invalid value: 1: cannot be greater than "
            "status.readyReplicas");
  EXPECT_EQ(StatefulSet().NewMessages("spec.updateStrategy={\"type\": \"OnDelete\", "
                                      "\"rollingUpdate\": {\"partition\": 1}}"),
            "spec.updateStrategy.rollingUpdate: Invalid value: "
            "{\"Partition\":1,\"MaxUnavailable\":null}: only allowed for updateStrategy "
            "'RollingUpdate'");
  EXPECT_EQ(DaemonSet().NewMessages("spec.updateStrategy={\"type\": \"Other\"}"),
            "spec.updateStrategy: Unsupported value: {\"Type\":\"Other\",\"RollingUpdate\":null}: "
            "supported values: \"RollingUpdate\", \"OnDelete\"");
}

TEST(StatefulSetRulesTest, WarnsAboutFractionsOfBytesInClaims) {
  constexpr std::string_view kClaim =
      "spec.volumeClaimTemplates=[{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"resources\": "
      "{\"requests\": {\"storage\": \"1m\"}}}}]";
  EXPECT_EQ(StatefulSet().Warnings(kClaim),
            std::vector<std::string>{
                "spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "
                "\"1m\" is invalid, must be an integer"});
  EXPECT_EQ(StatefulSet().ChangeWarnings(kClaim, ""),
            std::vector<std::string>{
                "spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte "
                "value \"1m\" is invalid, must be an integer"});
}

TEST(StatefulSetRulesTest, AnnotationsOfPodsAreLookedAtTwice) {
  EXPECT_EQ(StatefulSet().New("spec.template.metadata.annotations="
                              "{\"controller.kubernetes.io/pod-deletion-cost\": \"much\"}"),
            "spec.template.annotations[controller.kubernetes.io/pod-deletion-cost] Invalid; "
            "spec.template.annotations[controller.kubernetes.io/pod-deletion-cost] Invalid");
}

TEST(DaemonSetRulesTest, OnlyAnotherTemplateIsWarnedAbout) {
  constexpr std::string_view kSecret =
      "spec.template.spec.volumes=[{\"name\": \"v\", \"gitRepo\": {\"repository\": \"r\"}}]";
  EXPECT_EQ(DaemonSet().Warnings(kSecret).size(), 1u);
  EXPECT_TRUE(DaemonSet()
                  .ChangeWarnings(kSecret, "metadata.generation=2 & spec.minReadySeconds=3")
                  .empty());
}

}  // namespace
}  // namespace skiff::apiserver
