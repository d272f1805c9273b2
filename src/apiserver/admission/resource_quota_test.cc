#include "apiserver/admission/resource_quota.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apiserver/admission/resource_quota_config.h"
#include "apiserver/admission/small_cluster_testing.h"

namespace skiff::apiserver {
namespace {

// A quota that has been counted: hard and used as the insides of JSON objects.
std::string QuotaOf(const std::string& hard, const std::string& used,
                    const std::string& scopes = {}) {
  return R"({"spec":{"hard":{)" + hard + "}" + scopes + R"(},"status":{"hard":{)" + hard +
         R"(},"used":{)" + used + "}}}";
}

std::string PodAsking(const std::string& cpu) {
  return R"({"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu +
         R"("}}}]}})";
}

// Quotas that are charged by many: counts how often a write is admitted, and lets others get ahead
// of it.
class OvertakenPlugin final : public AdmissionPlugin {
 public:
  explicit OvertakenPlugin(AdmissionPlugin& charging) : charging_(charging) {}
  Result<void> Validate(AdmissionRequest& request) override {
    ++admitted;
    Result<void> out = charging_.Validate(request);
    if (auto go = std::exchange(overtake, {})) go();
    return out;
  }
  std::atomic<int> admitted = 0;
  std::function<void()> overtake;  // once

 private:
  AdmissionPlugin& charging_;
};

class ResourceQuotaTest : public ::testing::Test {
 protected:
  TestOutcome Create(const std::string& resource, const std::string& name,
                     const std::string& object) {
    return cluster_.Write(*plugin_, {.resource = resource, .name = name, .object = object});
  }
  TestOutcome Update(const std::string& resource, const std::string& name,
                     const std::string& object, const std::string& subresource = {}) {
    return cluster_.Write(*plugin_, {.resource = resource,
                                     .name = name,
                                     .object = object,
                                     .subresource = subresource,
                                     .update = true});
  }
  std::string Used(const std::string& quota) {
    return cluster_.Stored("resourcequotas", quota, {"status", "used"});
  }

  SmallCluster cluster_;
  std::unique_ptr<AdmissionPlugin> plugin_ = cluster_.Make(MakeResourceQuota);
};

TEST_F(ResourceQuotaTest, ChargesWhatIsWrittenAndRefusesWhatIsTooMuch) {
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("pods":"2","requests.cpu":"1")", R"("pods":"0","requests.cpu":"0")"));
  EXPECT_EQ(Create("pods", "a", PodAsking("600m")).error, "");
  EXPECT_EQ(Used("q"), R"({"pods":"1","requests.cpu":"600m"})");
  const TestOutcome refused = Create("pods", "b", PodAsking("600m"));
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.error,
            "pods \"b\" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: "
            "requests.cpu=600m, limited: requests.cpu=1");
  EXPECT_EQ(Used("q"), R"({"pods":"1","requests.cpu":"600m"})");
}

TEST_F(ResourceQuotaTest, ContainersMustSayWhatAQuotaLimits) {
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("requests.cpu":"1","limits.memory":"1Gi")",
                       R"("requests.cpu":"0","limits.memory":"0")"));
  EXPECT_EQ(Create("pods", "p", R"({"spec":{"containers":[{"name":"c"},{"name":"b"}]}})").error,
            "pods \"p\" is forbidden: failed quota: q: must specify limits.memory for: b,c; "
            "requests.cpu for: b,c");
  EXPECT_EQ(Create("pods", "p",
                   R"({"spec":{"resources":{"requests":{"cpu":"1"}},"containers":[{"name":"c"}]}})")
                .error,
            "");
}

TEST_F(ResourceQuotaTest, AQuotaThatNobodyHasCountedLimitsNothing) {
  cluster_.Put("resourcequotas", "q", R"({"spec":{"hard":{"pods":"0"}}})");
  EXPECT_EQ(Create("pods", "a", PodAsking("1")).error, "");
  cluster_.Put("resourcequotas", "r",
               R"({"spec":{"hard":{"pods":"5"}},"status":{"hard":{"pods":"5"}}})");
  EXPECT_EQ(Create("pods", "b", PodAsking("1")).error,
            "pods \"b\" is forbidden: status unknown for quota: r, resources: pods");
}

TEST_F(ResourceQuotaTest, CountsObjectsOfAnyResource) {
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("configmaps":"1","count/configmaps":"5","count/deployments.apps":"1")",
                       R"("configmaps":"0","count/configmaps":"0","count/deployments.apps":"0")"));
  EXPECT_EQ(Create("configmaps", "a", "{}").error, "");
  EXPECT_EQ(Create("configmaps", "b", "{}").error,
            "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: "
            "configmaps=1, limited: configmaps=1");
  EXPECT_EQ(cluster_
                .Write(*plugin_,
                       {.group = "apps", .resource = "deployments", .name = "d", .object = "{}"})
                .error,
            "");
  EXPECT_EQ(Used("q"), R"({"configmaps":"1","count/configmaps":"1","count/deployments.apps":"1"})");
  EXPECT_EQ(Update("configmaps", "a", R"({"data":{"a":"b"}})").error, "");
}

TEST_F(ResourceQuotaTest, UpdatesAreChargedForTheIncrease) {
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("services.nodeports":"3","services":"9")",
                       R"("services.nodeports":"0","services":"0")"));
  const std::string one = R"({"spec":{"type":"NodePort","ports":[{"port":1}]}})";
  const std::string two = R"({"spec":{"type":"NodePort","ports":[{"port":1},{"port":2}]}})";
  const std::string four =
      R"({"spec":{"type":"NodePort","ports":[{"port":1},{"port":2},{"port":3},{"port":4}]}})";
  EXPECT_EQ(Create("services", "s", one).error, "");
  EXPECT_EQ(Update("services", "s", two).error, "");
  EXPECT_EQ(Used("q"), R"({"services":"1","services.nodeports":"2"})");
  EXPECT_EQ(
      Update("services", "s", four).error,
      "services \"s\" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: "
      "services.nodeports=2, limited: services.nodeports=3");
  // Less is never charged; whoever recounts the quota lowers it.
  EXPECT_EQ(Update("services", "s", one).error, "");
  EXPECT_EQ(Used("q"), R"({"services":"1","services.nodeports":"2"})");
}

TEST_F(ResourceQuotaTest, ResizingAPodIsCharged) {
  cluster_.Put("resourcequotas", "q", QuotaOf(R"("requests.cpu":"2")", R"("requests.cpu":"0")"));
  EXPECT_EQ(Create("pods", "p", PodAsking("1")).error, "");
  EXPECT_NE(Update("pods", "p", PodAsking("3"), "resize").error, "");
  EXPECT_EQ(Update("pods", "p", PodAsking("1500m"), "resize").error, "");
  EXPECT_EQ(Used("q"), R"({"requests.cpu":"1500m"})");
}

TEST_F(ResourceQuotaTest, ScopesChooseThePods) {
  cluster_.Put("resourcequotas", "best",
               QuotaOf(R"("pods":"1")", R"("pods":"0")", R"(,"scopes":["BestEffort"])"));
  cluster_.Put("resourcequotas", "high",
               QuotaOf(R"("pods":"1")", R"("pods":"0")",
                       R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",
                          "operator":"In","values":["high"]}]})"));
  EXPECT_EQ(Create("pods", "a", PodAsking("1")).error, "");
  EXPECT_EQ(Used("best"), R"({"pods":"0"})");
  EXPECT_EQ(Create("pods", "b", R"({"spec":{"priorityClassName":"high"}})").error, "");
  EXPECT_EQ(Used("best"), R"({"pods":"1"})");
  EXPECT_EQ(Used("high"), R"({"pods":"1"})");
  EXPECT_NE(Create("pods", "c", "{}").error, "");
}

TEST_F(ResourceQuotaTest, AnUpdateThatBringsAPodIntoAScopeIsChargedInFull) {
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("pods":"1")", R"("pods":"0")", R"(,"scopes":["Terminating"])"));
  EXPECT_EQ(Create("pods", "p", PodAsking("1")).error, "");
  EXPECT_EQ(Used("q"), R"({"pods":"0"})");
  EXPECT_EQ(Update("pods", "p", R"({"spec":{"activeDeadlineSeconds":5}})").error, "");
  EXPECT_EQ(Used("q"), R"({"pods":"1"})");
}

TEST_F(ResourceQuotaTest, ADryRunIsJudgedButNotCharged) {
  cluster_.Put("resourcequotas", "q", QuotaOf(R"("configmaps":"1")", R"("configmaps":"0")"));
  const TestWrite dry{.resource = "configmaps", .name = "a", .object = "{}", .dry_run = true};
  EXPECT_EQ(cluster_.Write(*plugin_, dry).error, "");
  EXPECT_EQ(Used("q"), R"({"configmaps":"0"})");
  EXPECT_EQ(Create("configmaps", "a", "{}").error, "");
  EXPECT_NE(cluster_.Write(*plugin_, dry).error, "");
}

TEST_F(ResourceQuotaTest, AQuotaThatIsMadeTwiceIsNotChargedForItself) {
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("resourcequotas":"5")", R"("resourcequotas":"1")"));
  EXPECT_EQ(Create("resourcequotas", "q", "{}").error, "exists");
  EXPECT_EQ(Create("resourcequotas", "r", "{}").error, "");
  EXPECT_EQ(Used("q"), R"({"resourcequotas":"2"})");
}

TEST_F(ResourceQuotaTest, DevicesCountUnderTheNameOfTheirExtendedResource) {
  const std::string devices = R"("spec":{"devices":{"requests":[{"name":"r","exactly":{
      "deviceClassName":"gpu","allocationMode":"ExactCount","count":2}}]}}})";
  const auto claim = [&](const std::string& name, const std::string& object) {
    return cluster_
        .Write(*plugin_, {.group = "resource.k8s.io",
                          .resource = "resourceclaims",
                          .name = name,
                          .object = object})
        .error;
  };
  cluster_.Put("deviceclasses", "gpu", R"({"spec":{"extendedResourceName":"example.com/gpu"}})",
               "resource.k8s.io");
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("requests.example.com/gpu":"3")", R"("requests.example.com/gpu":"0")"));
  EXPECT_EQ(claim("a", "{" + devices), "");
  EXPECT_EQ(Used("q"), R"({"requests.example.com/gpu":"2"})");
  EXPECT_EQ(claim("b", "{" + devices),
            "resourceclaims.resource.k8s.io \"b\" is forbidden: exceeded quota: q, requested: "
            "requests.example.com/gpu=2, used: requests.example.com/gpu=2, limited: "
            "requests.example.com/gpu=3");
  // The pod was charged for these when it was made.
  cluster_.Put("pods", "p",
               R"({"spec":{"containers":[{"name":"c","resources":{"requests":{
                   "example.com/gpu":"2"}}}]}})");
  EXPECT_EQ(claim("c",
                  R"({"metadata":{"annotations":{
                      "resource.kubernetes.io/extended-resource-claim":"true"},
                      "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p",
                      "uid":"uid-of-p","controller":true}]},)" +
                      devices),
            "");
  EXPECT_EQ(Used("q"), R"({"requests.example.com/gpu":"2"})");
}

TEST_F(ResourceQuotaTest, LimitedResourcesNeedAQuota) {
  plugin_ = cluster_.Make(MakeResourceQuota,
                          R"({"apiVersion":"apiserver.config.k8s.io/v1",
      "kind":"ResourceQuotaConfiguration","limitedResources":[
      {"resource":"persistentvolumeclaims","matchContains":["gold.storageclass"]},
      {"resource":"pods","matchScopes":[
        {"scopeName":"PriorityClass","operator":"In","values":["high"]}]}]})");
  const std::string gold =
      R"({"spec":{"storageClassName":"gold","resources":{"requests":{"storage":"1Gi"}}}})";
  EXPECT_EQ(Create("persistentvolumeclaims", "c", gold).error,
            "persistentvolumeclaims \"c\" is forbidden: insufficient quota to consume: "
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims,"
            "gold.storageclass.storage.k8s.io/requests.storage");
  EXPECT_EQ(Create("persistentvolumeclaims", "d", "{}").error, "");
  const std::string high = R"({"spec":{"priorityClassName":"high"}})";
  EXPECT_EQ(Create("pods", "p", high).error,
            "insufficient quota to match these scopes: [{PriorityClass In [high]}]");
  EXPECT_EQ(Create("pods", "q", "{}").error, "");
  cluster_.Put("resourcequotas", "q",
               QuotaOf(R"("pods":"1")", R"("pods":"0")",
                       R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",
                          "operator":"In","values":["high"]}]})"));
  EXPECT_EQ(Create("pods", "p", high).error, "");
}

TEST(ResourceQuotaConfigTest, EachLimitedResourceHasAName) {
  EXPECT_FALSE(ParseLimitedResources(
      R"({"apiVersion":"apiserver.config.k8s.io/v1","kind":"ResourceQuotaConfiguration",
          "limitedResources":[{"matchContains":["x"]}]})"));
  EXPECT_TRUE(ParseLimitedResources(
      R"({"apiVersion":"resourcequota.admission.k8s.io/v1beta1","kind":"Configuration"})"));
  EXPECT_FALSE(ParseLimitedResources(R"({"apiVersion":"v1","kind":"Pod"})"));
}

// More writers at once than a write has tries: they take turns.
TEST_F(ResourceQuotaTest, ManyWritersAtOnceAreAllCharged) {
  constexpr int kWriters = 300;
  cluster_.Put("resourcequotas", "q", QuotaOf(R"("configmaps":"280")", R"("configmaps":"0")"));
  std::mutex mutex;
  std::condition_variable wake;
  int written = 0;
  int refused = 0;
  std::string unexpected;
  OvertakenPlugin counting(*plugin_);
  for (int i = 0; i < kWriters; ++i) {
    cluster_.Start(counting,
                   {.resource = "configmaps", .name = "c" + std::to_string(i), .object = "{}"},
                   [&](const TestOutcome& outcome) {
                     std::lock_guard lock(mutex);
                     if (outcome.error.empty()) {
                       ++written;
                     } else {
                       ++refused;
                       if (outcome.code != 403) unexpected = outcome.error;
                     }
                     wake.notify_all();
                   });
  }
  std::unique_lock lock(mutex);
  wake.wait(lock, [&] { return written + refused == kWriters; });
  EXPECT_EQ(written, 280);
  EXPECT_EQ(unexpected, "");
  EXPECT_EQ(Used("q"), R"({"configmaps":"280"})");
  // Whoever is asked about each write, a webhook say, is asked once.
  EXPECT_EQ(counting.admitted, kWriters);
}

TEST_F(ResourceQuotaTest, WhoeverFindsTheQuotaChargedByOthersIsChargedAnewAndNotAdmittedAgain) {
  cluster_.Put("resourcequotas", "q", QuotaOf(R"("requests.cpu":"4")", R"("requests.cpu":"0")"));
  OvertakenPlugin overtaken(*plugin_);
  overtaken.overtake = [&] { EXPECT_EQ(Create("pods", "first", PodAsking("1")).error, ""); };
  const TestOutcome made =
      cluster_.Write(overtaken, {.resource = "pods", .name = "p", .object = PodAsking("2")});
  EXPECT_EQ(made.error, "");
  EXPECT_EQ(Used("q"), R"({"requests.cpu":"3"})");
  EXPECT_EQ(overtaken.admitted, 1);
  // What the others have left may be too little.
  overtaken.overtake = [&] { EXPECT_EQ(Create("pods", "next", PodAsking("1")).error, ""); };
  EXPECT_EQ(
      cluster_.Write(overtaken, {.resource = "pods", .name = "r", .object = PodAsking("1")}).error,
      "pods \"r\" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: "
      "requests.cpu=4, limited: requests.cpu=4");
  EXPECT_EQ(Used("q"), R"({"requests.cpu":"4"})");
}

TEST_F(ResourceQuotaTest, AnUpdateIsChargedForTheIncreaseFromWhatOthersHaveWritten) {
  cluster_.Put("resourcequotas", "q", QuotaOf(R"("requests.cpu":"9")", R"("requests.cpu":"0")"));
  EXPECT_EQ(Create("pods", "p", PodAsking("1")).error, "");
  OvertakenPlugin overtaken(*plugin_);
  const TestWrite resize{.resource = "pods",
                         .name = "p",
                         .object = PodAsking("5"),
                         .subresource = "resize",
                         .update = true};
  overtaken.overtake = [&] { EXPECT_EQ(Update("pods", "p", PodAsking("4"), "resize").error, ""); };
  EXPECT_EQ(cluster_.Write(overtaken, resize).error, "");
  EXPECT_EQ(Used("q"), R"({"requests.cpu":"5"})");
  EXPECT_EQ(overtaken.admitted, 2);
  // Others have charged the quota, and not touched the pod.
  overtaken.overtake = [&] { EXPECT_EQ(Create("pods", "r", PodAsking("1")).error, ""); };
  TestWrite more = resize;
  more.object = PodAsking("7");
  EXPECT_EQ(cluster_.Write(overtaken, more).error, "");
  EXPECT_EQ(Used("q"), R"({"requests.cpu":"8"})");
  EXPECT_EQ(overtaken.admitted, 3);
}

}  // namespace
}  // namespace skiff::apiserver
