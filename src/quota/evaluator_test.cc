#include "quota/evaluator.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/resource.h"

namespace skiff::quota {
namespace {

// One device class, "gpu", that stands behind example.com/gpu, and one pod.
class TestLookups final : public QuotaLookups {
 public:
  std::string ExtendedResourceOf(std::string_view device_class) const override {
    return device_class == "gpu" ? "example.com/gpu" : "";
  }
  bool HasDeviceClass(std::string_view resource) const override {
    return resource == "example.com/gpu";
  }
  std::shared_ptr<const object::Document> PodOfClaim(const object::Document&) const override {
    return pod;
  }

  std::shared_ptr<const object::Document> pod;
};

object::Document Decode(std::string_view group, std::string_view resource,
                        const std::string& json) {
  Result<object::Document> document =
      object::DecodeJson(json, object::FindResource(group, "v1", resource)->hub->storage->stored);
  EXPECT_TRUE(document) << document.error().ToString();
  return std::move(*document);
}

constexpr object::Timestamp kNow{1'800'000'000, 0};

struct Case {
  const char* what;
  const char* group;
  const char* resource;
  const char* object;
  const char* usage;
};

const Case kCases[] = {
    {"an object", "apps", "deployments", "{}", "count/deployments.apps=1"},
    {"an object with an older name", "", "secrets", "{}", "count/secrets=1,secrets=1"},
    {"a bare pod", "", "pods", R"({"spec":{"containers":[{"name":"a"}]}})", "count/pods=1,pods=1"},
    {"a pod with everything", "", "pods",
     R"({"spec":{"containers":[{"name":"a","resources":{
         "requests":{"cpu":"1","memory":"1Gi","ephemeral-storage":"2Gi","hugepages-2Mi":"4Mi",
                     "example.com/gpu":"2","deviceclass.resource.kubernetes.io/x":"1"},
         "limits":{"cpu":"2","memory":"2Gi","ephemeral-storage":"3Gi"}}}]}})",
     "count/pods=1,cpu=1,ephemeral-storage=2Gi,hugepages-2Mi=4Mi,limits.cpu=2,"
     "limits.ephemeral-storage=3Gi,limits.memory=2Gi,memory=1Gi,pods=1,requests.cpu=1,"
     "requests.deviceclass.resource.kubernetes.io/x=1,"
     "requests.ephemeral-storage=2Gi,requests.example.com/gpu=2,requests.hugepages-2Mi=4Mi,"
     "requests.memory=1Gi"},
    {"a pod that has ended", "", "pods",
     R"({"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]},
         "status":{"phase":"Succeeded"}})",
     "count/pods=1"},
    {"a pod that should be gone", "", "pods",
     R"({"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":30}})",
     "count/pods=1"},
    {"a pod that is going", "", "pods",
     R"({"metadata":{"deletionTimestamp":"2027-01-15T07:59:40Z","deletionGracePeriodSeconds":30}})",
     "count/pods=1,pods=1"},
    {"a service", "", "services", R"({"spec":{"type":"ClusterIP","ports":[{"port":1}]}})",
     "count/services=1,services=1,services.loadbalancers=0,services.nodeports=0"},
    {"a service with node ports", "", "services",
     R"({"spec":{"type":"NodePort","ports":[{"port":1},{"port":2}]}})",
     "count/services=1,services=1,services.loadbalancers=0,services.nodeports=2"},
    {"a load balancer", "", "services",
     R"({"spec":{"type":"LoadBalancer","ports":[{"port":1},{"port":2}]}})",
     "count/services=1,services=1,services.loadbalancers=1,services.nodeports=2"},
    {"a load balancer without node ports", "", "services",
     R"({"spec":{"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,
         "ports":[{"port":1},{"port":2,"nodePort":30001}]}})",
     "count/services=1,services=1,services.loadbalancers=1,services.nodeports=1"},
    {"a claim of a volume", "", "persistentvolumeclaims",
     R"({"spec":{"storageClassName":"gold","resources":{"requests":{"storage":"1500m"}}}})",
     "count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,"
     "gold.storageclass.storage.k8s.io/requests.storage=2,persistentvolumeclaims=1,"
     "requests.storage=2"},
    {"a claim whose class is an annotation", "", "persistentvolumeclaims",
     R"({"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"old"}},
         "spec":{"storageClassName":"gold"}})",
     "count/persistentvolumeclaims=1,old.storageclass.storage.k8s.io/persistentvolumeclaims=1,"
     "persistentvolumeclaims=1"},
    {"a claim that was allocated more", "", "persistentvolumeclaims",
     R"({"spec":{"resources":{"requests":{"storage":"1Gi"}}},
         "status":{"allocatedResources":{"storage":"2Gi"}}})",
     "count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=2Gi"},
    {"a claim of devices", "resource.k8s.io", "resourceclaims",
     R"({"spec":{"devices":{"requests":[
         {"name":"a","exactly":{"deviceClassName":"nic","allocationMode":"ExactCount","count":3}},
         {"name":"b","exactly":{"deviceClassName":"nic","allocationMode":"All"}}]}}})",
     "count/resourceclaims.resource.k8s.io=1,nic.deviceclass.resource.k8s.io/devices=35,"
     "requests.deviceclass.resource.kubernetes.io/nic=35"},
    {"a claim with alternatives", "resource.k8s.io", "resourceclaims",
     R"({"spec":{"devices":{"requests":[{"name":"a","firstAvailable":[
         {"name":"x","deviceClassName":"gpu","allocationMode":"ExactCount","count":1},
         {"name":"y","deviceClassName":"gpu","allocationMode":"ExactCount","count":4}]}]}}})",
     "count/resourceclaims.resource.k8s.io=1,gpu.deviceclass.resource.k8s.io/devices=4,"
     "requests.deviceclass.resource.kubernetes.io/gpu=4,requests.example.com/gpu=4"},
};

TEST(QuotaEvaluatorTest, WhatObjectsUse) {
  const TestLookups lookups;
  for (const Case& c : kCases) {
    const object::Document object = Decode(c.group, c.resource, c.object);
    EXPECT_EQ(Describe(MakeQuotaEvaluator(c.group, c.resource, lookups)->Usage(object, kNow)),
              c.usage)
        << c.what;
  }
}

TEST(QuotaEvaluatorTest, DevicesThatAPodWasChargedForCountOnce) {
  TestLookups lookups;
  lookups.pod = std::make_shared<const object::Document>(
      Decode("", "pods", R"({"spec":{"containers":[{"name":"a","resources":{"requests":{
          "example.com/gpu":"3"}}}]}})"));
  const object::Document claim = Decode("resource.k8s.io", "resourceclaims",
                                        R"({"spec":{"devices":{"requests":[{"name":"a","exactly":{
          "deviceClassName":"gpu","allocationMode":"ExactCount","count":4}}]}}})");
  EXPECT_EQ(
      Describe(
          MakeQuotaEvaluator("resource.k8s.io", "resourceclaims", lookups)->Usage(claim, kNow)),
      "count/resourceclaims.resource.k8s.io=1,gpu.deviceclass.resource.k8s.io/devices=4,"
      "requests.deviceclass.resource.kubernetes.io/gpu=4,requests.example.com/gpu=1");
}

TEST(QuotaEvaluatorTest, EachKnowsItsResources) {
  const TestLookups lookups;
  const ResourceNames names = {"count/pods",
                               "count/services",
                               "cpu",
                               "gold.storageclass.storage.k8s.io/requests.storage",
                               "gpu.deviceclass.resource.k8s.io/devices",
                               "hugepages-1Gi",
                               "limits.cpu",
                               "persistentvolumeclaims",
                               "pods",
                               "requests.deviceclass.resource.kubernetes.io/gpu",
                               "requests.example.com/gpu",
                               "requests.example.com/other",
                               "requests.hugepages-1Gi",
                               "requests.storage",
                               "secrets",
                               "services.nodeports"};
  const auto matching = [&](const char* group, const char* resource) {
    return Describe(MakeQuotaEvaluator(group, resource, lookups)->Matching(names));
  };
  EXPECT_EQ(matching("", "pods"),
            "count/pods,cpu,hugepages-1Gi,limits.cpu,pods,"
            "requests.deviceclass.resource.kubernetes.io/gpu,requests.example.com/gpu,"
            "requests.example.com/other,requests.hugepages-1Gi");
  EXPECT_EQ(matching("", "services"), "count/services,services.nodeports");
  EXPECT_EQ(matching("", "persistentvolumeclaims"),
            "gold.storageclass.storage.k8s.io/requests.storage,persistentvolumeclaims,"
            "requests.storage");
  EXPECT_EQ(matching("resource.k8s.io", "resourceclaims"),
            "gpu.deviceclass.resource.k8s.io/devices,"
            "requests.deviceclass.resource.kubernetes.io/gpu,requests.example.com/gpu");
  EXPECT_EQ(matching("", "secrets"), "secrets");
}

struct ScopeCase {
  const char* what;
  const char* resource;
  const char* rule;  // a scopeSelector's requirement
  const char* object;
  bool in;
};

const ScopeCase kScopeCases[] = {
    {"no deadline", "pods", R"({"scopeName":"Terminating","operator":"Exists"})", "{}", false},
    {"a deadline", "pods", R"({"scopeName":"Terminating","operator":"Exists"})",
     R"({"spec":{"activeDeadlineSeconds":0}})", true},
    {"no deadline, the other way", "pods", R"({"scopeName":"NotTerminating","operator":"Exists"})",
     "{}", true},
    {"best effort", "pods", R"({"scopeName":"BestEffort","operator":"Exists"})",
     R"({"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"0"}}}]}})", true},
    {"not best effort", "pods", R"({"scopeName":"NotBestEffort","operator":"Exists"})",
     R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}})", true},
    {"pod-level resources", "pods", R"({"scopeName":"BestEffort","operator":"Exists"})",
     R"({"spec":{"resources":{"requests":{"memory":"1"}}}})", false},
    {"any priority", "pods", R"({"scopeName":"PriorityClass","operator":"Exists"})",
     R"({"spec":{"priorityClassName":"a"}})", true},
    {"no priority", "pods", R"({"scopeName":"PriorityClass","operator":"DoesNotExist"})", "{}",
     true},
    {"another priority", "pods",
     R"({"scopeName":"PriorityClass","operator":"NotIn","values":["b"]})",
     R"({"spec":{"priorityClassName":"a"}})", true},
    {"affinity to other namespaces", "pods",
     R"({"scopeName":"CrossNamespacePodAffinity","operator":"Exists"})",
     R"({"spec":{"affinity":{"podAntiAffinity":{
         "preferredDuringSchedulingIgnoredDuringExecution":[
         {"weight":1,"podAffinityTerm":{"topologyKey":"k","namespaceSelector":{}}}]}}}})",
     true},
    {"affinity at home", "pods", R"({"scopeName":"CrossNamespacePodAffinity","operator":"Exists"})",
     R"({"spec":{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
         {"topologyKey":"k"}]}}}})",
     false},
    {"the class that a volume is on its way to", "persistentvolumeclaims",
     R"({"scopeName":"VolumeAttributesClass","operator":"In","values":["fast"]})",
     R"({"spec":{"volumeAttributesClassName":"slow"},
         "status":{"modifyVolumeStatus":{"targetVolumeAttributesClassName":"fast"}}})",
     true},
    {"no class", "persistentvolumeclaims",
     R"({"scopeName":"VolumeAttributesClass","operator":"Exists"})", "{}", false},
    {"a scope of other resources", "persistentvolumeclaims",
     R"({"scopeName":"BestEffort","operator":"Exists"})", "{}", false},
    {"a resource without scopes", "services", R"({"scopeName":"BestEffort","operator":"Exists"})",
     "{}", false},
};

TEST(QuotaEvaluatorTest, Scopes) {
  const TestLookups lookups;
  for (const ScopeCase& c : kScopeCases) {
    const object::Document quota =
        Decode("", "resourcequotas",
               std::string(R"({"spec":{"scopeSelector":{"matchExpressions":[)") + c.rule + "]}}}");
    const auto rules = ScopesOf(views::core_v1::ResourceQuota(quota));
    ASSERT_EQ(rules.size(), 1u);
    const object::Document object = Decode("", c.resource, c.object);
    const Result<bool> in =
        MakeQuotaEvaluator("", c.resource, lookups)->IsInScope(rules[0], object);
    ASSERT_TRUE(in) << c.what << in.error().ToString();
    EXPECT_EQ(*in, c.in) << c.what;
  }
}

TEST(QuotaEvaluatorTest, EventsAreExempt) {
  EXPECT_TRUE(IsExemptFromQuotas("", "events"));
  EXPECT_TRUE(IsExemptFromQuotas("events.k8s.io", "events"));
  EXPECT_FALSE(IsExemptFromQuotas("", "pods"));
}

}  // namespace
}  // namespace skiff::quota
