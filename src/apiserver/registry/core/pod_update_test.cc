// Changes of pods: by their owners, of their status, of ephemeral containers, and of resources.
#include <gtest/gtest.h>

#include "apiserver/registry/core/pod_testing.h"

namespace skiff::apiserver {
namespace {

using testing::Pods;

TEST(PodUpdateTest, TheOwnerMayChangeOnlyAFewFields) {
  Pods().ExpectChanged({
      {"", "spec.containers[0].image=j", ""},
      {"", "spec.containers[0].image=",
       "spec.containers[0].image Required; "
       "spec.containers[0].image Required"},
      {"", "spec.containers[0].command=[\"a\"]", "spec Forbidden"},
      {"", "spec.containers=[]", "spec.containers Required; spec.containers Forbidden"},
      {"", "spec.activeDeadlineSeconds=5", ""},
      {"spec.activeDeadlineSeconds=5", "spec.activeDeadlineSeconds=6",
       "spec.activeDeadlineSeconds Invalid"},
      {"spec.activeDeadlineSeconds=5",
       "spec.activeDeadlineSeconds=", "spec.activeDeadlineSeconds Invalid"},
      {"", R"(spec.tolerations=[{"key":"a"}])", ""},
      {R"(spec.tolerations=[{"key":"a"}])", "spec.tolerations=[]", "spec.tolerations Forbidden"},
      {"", R"(spec.schedulingGates=[{"name":"a"}])", "spec.schedulingGates[0].name Forbidden"},
      {R"(spec.schedulingGates=[{"name":"a"}])", "spec.schedulingGates=", ""},
      {R"(spec.schedulingGates=[{"name":"a"}])", R"(spec.nodeSelector={"a":"b"})", ""},
      {R"(spec.schedulingGates=[{"name":"a"}] & spec.nodeSelector={"a":"b"})",
       R"(spec.nodeSelector={"a":"c"})", "spec.nodeSelector Invalid"},
      {R"(spec.schedulingGates=[{"name":"a"}])",
       R"(spec.affinity={"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
       R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}})",
       ""},
      {"", R"(spec.nodeSelector={"a":"b"})", "spec Forbidden"},
      {"spec.terminationGracePeriodSeconds=-1", "spec.terminationGracePeriodSeconds=1", ""},
      {"", "spec.terminationGracePeriodSeconds=1", "spec Forbidden"},
      {"", R"(metadata.annotations={"kubernetes.io/config.mirror":"x"})",
       "metadata.annotations[kubernetes.io/config.mirror] Invalid; "
       "metadata.annotations[kubernetes.io/config.mirror] Forbidden; "
       "metadata.annotations[kubernetes.io/config.mirror] Invalid"},
  });
}

TEST(PodUpdateTest, WhatWasStoredUnderOlderRulesStaysWritable) {
  Pods().ExpectChanged({
      {R"(spec.securityContext={"seLinuxChangePolicy":"MountOption"})", "metadata.labels={}", ""},
      {R"(spec.containers[0].resources={"limits":{"cpu":"1","hugepages-2Mi":"3Mi"}})",
       "metadata.labels={}", ""},
      {R"(spec.tolerations=[{"key":"a","operator":"Gt","value":"1"}])", "metadata.labels={}", ""},
      {R"(metadata.annotations={"controller.kubernetes.io/pod-deletion-cost":"x"})",
       "metadata.labels={}", ""},
      {R"(spec.hostUsers=false & spec.hostNetwork=true)", "metadata.labels={}", ""},
      {R"(spec.topologySpreadConstraints=[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":)"
       R"("ScheduleAnyway","labelSelector":{"matchLabels":{"a b":"c"}}}])",
       "metadata.labels={}", ""},
  });
}

TEST(PodUpdateTest, AStatusSaysWhatCanBe) {
  Pods().ExpectChanged(
      {
          {"", R"(status.conditions=[{"type":"a b","observedGeneration":-1}])",
           "status.conditions[0].observedGeneration Invalid; status.conditions[0].Type Invalid"},
          {"", "status.nominatedNodeName=A", "status.nominatedNodeName Invalid"},
          {"spec.nodeName=n", "status.nominatedNodeName=a", "status.nominatedNodeName Forbidden"},
          {"", "status.observedGeneration=-1", "status.observedGeneration Invalid"},
          {"status.qosClass=Burstable", "status.qosClass=Guaranteed", "status.qosClass Invalid"},
          {"", R"(status.podIPs=[{"ip":"1.1.1.1"},{"ip":"1.1.1.2"}])", "status.podIPs Invalid"},
          {"", R"(status.podIPs=[{"ip":"1.1.1.1"},{"ip":"::1"}])", ""},
          {"", R"(status.podIPs=[{"ip":"x"}])", "status.podIPs[0] Invalid"},
          {R"(status.podIPs=[{"ip":"x"}])", R"(status.podIPs=[{"ip":"x"}])", ""},
          {"", R"(status.hostIP=1.1.1.1 & status.hostIPs=[{"ip":"1.1.1.2"}])",
           "status.hostIPs[0].ip Invalid"},
          {R"(spec.restartPolicy=Never & status.containerStatuses=[{"name":"c","state":)"
           R"({"terminated":{"exitCode":0}}}])",
           R"(status.containerStatuses=[{"name":"c","state":{"running":{}}}])",
           "status.containerStatuses[0].state Forbidden"},
          {R"(status.containerStatuses=[{"name":"c","state":{"terminated":{"exitCode":0}}}])",
           R"(status.containerStatuses=[{"name":"c","state":{"running":{}}}])", ""},
          {"", R"(status.resourceClaimStatuses=[{"name":"x"}])",
           "status.resourceClaimStatuses[0].name Invalid"},
          {"",
           R"(status.extendedResourceClaimStatus={"requestMappings":[{"containerName":"x",)"
           R"("resourceName":"r","requestName":"q"}]})",
           "status.extendedResourceClaimStatus.requestMappings[0].containerName Invalid; "
           "status.extendedResourceClaimStatus.resourceClaimName Required"},
          {"",
           R"(status.containerStatuses=[{"name":"c","user":{"linux":{"uid":-1,"gid":1}},)"
           R"("allocatedResourcesStatus":[{"name":"r","resources":[{"resourceID":"a",)"
           R"("health":"So-so"}]}]}])",
           "status.containerStatuses[0].user.linux.uid Invalid; "
           "status.containerStatuses[0].allocatedResourcesStatus[0].name Invalid; "
           "status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health "
           "NotSupported"},
      },
      "status");
}

TEST(PodUpdateTest, EphemeralContainersAreAddedAndStay) {
  constexpr std::string_view kOne =
      R"(spec.ephemeralContainers=[{"name":"e","image":"i","imagePullPolicy":"Always",)"
      R"("terminationMessagePolicy":"File"}])";
  constexpr std::string_view kOther =
      R"(spec.ephemeralContainers=[{"name":"e","image":"j","imagePullPolicy":"Always",)"
      R"("terminationMessagePolicy":"File"}])";
  Pods().ExpectChanged(
      {
          {"", kOne, ""},
          {kOne, "spec.ephemeralContainers=", "spec.ephemeralContainers Forbidden"},
          {kOne, kOther, "spec.ephemeralContainers Forbidden"},
          {R"(metadata.annotations={"kubernetes.io/config.mirror":"x"} & spec.nodeName=n)", kOne,
           "[] Forbidden"},
      },
      "ephemeralcontainers");
}

TEST(PodUpdateTest, AResizeChangesProcessorAndMemory) {
  constexpr std::string_view kBurstable =
      R"(status.qosClass=Burstable & spec.containers[0].resources=)"
      R"({"requests":{"cpu":"1"},"limits":{"ephemeral-storage":"1Gi"}})";
  Pods().ExpectChanged(
      {
          {kBurstable,
           R"(spec.containers[0].resources={"requests":{"cpu":"2"},)"
           R"("limits":{"ephemeral-storage":"1Gi"}})",
           ""},
          {kBurstable,
           R"(spec.containers[0].resources={"requests":{"cpu":"2"},)"
           R"("limits":{"ephemeral-storage":"2Gi"}})",
           "spec Forbidden"},
          {kBurstable, R"(spec.containers[0].resources={"requests":{"cpu":"2"}})",
           "spec.containers[0].resources.limits Forbidden; spec Forbidden"},
          {kBurstable,
           R"(spec.containers[0].resources={"requests":{"cpu":"2","memory":"1Gi"},)"
           R"("limits":{"cpu":"2","memory":"1Gi","ephemeral-storage":"1Gi"}})",
           "spec Invalid"},
          {kBurstable, "spec.containers[0].name=d", "spec.containers[0].name Forbidden"},
          {kBurstable, "spec.containers[0].image=j", "spec Forbidden"},
          {"spec.os={\"name\":\"windows\"} & spec.securityContext=", "spec.nodeName=n",
           "[] Forbidden"},
      },
      "resize");
}

}  // namespace
}  // namespace skiff::apiserver
