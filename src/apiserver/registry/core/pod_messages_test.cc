// The words of faults, which clients look for.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/registry/core/pod_testing.h"

namespace skiff::apiserver {
namespace {

using testing::Pods;

struct Case {
  std::string_view edits;
  std::string_view messages;
};

void ExpectMessages(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(Pods().NewMessages(each.edits), each.messages);
}

TEST(PodMessagesTest, DivisorsSayWhatTheyDivide) {
  constexpr std::string_view kBytes =
      "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are "
      "supported with the ";
  const struct {
    std::string_view resource;
    std::string why;
  } cases[] = {
      {"limits.cpu", "only divisor's values 1m and 1 are supported with the cpu resource"},
      {"requests.memory", std::string(kBytes) + "memory resource"},
      {"limits.ephemeral-storage", std::string(kBytes) + "local ephemeral storage resource"},
      {"requests.hugepages-2Mi", std::string(kBytes) + "hugepages resource"},
  };
  for (const auto& each : cases) {
    const std::string resource(each.resource);
    EXPECT_EQ(Pods().NewMessages(R"(spec.containers[0].env=[{"name":"A","valueFrom":{)"
                                 R"("resourceFieldRef":{"resource":")" +
                                 resource + R"(","divisor":"3"}}}])"),
              "spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: \"" +
                  resource + "\": " + each.why);
  }
}

TEST(PodMessagesTest, AFieldThatAVariableCannotHaveIsNamed) {
  const auto of_field = [](std::string_view version, std::string_view path) {
    return Pods().NewMessages(R"(spec.containers[0].env=[{"name":"A","valueFrom":{"fieldRef":{)"
                              R"("apiVersion":")" +
                              std::string(version) + R"(","fieldPath":")" + std::string(path) +
                              R"("}}}])");
  };
  const std::string at = "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: ";
  EXPECT_EQ(of_field("v2", "metadata.name"),
            at + "\"metadata.name\": error converting fieldPath: unsupported pod version: v2");
  EXPECT_EQ(of_field("v1", "metadata.name['a']"),
            at + "\"metadata.name['a']\": error converting fieldPath: field label does not support "
                 "subscript: metadata.name['a']");
  EXPECT_EQ(of_field("v1", "spec.x"),
            at + "\"spec.x\": error converting fieldPath: field label not supported: spec.x");
  EXPECT_EQ(of_field("v1", "spec.host"), "");
  EXPECT_EQ(of_field("v1", "metadata.annotations['A/B']"), "");
}

TEST(PodMessagesTest, AProfileOfAnAnnotationAndItsFieldMustBeTheSame) {
  ExpectMessages({
      {R"(metadata.annotations={"seccomp.security.alpha.kubernetes.io/pod":"unconfined"} & )"
       R"(spec.securityContext.seccompProfile={"type":"RuntimeDefault"})",
       "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field "
       "must match"},
      {R"(metadata.annotations={"container.apparmor.security.beta.kubernetes.io/c":)"
       R"("localhost/a"} & spec.containers[0].securityContext.appArmorProfile=)"
       R"({"type":"Localhost","localhostProfile":"b"})",
       "spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor "
       "profile in annotation and field must match"},
  });
}

TEST(PodMessagesTest, ASysctlOfTheHostSaysWhatIsShared) {
  ExpectMessages({
      {R"(spec.hostNetwork=true & spec.securityContext.sysctls=[{"name":"net.a","value":"1"}])",
       "spec.securityContext.sysctls[0].name: Invalid value: \"net.a\": may not be specified when "
       "'hostNetwork' is true"},
      {R"(spec.hostIPC=true & spec.securityContext.sysctls=[{"name":"kernel.sem","value":"1"}])",
       "spec.securityContext.sysctls[0].name: Invalid value: \"kernel.sem\": may not be specified "
       "when 'hostIPC' is true"},
  });
}

TEST(PodMessagesTest, ClaimsOfContainersAreNamed) {
  const auto used = [](std::string_view claims, std::string_view of_pod = "") {
    return Pods().NewMessages("spec.containers[0].resources.claims=" + std::string(claims) +
                              std::string(of_pod));
  };
  constexpr std::string_view kOfPod =
      R"( & spec.resourceClaims=[{"name":"b","resourceClaimName":"x"},)"
      R"({"name":"a","resourceClaimName":"y"}])";
  const std::string at = "spec.containers[0].resources.claims";
  EXPECT_EQ(used(R"([{"name":"c"}])"), at + "[0]: Not found: \"c\": must be one of the names in "
                                            "pod.spec.resourceClaims which is empty");
  EXPECT_EQ(
      used(R"([{"name":"c"}])", kOfPod),
      at + "[0]: Not found: \"c\": must be one of the names in pod.spec.resourceClaims: a, b");
  EXPECT_EQ(used(R"([{"name":"a","request":"r"},{"name":"a","request":"r"}])", kOfPod),
            at + "[1]: Duplicate value: \"a/r\"");
  EXPECT_EQ(used(R"([{"name":"a","request":"r"},{"name":"a","request":"s"},{"name":"a"}])", kOfPod),
            at + "[2]: Duplicate value: \"a\"; " + at + "[2]: Duplicate value: \"a\"");
}

TEST(PodMessagesTest, NumbersAreNamedWithTheirBounds) {
  ExpectMessages({
      {R"(spec.volumes=[{"name":"v","awsElasticBlockStore":{"volumeID":"i","partition":-1}}])",
       "spec.volumes[0].awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and "
       "255, inclusive"},
      {R"(spec.topologySpreadConstraints=[{"maxSkew":0,"topologyKey":"k",)"
       R"("whenUnsatisfiable":"DoNotSchedule"}])",
       "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"},
      {R"(spec.containers[0].livenessProbe={"exec":{"command":["a"]},"successThreshold":1,)"
       R"("terminationGracePeriodSeconds":0})",
       "spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be "
       "greater than 0"},
  });
}

TEST(PodMessagesTest, ACertificateNamesItsSignerAndItsAnnotations) {
  const auto certificate = [](std::string_view signer, std::string_view annotations) {
    return Pods().NewMessages(
        R"(spec.volumes=[{"name":"v","projected":{"sources":[{"podCertificate":{"keyType":)"
        R"("ED25519","keyPath":"k","signerName":")" +
        std::string(signer) + R"(","userAnnotations":)" + std::string(annotations) + "}}]}}]");
  };
  const std::string at = "spec.volumes[0].projected.sources[0].podCertificate.";
  const std::string signer = at + "signerName: Invalid value: \"E.com\": validating label \"E\": ";
  EXPECT_EQ(certificate("E.com/s", "{}").substr(0, signer.size()), signer);
  EXPECT_EQ(certificate("e.com/s", R"({"E.com/Key":"v"})"), "");
  EXPECT_EQ(certificate("e.com/s", R"({"Key":"v"})"),
            at + "userAnnotations: Invalid value: \"key\": must be a domain-prefixed key (such as "
                 "\"acme.io/foo\")");
}

TEST(PodMessagesTest, AddressesAreWrittenInOneWay) {
  ExpectMessages({
      {R"(spec.hostAliases=[{"ip":"010.0.0.1","hostnames":["h"]}])",
       "spec.hostAliases[0].ip: Invalid value: \"010.0.0.1\": must not have leading 0s"},
      {R"(spec.dnsConfig={"nameservers":["::ffff:1.2.3.4","fe80::1"]})",
       "spec.dnsConfig.nameservers[0]: Invalid value: \"::ffff:1.2.3.4\": must not be an "
       "IPv4-mapped IPv6 address"},
  });
}

TEST(PodMessagesTest, AStatusNamesWhatItGotWrong) {
  const auto status = [](std::string_view edits) {
    return Pods().ChangedMessages("status={}", edits, "status");
  };
  const std::string ips = status(R"(status.podIPs=[{"ip":"1.2.3.4"},{"ip":"x"}])");
  EXPECT_NE(ips.find("; status.podIPs: Internal error: failed to check for dual stack with "
                     "error:invalid IP[1]: x; "),
            std::string::npos)
      << ips;
  const std::string at = "status.containerStatuses[0].allocatedResourcesStatus[0].name: ";
  EXPECT_EQ(
      status(R"(status.containerStatuses=[{"name":"c","allocatedResourcesStatus":)"
             R"([{"name":"claim:a"}]}])"),
      at + "Invalid value: \"claim:a\": must match one of the container's resource claims in "
           "a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty");
  EXPECT_EQ(status(R"(status.containerStatuses=[{"name":"c","allocatedResourcesStatus":)"
                   R"([{"name":"a/b"}]}])"),
            at + "Invalid value: \"a/b\": must match one of the container's resource requests");
}

TEST(PodMessagesTest, ImagesOfVolumesAreCheckedOnceTheyAreReported) {
  constexpr std::string_view kStatus =
      R"(status.containerStatuses=[{"name":"c","volumeMounts":[{"name":"v","mountPath":"/",)"
      R"("volumeStatus":{"image":{"imageRef":""}}}]}])";
  EXPECT_EQ(Pods().ChangedMessages("status={}", kStatus, "status"), "");
  EXPECT_EQ(Pods()
                .With({{"ImageVolumeWithDigest", true}})
                .ChangedMessages("status={}", kStatus, "status"),
            "status.containerStatuses[0].volumeMounts[0].volumeStatus.imageVolumeStatus.imageRef: "
            "Required value: imageRef must not be empty");
}

TEST(PodMessagesTest, NoFieldIsToBlameForWhatAStaticPodCannot) {
  constexpr std::string_view kStatic =
      R"(metadata.annotations={"kubernetes.io/config.mirror":"x"} & spec.nodeName=n)";
  EXPECT_EQ(Pods().ChangedMessages(kStatic, "", "resize"),
            "[]: Forbidden: static pods cannot be resized");
}

// What follows the list of fields that may change.
std::string ForbiddenChanges(std::string_view old_edits, std::string_view edits) {
  const std::string messages = Pods().ChangedMessages(old_edits, edits);
  const size_t at = messages.find("previously negative)\n");
  return at == std::string::npos ? messages : messages.substr(messages.find('\n', at) + 1);
}

TEST(PodMessagesTest, OnlyWhatMayNotChangeIsShownOfAnUpdate) {
  EXPECT_EQ(ForbiddenChanges("", "spec.containers[0].image=j & spec.nodeName=n"),
            "+ nodeName: \"n\"\n");
  EXPECT_EQ(ForbiddenChanges("spec.activeDeadlineSeconds=9",
                             R"(spec.activeDeadlineSeconds=8 & spec.tolerations=[{"operator":)"
                             R"("Exists"}] & spec.hostname=h)"),
            "+ hostname: \"h\"\n");
}

TEST(PodMessagesTest, APodAtAGateMayBeNarrowedDown) {
  constexpr std::string_view kGated =
      R"(spec.schedulingGates=[{"name":"g"}] & spec.affinity={"nodeAffinity":{)"
      R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{)"
      R"("matchExpressions":[{"key":"a","operator":"Exists"}]}]}}})";
  EXPECT_EQ(ForbiddenChanges(kGated, "spec.nodeSelector.a=b & spec.hostname=h"),
            "+ hostname: \"h\"\n");
  // Its placement is looked at even if its containers have changed.
  const std::string both = Pods().ChangedMessages(
      kGated, "spec.affinity.nodeAffinity= & spec.containers[0].workingDir=/w");
  EXPECT_EQ(both.substr(0, both.find(';')),
            "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
            "nodeSelectorTerms: Invalid value: null: no additions/deletions to non-empty "
            "NodeSelectorTerms list are allowed");
  EXPECT_TRUE(both.ends_with("\n+ containers[name=c].workingDir: \"/w\"\n")) << both;
}

}  // namespace
}  // namespace skiff::apiserver
