#include "apiserver/registry/core/pod_warnings.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::vector<std::string> Warnings(std::string_view pod, std::string_view place = {}) {
  const object::Document document = object::DecodeJson(pod, core::PodTemplateSpec::Type()).value();
  const core::PodTemplateSpec spec(&document.root());
  std::vector<std::string> out;
  if (place.empty()) {
    WarnAboutPod(spec.spec(), spec.metadata(), out);
  } else {
    WarnAboutPodTemplate(spec, place, out);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(PodWarningsTest, AnOrdinaryPodGivesNoWarning) {
  EXPECT_EQ(Warnings(R"({"spec":{"volumes":[{"name":"v","configMap":{"name":"c","items":[
      {"key":"a","path":"a"},{"key":"b","path":"b/a"}]}}],"containers":[{"name":"c",
      "env":[{"name":"A","value":"1"},{"name":"A","value":"$(A)2"}],
      "resources":{"limits":{"memory":"1Gi"}},
      "ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":80,"protocol":"UDP"}]}]}})"),
            Texts());
}

TEST(PodWarningsTest, LabelsAndAnnotationsThatAreNoLongerUsed) {
  EXPECT_EQ(Warnings(R"({"metadata":{"annotations":{
      "scheduler.alpha.kubernetes.io/critical-pod":"",
      "seccomp.security.alpha.kubernetes.io/pod":"unconfined"}},
      "spec":{"nodeSelector":{"beta.kubernetes.io/os":"linux"},
      "topologySpreadConstraints":[{"topologyKey":"beta.kubernetes.io/arch"}]}})"),
            Texts({"spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
                   "\"kubernetes.io/os\" instead",
                   "spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/arch is "
                   "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
                   "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results "
                   "in matching no pod",
                   "metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: "
                   "non-functional in v1.16+; use the \"priorityClassName\" field instead",
                   "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: "
                   "non-functional in v1.27+; use the \"seccompProfile\" field instead"}));
}

TEST(PodWarningsTest, VolumesThatDoNothingOrOverlap) {
  EXPECT_EQ(
      Warnings(R"({"spec":{"volumes":[{"name":"g","gitRepo":{}},
      {"name":"s","secret":{"secretName":"n","items":[{"path":"a/"},{"path":"a/b"}]}},
      {"name":"p","projected":{"sources":[{"configMap":{"name":"c","items":[{"path":"x"}]}},
         {"serviceAccountToken":{"path":"x"}},{}]}}]}})",
               "spec.template"),
      Texts({"spec.template.spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default "
             "in v1.33+",
             "volume \"s\" (Secret \"n\"): overlapping paths: \"a/b\" with \"a\"",
             "volume \"p\" (Projected): overlapping paths: \"x\" (ServiceAccountToken) with \"x\" "
             "(ConfigMap \"c\")",
             "volume \"p\" (Projected) has no sources provided"}));
}

TEST(PodWarningsTest, EntriesThatHideOthers) {
  EXPECT_EQ(
      Warnings(R"json({"spec":{"terminationGracePeriodSeconds":-1,
      "imagePullSecrets":[{"name":"a"},{"name":"a"},{}],
      "containers":[{"name":"c","env":[{"name":"A"},{"name":"A","value":"$(A)"}],
      "resources":{"limits":{"memory":"1500m"}},
      "ports":[{"name":"p","containerPort":80,"protocol":"TCP"},
               {"name":"q","containerPort":80,"protocol":"TCP","hostIP":"1.1.1.1"},
               {"name":"p","containerPort":81,"protocol":"TCP"}]}]}})json"),
      Texts(
          {"spec.imagePullSecrets[1].name: duplicate name \"a\"",
           "spec.imagePullSecrets[2].name: invalid empty name \"\"",
           "spec.containers[0].resources.limits[memory]: fractional byte value \"1500m\" is "
           "invalid, must be an integer",
           "spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped "
           "when using apply",
           "spec.containers[0].ports[1]: hostIP set without hostPort: {Name:q HostPort:0 "
           "ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}",
           "spec.containers[0].ports[1]: overlapping port definition with "
           "spec.containers[0].ports[0]",
           "spec.containers[0].ports[2]: duplicate port name \"p\" with "
           "spec.containers[0].ports[0], services and probes that select ports by name will use "
           "spec.containers[0].ports[0]",
           "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will "
           "be treated as 1"}));
}

TEST(PodWarningsTest, AHugePodDoesNotGiveAWarningForEachTwoOfItsPorts) {
  std::string pod = R"({"spec":{"containers":[{"name":"c","ports":[)";
  for (int i = 0; i < 5000; ++i) {
    pod += std::string(i > 0 ? "," : "") + R"({"containerPort":80,"protocol":"TCP"})";
  }
  EXPECT_LE(Warnings(pod + "]}]}}").size(), limits::kMaxFieldIssues);
}

TEST(PodWarningsTest, NamesThatAreNoLabels) {
  std::vector<std::string> warnings;
  WarnAboutPodName("a-b", warnings);
  EXPECT_TRUE(warnings.empty());
  WarnAboutNameOfPods("a.b", warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with(
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
      "behavior; a DNS label is recommended: ["));
}

}  // namespace
}  // namespace skiff::apiserver
