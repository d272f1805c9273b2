#include "apiserver/registry/disabled_fields.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

struct Case {
  std::string_view resource;  // "group/version/name", with an empty group for core
  Gate feature;
  std::string_view with;     // the whole object
  std::string_view without;  // what is left of it
};

constexpr Case kCases[] = {
    {"autoscaling/v2/horizontalpodautoscalers", Gate("HPAConfigurableTolerance"),
     R"({"spec":{"behavior":{"scaleUp":{"tolerance":"1"},"scaleDown":{"tolerance":"1"}}}})",
     R"({"spec":{"behavior":{"scaleUp":{},"scaleDown":{}}}})"},
    {"apps/v1/deployments", Gate("DeploymentReplicaSetTerminatingReplicas"),
     R"({"status":{"replicas":1,"terminatingReplicas":1}})", R"({"status":{"replicas":1}})"},
    {"apps/v1/replicasets", Gate("DeploymentReplicaSetTerminatingReplicas"),
     R"({"status":{"replicas":1,"terminatingReplicas":1}})", R"({"status":{"replicas":1}})"},
    {"apps/v1/statefulsets", Gate("MaxUnavailableStatefulSet"),
     R"({"spec":{"updateStrategy":{"rollingUpdate":{"partition":0,"maxUnavailable":2}}}})",
     R"({"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}})"},
    {"/v1/nodes", Gate("NodeDeclaredFeatures"), R"({"status":{"declaredFeatures":["a"]}})",
     R"({"status":{}})"},
    {"/v1/pods", Gate("DRANodeAllocatableResources"),
     R"({"status":{"phase":"Running","nodeAllocatableResourceClaimStatuses":[{}]}})",
     R"({"status":{"phase":"Running"}})"},
    {"/v1/pods", Gate("ImageVolumeWithDigest"),
     R"({"status":{"containerStatuses":[{"name":"c","volumeMounts":[{"name":"v","volumeStatus":{
         "image":{"imageRef":"i"}}}]}]}})",
     R"({"status":{"containerStatuses":[{"name":"c","volumeMounts":[{"name":"v"}]}]}})"},
    {"storage.k8s.io/v1/csidrivers", Gate("VolumeLimitScaling"),
     R"({"spec":{"attachRequired":true,"preventPodSchedulingIfMissing":true}})",
     R"({"spec":{"attachRequired":true}})"},
    {"coordination.k8s.io/v1/leases", Gate("CoordinatedLeaderElection"),
     R"({"spec":{"strategy":"s","preferredHolder":"h"}})", R"({"spec":{}})"},
    {"resource.k8s.io/v1/deviceclasses", Gate("DRAExtendedResource"),
     R"({"spec":{"extendedResourceName":"a/b"}})", R"({"spec":{}})"},
    {"resource.k8s.io/v1/resourceslices", Gate("DRADeviceTaints"),
     R"({"spec":{"devices":[{"name":"d","taints":[{"key":"k"}]},{"name":"e"}]}})",
     R"({"spec":{"devices":[{"name":"d"},{"name":"e"}]}})"},
    {"resource.k8s.io/v1/resourceslices", Gate("DRAPartitionableDevices"),
     R"({"spec":{"sharedCounters":[{"name":"c"}],"perDeviceNodeSelection":true,
         "devices":[{"name":"d","consumesCounters":[{}],"nodeName":"n"}]}})",
     R"({"spec":{"devices":[{"name":"d"}]}})"},
    {"resource.k8s.io/v1/resourceslices", Gate("DRADeviceBindingConditions"),
     R"({"spec":{"devices":[{"name":"d","bindsToNode":true,"bindingConditions":["c"]}]}})",
     R"({"spec":{"devices":[{"name":"d"}]}})"},
    {"resource.k8s.io/v1/resourceslices", Gate("DRAResourceClaimDeviceStatus"),
     R"({"spec":{"devices":[{"name":"d","bindingFailureConditions":["c"]}]}})",
     R"({"spec":{"devices":[{"name":"d"}]}})"},
    {"resource.k8s.io/v1/resourceslices", Gate("DRAConsumableCapacity"),
     R"({"spec":{"devices":[{"name":"d","allowMultipleAllocations":true,
         "capacity":{"m":{"value":"1","requestPolicy":{"default":"1"}}}}]}})",
     R"({"spec":{"devices":[{"name":"d","capacity":{"m":{"value":"1"}}}]}})"},
    {"resource.k8s.io/v1/resourceslices", Gate("DRANodeAllocatableResources"),
     R"({"spec":{"devices":[{"name":"d","nodeAllocatableResourceMappings":{"cpu":{}}}]}})",
     R"({"spec":{"devices":[{"name":"d"}]}})"},
    {"resource.k8s.io/v1/resourceslices", Gate("DRAListTypeAttributes"),
     R"({"spec":{"devices":[{"name":"d","attributes":{"a":{"ints":[1]},"b":{"int":1}}}]}})",
     R"({"spec":{"devices":[{"name":"d","attributes":{"a":{},"b":{"int":1}}}]}})"},
    {"resource.k8s.io/v1/resourceclaims", Gate("DRAPrioritizedList"),
     R"({"spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"s"}]}]}}})",
     R"({"spec":{"devices":{"requests":[{"name":"r"}]}}})"},
    {"resource.k8s.io/v1/resourceclaims", Gate("DRADeviceTaints"),
     R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"tolerations":[{}]}}]}}})",
     R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{}}]}}})"},
    {"resource.k8s.io/v1/resourceclaims", Gate("DRAConsumableCapacity"),
     R"({"spec":{"devices":{"constraints":[{"distinctAttribute":"a/b"}]}},"status":{
         "devices":[{"driver":"d","shareID":"s"}]}})",
     R"({"spec":{"devices":{"constraints":[{}]}},"status":{"devices":[{"driver":"d"}]}})"},
    {"resource.k8s.io/v1/resourceclaims", Gate("DRAResourceClaimDeviceStatus"),
     R"({"status":{"devices":[{"driver":"d"}]}})", R"({"status":{}})"},
    {"resource.k8s.io/v1/resourceclaims", Gate("DRADeviceBindingConditions"),
     R"({"status":{"allocation":{"devices":{"results":[{"request":"r",
         "bindingConditions":["c"],"bindingFailureConditions":["f"]}]}}}})",
     R"({"status":{"allocation":{"devices":{"results":[{"request":"r"}]}}}})"},
    {"resource.k8s.io/v1/resourceclaimtemplates", Gate("DRADeviceTaints"),
     R"({"spec":{"spec":{"devices":{"requests":[{"firstAvailable":[{"tolerations":[{}]}]}]}}}})",
     R"({"spec":{"spec":{"devices":{"requests":[{"firstAvailable":[{}]}]}}}})"},
    {"scheduling.k8s.io/v1alpha2/podgroups", Gate("WorkloadAwarePreemption"),
     R"({"spec":{"disruptionMode":"Pod","priorityClassName":"p","priority":1}})", R"({"spec":{}})"},
    {"scheduling.k8s.io/v1alpha2/podgroups", Gate("TopologyAwareWorkloadScheduling"),
     R"({"spec":{"schedulingConstraints":{}}})", R"({"spec":{}})"},
    {"scheduling.k8s.io/v1alpha2/podgroups", Gate("DRAWorkloadResourceClaims"),
     R"({"spec":{"resourceClaims":[{"name":"c"}]},"status":{"resourceClaimStatuses":[
         {"name":"c"}]}})",
     R"({"spec":{},"status":{}})"},
    {"scheduling.k8s.io/v1alpha2/workloads", Gate("DRAWorkloadResourceClaims"),
     R"({"spec":{"podGroupTemplates":[{"name":"t","resourceClaims":[{"name":"c"}]}]}})",
     R"({"spec":{"podGroupTemplates":[{"name":"t"}]}})"},
};

const object::ResourceDesc& ResourceOf(std::string_view path) {
  const size_t first = path.find('/');
  const size_t second = path.find('/', first + 1);
  const object::ResourceDesc* found = object::FindResource(
      path.substr(0, first), path.substr(first + 1, second - first - 1), path.substr(second + 1));
  EXPECT_NE(found, nullptr) << path;
  return *found;
}

std::string Written(const Case& asked, bool on, std::optional<std::string_view> old) {
  const FeatureGates gates({{std::string(asked.feature.name()), on}});
  const object::ResourceDesc& resource = ResourceOf(asked.resource);
  object::Document object = object::DecodeJson(asked.with, resource.kind).value();
  const object::Document before = object::DecodeJson(old.value_or("{}"), resource.kind).value();
  DropDisabledFields(gates, resource, old ? &before : nullptr, object);
  return object::EncodeJson(object.root());
}

std::string Plain(const Case& asked, std::string_view json) {
  return object::EncodeJson(
      object::DecodeJson(json, ResourceOf(asked.resource).kind).value().root());
}

TEST(DisabledFieldsTest, WhatBelongsToAFeatureThatIsOffIsTakenOut) {
  for (const Case& each : kCases) {
    EXPECT_EQ(Written(each, false, std::nullopt), Plain(each, each.without)) << each.resource;
    EXPECT_EQ(Written(each, false, each.without), Plain(each, each.without)) << each.resource;
  }
}

TEST(DisabledFieldsTest, WhatIsStoredStays) {
  for (const Case& each : kCases) {
    EXPECT_EQ(Written(each, false, each.with), Plain(each, each.with)) << each.resource;
  }
}

TEST(DisabledFieldsTest, NothingIsTakenOutOfAFeatureThatIsOn) {
  for (const Case& each : kCases) {
    EXPECT_EQ(Written(each, true, std::nullopt), Plain(each, each.with)) << each.resource;
  }
}

TEST(DisabledFieldsTest, PodsAndTheirTemplatesLoseWhatBelongsToAFeatureThatIsOff) {
  constexpr std::string_view kWith = R"({"schedulingGroup":{"podGroupName":"g"},"containers":[
      {"name":"c","lifecycle":{"stopSignal":"SIGTERM"}}],"volumes":[{"name":"v","projected":{
      "sources":[{"clusterTrustBundle":{"name":"n","path":"p"}},{"podCertificate":{}}]}}]})";
  constexpr std::string_view kWithout =
      R"({"volumes":[{"name":"v","projected":{"sources":[{},{}]}}],)"
      R"("containers":[{"name":"c"}]})";
  const struct {
    std::string_view resource;
    std::string_view before;
    std::string_view after;
  } cases[] = {
      {"/v1/pods", R"({"spec":)", "}"},
      {"/v1/podtemplates", R"({"template":{"spec":)", "}}"},
      {"/v1/replicationcontrollers", R"({"spec":{"template":{"spec":)", "}}}"},
      {"apps/v1/daemonsets", R"({"spec":{"template":{"spec":)", "}}}"},
      {"apps/v1/deployments", R"({"spec":{"template":{"spec":)", "}}}"},
      {"apps/v1/replicasets", R"({"spec":{"template":{"spec":)", "}}}"},
      {"apps/v1/statefulsets", R"({"spec":{"template":{"spec":)", "}}}"},
      {"batch/v1/jobs", R"({"spec":{"template":{"spec":)", "}}}"},
      {"batch/v1/cronjobs", R"({"spec":{"jobTemplate":{"spec":{"template":{"spec":)", "}}}}}"},
  };
  for (const auto& each : cases) {
    const object::ResourceDesc& resource = ResourceOf(each.resource);
    const auto around = [&](std::string_view spec) {
      const std::string json =
          std::string(each.before) + std::string(spec) + std::string(each.after);
      return object::DecodeJson(json, resource.kind).value();
    };
    const object::Document with = around(kWith);
    object::Document object = with.Copy();
    DropDisabledFields({}, resource, &with, object);
    EXPECT_TRUE(object::DeepEqual(object.root(), with.root())) << each.resource;
    DropDisabledFields({}, resource, nullptr, object);
    EXPECT_EQ(object::EncodeJson(object.root()), object::EncodeJson(around(kWithout).root()));
  }
}

}  // namespace
}  // namespace skiff::apiserver
