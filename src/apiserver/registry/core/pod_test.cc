#include <string>

#include <gtest/gtest.h>

#include "apiserver/registry/core/pod_resources.h"
#include "apiserver/registry/core/pod_testing.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::Pods;
using testing::RulesTester;

TEST(PodRulesTest, ContainersHaveNamesImagesAndPolicies) {
  Pods().ExpectNew({
      {"spec.containers=[]", "spec.containers Required"},
      {"spec.containers[0].name=", "spec.containers[0].name Required"},
      {"spec.containers[0].name=A_b", "spec.containers[0].name Invalid"},
      {"spec.containers[0].image=", "spec.containers[0].image Required"},
      {"spec.containers[0].image=\" i\"", "spec.containers[0].image Invalid"},
      {"spec.containers[0].imagePullPolicy=", "spec.containers[0].imagePullPolicy Required"},
      {"spec.containers[0].imagePullPolicy=Often",
       "spec.containers[0].imagePullPolicy NotSupported"},
      {"spec.containers[0].terminationMessagePolicy=X",
       "spec.containers[0].terminationMessagePolicy NotSupported"},
      {"spec.initContainers=[{\"name\":\"c\",\"image\":\"i\",\"imagePullPolicy\":\"Always\","
       "\"terminationMessagePolicy\":\"File\"}]",
       "spec.initContainers[0].name Duplicate"},
      {"spec.ephemeralContainers=[{\"name\":\"c\",\"image\":\"i\",\"imagePullPolicy\":\"Always\","
       "\"terminationMessagePolicy\":\"File\",\"targetContainerName\":\"x\",\"ports\":[]}]",
       "spec.ephemeralContainers[0].name Duplicate; "
       "spec.ephemeralContainers[0].targetContainerName NotFound; "
       "spec.ephemeralContainers[0].ports Forbidden; spec.ephemeralContainers Forbidden"},
  });
}

TEST(PodRulesTest, PortsAreNumbersWithNamesAndProtocols) {
  Pods().ExpectNew({
      {R"(spec.containers[0].ports=[{"name":"http","containerPort":80,"protocol":"TCP"}])", ""},
      {R"(spec.containers[0].ports=[{"containerPort":0,"protocol":"TCP"}])",
       "spec.containers[0].ports[0].containerPort Required"},
      {R"(spec.containers[0].ports=[{"containerPort":70000,"hostPort":70000,"protocol":"X"}])",
       "spec.containers[0].ports[0].containerPort Invalid; "
       "spec.containers[0].ports[0].hostPort Invalid; "
       "spec.containers[0].ports[0].protocol NotSupported"},
      {R"(spec.containers[0].ports=[{"name":"UP","containerPort":1}])",
       "spec.containers[0].ports[0].name Invalid; spec.containers[0].ports[0].name Invalid; "
       "spec.containers[0].ports[0].protocol Required"},
      {R"(spec.containers[0].ports=[{"name":"a","containerPort":1,"protocol":"TCP"},)"
       R"({"name":"a","containerPort":2,"protocol":"TCP"}])",
       "spec.containers[0].ports[1].name Duplicate"},
      {R"(spec.containers[0].ports=[{"hostPort":1,"containerPort":1,"protocol":"TCP"},)"
       R"({"hostPort":1,"containerPort":2,"protocol":"TCP"}])",
       "spec.containers[0].ports[1].hostPort Duplicate"},
      {R"(spec.hostNetwork=true & spec.containers[0].ports=[{"containerPort":1,"protocol":"TCP"}])",
       "spec.containers[0].ports[0].hostPort Invalid"},
  });
}

TEST(PodRulesTest, VariablesComeFromOnePlaceThatExists) {
  Pods().ExpectNew({
      {R"(spec.containers[0].env=[{"name":"A B"}])", ""},
      {R"(spec.containers[0].env=[{"name":""}])", "spec.containers[0].env[0].name Required"},
      {R"(spec.containers[0].env=[{"name":"a=b"}])", "spec.containers[0].env[0].name Invalid"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{}}])",
       "spec.containers[0].env[0].valueFrom Invalid"},
      {R"(spec.containers[0].env=[{"name":"A","value":"x","valueFrom":{"fieldRef":{"apiVersion":)"
       R"("v1","fieldPath":"metadata.name"}}}])",
       "spec.containers[0].env[0].valueFrom Invalid"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v1",)"
       R"("fieldPath":"metadata.labels['a b']"}}}])",
       "spec.containers[0].env[0].valueFrom.fieldRef Invalid"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v1",)"
       R"("fieldPath":"spec.hostname"}}}])",
       "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath Invalid"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v1",)"
       R"("fieldPath":"status.phase"}}}])",
       "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath NotSupported"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":)"
       R"("limits.cpu","divisor":"1Mi"}}}])",
       "spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor Invalid"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"x"}}}])",
       "spec.containers[0].env[0].valueFrom.resourceFieldRef.resource NotSupported"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"A_",)"
       R"("key":"a b"}}}])",
       "spec.containers[0].env[0].valueFrom.configMapKeyRef.name Invalid; "
       "spec.containers[0].env[0].valueFrom.configMapKeyRef.key Invalid"},
      {R"(spec.containers[0].env=[{"name":"A","valueFrom":{"fileKeyRef":{"key":"K","path":"../x",)"
       R"("volumeName":"w"}}}])",
       "spec.containers[0].env[0].valueFrom.fileKeyRef.path Invalid; "
       "spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName NotFound"},
      {R"(spec.containers[0].envFrom=[{"prefix":"="},{"configMapRef":{},)"
       R"("secretRef":{"name":"s-"}}])",
       "spec.containers[0].envFrom[0].prefix Invalid; spec.containers[0].envFrom Invalid; "
       "spec.containers[0].envFrom[1].configMapRef.name Required; "
       "spec.containers[0].envFrom Invalid"},
  });
}

TEST(PodRulesTest, MountsNameVolumesAndStayWhereTheyBelong) {
  Pods().ExpectNew({
      {R"(spec.containers[0].volumeMounts=[{"name":"v","mountPath":"/v"}])", ""},
      {R"(spec.containers[0].volumeMounts=[{"name":"w","mountPath":""}])",
       "spec.containers[0].volumeMounts[0].name NotFound; "
       "spec.containers[0].volumeMounts[0].mountPath Required"},
      {R"(spec.containers[0].volumeMounts=[{"name":"v","mountPath":"/v"},)"
       R"({"name":"v","mountPath":"/v","subPath":"/a/../b","subPathExpr":"c"}])",
       "spec.containers[0].volumeMounts[1].mountPath Invalid; "
       "spec.containers[0].volumeMounts.subPath Invalid; "
       "spec.containers[0].volumeMounts.subPath Invalid; "
       "spec.containers[0].volumeMounts[1].subPathExpr Invalid"},
      {R"(spec.containers[0].volumeMounts=[{"name":"v","mountPath":"/v",)"
       R"("mountPropagation":"Bidirectional","recursiveReadOnly":"Enabled"}])",
       "spec.containers[0].volumeMounts.mountPropagation Forbidden; "
       "spec.containers[0].volumeMounts.recursiveReadOnly Forbidden; "
       "spec.containers[0].volumeMounts.recursiveReadOnly Forbidden"},
      {R"(spec.containers[0].volumeDevices=[{"name":"v","devicePath":"../x"},)"
       R"({"name":"w","devicePath":""}])",
       "spec.containers[0].volumeDevices[0].name Invalid; "
       "spec.containers[0].volumeDevices[0].devicePath Invalid; "
       "spec.containers[0].volumeDevices[1].name NotFound; "
       "spec.containers[0].volumeDevices[1].devicePath Required"},
  });
}

TEST(PodRulesTest, ProbesAndHooksHaveOneHandler) {
  Pods().ExpectNew({
      {R"(spec.containers[0].livenessProbe={"exec":{"command":["a"]},"successThreshold":1})", ""},
      {R"(spec.containers[0].livenessProbe={"successThreshold":2,"periodSeconds":-1})",
       "spec.containers[0].livenessProbe Required; "
       "spec.containers[0].livenessProbe.periodSeconds Invalid; "
       "spec.containers[0].livenessProbe.successThreshold Invalid"},
      {R"(spec.containers[0].readinessProbe={"exec":{},"httpGet":{"port":0},)"
       R"("terminationGracePeriodSeconds":5})",
       "spec.containers[0].readinessProbe.exec.command Required; "
       "spec.containers[0].readinessProbe.httpGet Forbidden; "
       "spec.containers[0].readinessProbe.terminationGracePeriodSeconds Invalid"},
      {R"(spec.containers[0].startupProbe={"successThreshold":1,"httpGet":{"port":"A",)"
       R"("scheme":"F","httpHeaders":[{"name":"a b"}]}})",
       "spec.containers[0].startupProbe.httpGet.path Required; "
       "spec.containers[0].startupProbe.httpGet.port Invalid; "
       "spec.containers[0].startupProbe.httpGet.port Invalid; "
       "spec.containers[0].startupProbe.httpGet.scheme NotSupported; "
       "spec.containers[0].startupProbe.httpGet.httpHeaders Invalid"},
      {R"(spec.containers[0].startupProbe={"successThreshold":1,"grpc":{"port":0}})",
       "spec.containers[0].startupProbe.grpc.port Invalid"},
      {R"(spec.containers[0].lifecycle={"preStop":{"sleep":{"seconds":31}},"postStart":{}})",
       "spec.containers[0].lifecycle.postStart Required; "
       "spec.containers[0].lifecycle.preStop.sleep Invalid"},
      {R"(spec.containers[0].lifecycle={"stopSignal":"SIGTERM"})",
       "spec.containers[0].lifecycle.stopSignal Forbidden"},
      {R"(spec.os={"name":"linux"} & spec.containers[0].lifecycle={"stopSignal":"SIGRTMIN+16"})",
       "spec.containers[0].lifecycle.stopSignal NotSupported"},
      {R"(spec.os={"name":"linux"} & spec.containers[0].lifecycle={"stopSignal":"SIGRTMIN+15"})",
       ""},
  });
}

TEST(PodRulesTest, ResourcesAreKnownAndFitTheirLimits) {
  Pods().ExpectNew({
      {R"(spec.containers[0].resources={"limits":{"cpu":"1","memory":"1Gi"},)"
       R"("requests":{"cpu":"500m","memory":"1Gi","example.com/gpu":"1"}})",
       "spec.containers[0].resources.limits Required"},
      {R"(spec.containers[0].resources={"limits":{"cpu":"1"},"requests":{"cpu":"2"}})",
       "spec.containers[0].resources.requests Invalid"},
      {R"(spec.containers[0].resources={"limits":{"cpu":"-1"}})",
       "spec.containers[0].resources.limits[cpu] Invalid"},
      {R"(spec.containers[0].resources={"limits":{"pods":"1","gpu":"1","a.b/c":"1500m"}})",
       "spec.containers[0].resources.limits[a.b/c] Invalid; "
       "spec.containers[0].resources.limits[gpu] Invalid; "
       "spec.containers[0].resources.limits[gpu] Invalid; "
       "spec.containers[0].resources.limits[pods] Invalid"},
      {R"(spec.containers[0].resources={"limits":{"hugepages-2Mi":"3Mi"},)"
       R"("requests":{"hugepages-2Mi":"2Mi"}})",
       "spec.containers[0].resources.limits[hugepages-2Mi] Invalid; "
       "spec.containers[0].resources.requests Invalid; "
       "spec.containers[0].resources Forbidden"},
      {R"(spec.containers[0].resources={"claims":[{"name":"x"}]})",
       "spec.containers[0].resources.claims[0] NotFound"},
      {R"(spec.resourceClaims=[{"name":"x","resourceClaimName":"r"}] & )"
       R"(spec.containers[0].resources={"claims":[{"name":"x","request":"a"},{"name":"x"}]})",
       "spec.containers[0].resources.claims[1] Duplicate"},
      {R"(spec.resourceClaims=[{"name":"X"},{"name":"y","resourceClaimName":"a",)"
       R"("resourceClaimTemplateName":"b"},{"name":"y","resourceClaimName":"A"}])",
       "spec.resourceClaims[0].name Invalid; spec.resourceClaims[0] Invalid; "
       "spec.resourceClaims[1] Invalid; spec.resourceClaims[2].name Duplicate; "
       "spec.resourceClaims[2].resourceClaimName Invalid"},
      {R"(spec.containers[0].resizePolicy=[{"resourceName":"disk","restartPolicy":"NotRequired"},)"
       R"({"resourceName":"cpu","restartPolicy":"Maybe"},)"
       R"({"resourceName":"cpu","restartPolicy":"RestartContainer"}])",
       "spec.containers[0].resizePolicy NotSupported; "
       "spec.containers[0].resizePolicy NotSupported; "
       "spec.containers[0].resizePolicy[2] Duplicate"},
      {R"(spec.overhead={"cpu":"-1"})", "spec.overhead.limits[cpu] Invalid"},
  });
}

TEST(PodRulesTest, ResourcesOfThePodHoldThoseOfItsContainers) {
  Pods().ExpectNew({
      {R"(spec.resources={"requests":{"cpu":"1"},"limits":{"cpu":"2"}} & )"
       R"(spec.containers[0].resources={"requests":{"cpu":"1"}})",
       ""},
      {R"(spec.resources={"requests":{"cpu":"1"}} & )"
       R"(spec.containers[0].resources={"requests":{"cpu":"2"}})",
       "spec.resources.requests[cpu] Invalid"},
      {R"(spec.resources={"limits":{"cpu":"1"}} & )"
       R"(spec.containers[0].resources={"limits":{"cpu":"2"}})",
       "spec.resources.containers[0][cpu].limits Invalid"},
      {R"(spec.resources={"requests":{"ephemeral-storage":"1"},"claims":[]})",
       "spec.resources.claims Forbidden; "
       "spec.resources.requests[ephemeral-storage] NotSupported"},
      {R"(spec.resources={"requests":{"cpu":"1"}} & spec.os={"name":"windows"} & )"
       R"(spec.securityContext=)",
       "spec.resources Forbidden"},
  });
}

TEST(PodRulesTest, RestartRulesGoWithAPolicy) {
  Pods().ExpectNew({
      {R"(spec.containers[0].restartPolicy=Never & spec.containers[0].restartPolicyRules=)"
       R"([{"action":"Restart","exitCodes":{"operator":"In","values":[1]}}])",
       ""},
      {R"(spec.containers[0].restartPolicyRules=[{"action":"Wait"}])",
       "spec.containers[0].restartPolicy Required; "
       "spec.containers[0].restartPolicyRules[0].action NotSupported; "
       "spec.containers[0].restartPolicyRules[0].exitCodes Required"},
      {"spec.containers[0].restartPolicy=Sometimes",
       "spec.containers[0].restartPolicy NotSupported"},
  });
}

TEST(PodRulesTest, InitContainersEndUnlessTheyAreSidecars) {
  const std::string init =
      R"(spec.initContainers=[{"name":"i","image":"i","imagePullPolicy":"Always",)"
      R"("terminationMessagePolicy":"File","readinessProbe":{"exec":{"command":["a"]}})";
  const RulesTester pods = Pods();
  EXPECT_EQ(pods.New(init + "}]"), "spec.initContainers[0].readinessProbe Forbidden");
  EXPECT_EQ(pods.New(init + R"(,"restartPolicy":"Always"}])"), "");
}

TEST(PodRulesTest, SecurityContextsAreWithinTheirBounds) {
  Pods().ExpectNew({
      {R"(spec.containers[0].securityContext={"privileged":true,"runAsUser":-1,)"
       R"("allowPrivilegeEscalation":false,"procMount":"Unmasked"})",
       "spec.containers[0].securityContext.privileged Forbidden; "
       "spec.containers[0].securityContext.runAsUser Invalid; "
       "spec.containers[0].securityContext.procMount Invalid; "
       "spec.containers[0].securityContext Invalid"},
      {R"(spec.containers[0].securityContext={"seccompProfile":{"type":"Localhost"},)"
       R"("appArmorProfile":{"type":"RuntimeDefault","localhostProfile":"x"}})",
       "spec.containers[0].securityContext.seccompProfile.localhostProfile Required; "
       "spec.containers[0].securityContext.appArmorProfile.localhostProfile Invalid"},
      {R"(spec.securityContext={"runAsUser":-1,"supplementalGroups":[1,-1],)"
       R"("fsGroupChangePolicy":"X","supplementalGroupsPolicy":"X","seLinuxChangePolicy":)"
       R"("MountOption"})",
       "spec.securityContext.runAsUser Invalid; "
       "spec.securityContext.supplementalGroups[1] Invalid; "
       "spec.securityContext.fsGroupChangePolicy NotSupported; "
       "spec.securityContext.supplementalGroupsPolicy NotSupported; "
       "spec.securityContext.seLinuxChangePolicy NotSupported"},
      {R"(spec.hostNetwork=true & spec.securityContext={"sysctls":[{"name":"net.core.a"},)"
       R"({"name":"net/core/a"},{"name":"A"},{"name":""},{"name":"kernel.shmmax"}]})",
       "spec.securityContext.sysctls[0].name Invalid; "
       "spec.securityContext.sysctls[1].name Invalid; "
       "spec.securityContext.sysctls[2].name Invalid; "
       "spec.securityContext.sysctls[3].name Required"},
      {"spec.hostPID=true & spec.shareProcessNamespace=true",
       "spec.securityContext.shareProcessNamespace Invalid"},
      {"spec.hostUsers=false & spec.hostPID=true & spec.hostIPC=true & spec.hostNetwork=true",
       "spec.hostNetwork Forbidden; spec.HostPID Forbidden; spec.HostIPC Forbidden"},
      {R"(spec.securityContext={"windowsOptions":{"runAsUserName":"a\\b\\c",)"
       R"("gmsaCredentialSpecName":"A_"}})",
       "spec.securityContext.windowsOptions.gmsaCredentialSpecName Invalid; "
       "spec.securityContext.windowsOptions.runAsUserName Invalid"},
      {R"(spec.securityContext={"windowsOptions":{"hostProcess":true}})",
       "spec.hostNetwork Invalid; spec Forbidden"},
  });
}

TEST(PodRulesTest, EachSystemHasItsOwnFields) {
  Pods().ExpectNew({
      {R"(spec.os={"name":"plan9"})", "spec.os NotSupported"},
      {R"(spec.os={"name":""})", "spec.os.name Required"},
      {R"(spec.os={"name":"linux"} & spec.securityContext={"windowsOptions":{}} & )"
       R"(spec.containers[0].securityContext={"windowsOptions":{}})",
       "spec.securityContext.windowsOptions Forbidden; "
       "spec.containers[0].securityContext.windowsOptions Forbidden"},
      {R"(spec.os={"name":"windows"} & spec.hostPID=true & spec.securityContext={"fsGroup":1} & )"
       R"(spec.containers[0].securityContext={"capabilities":{},"runAsUser":1})",
       "spec.hostPID Forbidden; spec.securityContext.fsGroup Forbidden; "
       "spec.containers[0].securityContext.capabilities Forbidden; "
       "spec.containers[0].securityContext.runAsUser Forbidden"},
  });
}

TEST(PodRulesTest, PlacementIsUnderstood) {
  Pods().ExpectNew({
      {R"(spec.nodeSelector={"a b":"c"})", "spec.nodeSelector Invalid"},
      {R"(spec.affinity={"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}})",
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
       ".nodeSelectorTerms Required"},
      {R"(spec.affinity={"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
       R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Gt"}],)"
       R"("matchFields":[{"key":"k","operator":"Exists"}]}]}}})",
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
       ".nodeSelectorTerms[0].matchExpressions[0].values Required; "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
       ".nodeSelectorTerms[0].matchFields[0].operator Invalid; "
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
       ".nodeSelectorTerms[0].matchFields[0].key Invalid"},
      {R"(spec.affinity={"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":)"
       R"([{"weight":0,"podAffinityTerm":{"namespaces":["A"],"matchLabelKeys":["a"]}}]}})",
       "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight "
       "Invalid; spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
       ".podAffinityTerm.namespace Invalid; "
       "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
       ".podAffinityTerm.matchLabelKeys Forbidden; "
       "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
       ".podAffinityTerm.topologyKey Required; "
       "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
       ".podAffinityTerm.topologyKey Invalid; "
       "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
       ".podAffinityTerm.topologyKey Invalid"},
      {R"(spec.tolerations=[{"operator":"Exists"},{"key":"a","value":"b c"},)"
       R"({"key":"a","operator":"Exists","value":"v","tolerationSeconds":1},)"
       R"({"key":"a","operator":"Gt","value":"1"},{"effect":"X","operator":"Maybe"}])",
       "spec.tolerations[1].operator Invalid; spec.tolerations[2].effect Invalid; "
       "spec.tolerations[2].operator Invalid; spec.tolerations[3].operator NotSupported; "
       "spec.tolerations[4].operator Invalid; spec.tolerations[4].operator NotSupported; "
       "spec.tolerations[4].effect NotSupported"},
      {R"(spec.topologySpreadConstraints=[{"maxSkew":0,"topologyKey":"z","whenUnsatisfiable":)"
       R"("ScheduleAnyway","minDomains":1,"nodeTaintsPolicy":"X","matchLabelKeys":["a"]},)"
       R"({"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway"}])",
       "spec.topologySpreadConstraints[0].maxSkew Invalid; "
       "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable} Duplicate; "
       "spec.topologySpreadConstraints[0].minDomains Invalid; "
       "spec.topologySpreadConstraints[0].nodeTaintsPolicy NotSupported; "
       "spec.topologySpreadConstraints[0].matchLabelKeys Forbidden"},
      {R"(spec.schedulingGates=[{"name":"a"},{"name":"a"},{"name":""}] & spec.nodeName=n)",
       "spec.schedulingGates[1] Duplicate; spec.schedulingGates[2] Invalid; "
       "spec.schedulingGates[2] Invalid; spec.nodeName Forbidden"},
      {R"(spec.schedulingGroup={})", "spec.schedulingGroup.podGroupName Invalid"},
  });
}

TEST(PodRulesTest, NamesAndPoliciesOfTheSpecAreWellFormed) {
  Pods().ExpectNew({
      {"spec.restartPolicy=X", "spec.restartPolicy NotSupported"},
      {"spec.restartPolicy=", "spec.restartPolicy Required"},
      {"spec.dnsPolicy=X", "spec.dnsPolicy NotSupported"},
      {"spec.dnsPolicy=None", "spec.dnsConfig Required"},
      {R"(spec.dnsConfig={"nameservers":["1","1.1.1.1","::1","2.2.2.2"],"searches":["a_b.","-"],)"
       R"("options":[{}]})",
       "spec.dnsConfig.nameservers Invalid; spec.dnsConfig.nameservers[0] Invalid; "
       "spec.dnsConfig.searches[1] Invalid; spec.dnsConfig.options[0] Required"},
      {"spec.terminationGracePeriodSeconds=", "spec.terminationGracePeriodSeconds Required"},
      {"spec.activeDeadlineSeconds=0", "spec.activeDeadlineSeconds Invalid"},
      {"spec.hostname=A & spec.subdomain=a.b", "spec.hostname Invalid; spec.subdomain Invalid"},
      {"spec.nodeName=A", "spec.nodeName Invalid"},
      {"spec.serviceAccountName=A", "spec.serviceAccountName Invalid"},
      {"spec.priorityClassName=A", "spec.priorityClassName Invalid"},
      {"spec.runtimeClassName=A", "spec.runtimeClassName Invalid"},
      {"spec.preemptionPolicy=X", "spec.preemptionPolicy NotSupported"},
      {R"(spec.readinessGates=[{"conditionType":"a b"}])",
       "spec.readinessGates[0].conditionType Invalid"},
      {R"(spec.hostAliases=[{"ip":"x","hostnames":["A"]}])",
       "spec.hostAliases[0].ip Invalid; spec.hostAliases[0].hostnames[0] Invalid"},
      {R"(spec.hostnameOverride=a.b & spec.setHostnameAsFQDN=true & spec.hostNetwork=true)",
       "spec.hostnameOverride Forbidden; spec.hostnameOverride Forbidden"},
  });
}

TEST(PodRulesTest, AnnotationsThatMeanSomethingAreHeldToIt) {
  Pods().ExpectNew({
      {R"(metadata.annotations={"controller.kubernetes.io/pod-deletion-cost":"+1"})",
       "metadata.annotations[controller.kubernetes.io/pod-deletion-cost] Invalid"},
      {R"(metadata.annotations={"kubernetes.io/config.mirror":"x"})",
       "metadata.annotations[kubernetes.io/config.mirror] Invalid"},
      {R"(metadata.annotations={"seccomp.security.alpha.kubernetes.io/pod":"x"})",
       "metadata.annotations.seccomp.security.alpha.kubernetes.io/pod Invalid"},
      {R"(metadata.annotations={"container.apparmor.security.beta.kubernetes.io/x":"y"})",
       "metadata.annotations[container.apparmor.security.beta.kubernetes.io/x] Invalid; "
       "metadata.annotations[container.apparmor.security.beta.kubernetes.io/x] Invalid"},
      {R"(metadata.annotations={"seccomp.security.alpha.kubernetes.io/pod":"unconfined"} & )"
       R"(spec.securityContext={"seccompProfile":{"type":"RuntimeDefault"}})",
       "spec.securityContext.seccompProfile.type Forbidden"},
      {R"(metadata.annotations={"scheduler.alpha.kubernetes.io/tolerations":"x"})",
       "metadata.annotations Invalid"},
      {R"(metadata.annotations={"scheduler.alpha.kubernetes.io/tolerations":"[{}]"})",
       "metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator Invalid"},
  });
}

TEST(PodRulesTest, QualityOfServiceFollowsFromRequestsAndLimits) {
  const auto qos = [](std::string_view spec) {
    const object::Document document =
        object::DecodeJson(spec, views::core_v1::PodSpec::Type()).value();
    return std::string(QosClassOf(views::core_v1::PodSpec(&document.root())));
  };
  EXPECT_EQ(qos(R"({"containers":[{"resources":{"limits":{"cpu":"0"}}}]})"), "BestEffort");
  EXPECT_EQ(qos(R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}]})"), "Burstable");
  constexpr std::string_view kBoth = R"("limits":{"cpu":"1","memory":"1Gi"},)"
                                     R"("requests":{"cpu":"1000m","memory":"1024Mi"})";
  const std::string both(kBoth);
  EXPECT_EQ(qos("{\"containers\":[{\"resources\":{" + both + "}}]}"), "Guaranteed");
  EXPECT_EQ(qos("{\"containers\":[{\"resources\":{" + both + "}},{}]}"), "Burstable");
  EXPECT_EQ(qos("{\"resources\":{" + both + "},\"containers\":[{}]}"), "Guaranteed");
}

TEST(PodRulesTest, NullEntriesAreEmptyEntries) {
  EXPECT_EQ(Pods().New("spec.volumes=[null] & spec.containers[0].env=[null]"),
            "spec.volumes[0] Required; spec.volumes[0].name Required; "
            "spec.containers[0].env[0].name Required");
}

TEST(ReplicationControllerRulesTest, TheTemplateMatchesTheSelectorAndRunsForEver) {
  const RulesTester controllers(
      "v1", "ReplicationController",
      R"({"metadata":{"name":"r"},"spec":{"replicas":1,"selector":{"a":"b"},"template":{
          "metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Always",
          "dnsPolicy":"ClusterFirst","terminationGracePeriodSeconds":30,"containers":[{"name":"c",
          "image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}}}})");
  controllers.ExpectNew({
      {"spec.replicas=-1", "spec.replicas Invalid"},
      {"spec.replicas=", "spec.replicas Required"},
      {"spec.minReadySeconds=-1", "spec.minReadySeconds Invalid"},
      {"spec.selector=", "spec.selector Required"},
      {R"(spec.selector={"a":"c"})", "spec.template.metadata.labels Invalid"},
      {"spec.template=", "spec.template Required"},
      {"spec.template.spec.restartPolicy=Never", "spec.template.spec.restartPolicy NotSupported"},
      {"spec.template.spec.activeDeadlineSeconds=1",
       "spec.template.spec.activeDeadlineSeconds Forbidden"},
      {R"(spec.template.metadata.labels={"a":"b","c":"d e"})", "spec.template.labels Invalid"},
  });
  controllers.ExpectChanged(
      {
          {"", R"(status={"replicas":1,"readyReplicas":2,"availableReplicas":-1})",
           "status.availableReplicas Invalid; status.readyReplicas Invalid"},
      },
      "status");
}

}  // namespace
}  // namespace skiff::apiserver
