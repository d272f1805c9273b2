// The plugins that look at objects other than pods and are small.
#include <gtest/gtest.h>

#include "apiserver/admission/testing.h"

namespace skiff::apiserver {
namespace {

using testing::Asked;

class ObjectPluginsTest : public testing::PluginTest {
 protected:
  std::string Create(const std::string& resource, const std::string& object,
                     const std::string& name_space = "ns") {
    return Ask({.resource = resource, .name_space = name_space, .object = object});
  }
  std::string Update(const std::string& resource, const std::string& old, const std::string& object,
                     const std::string& subresource = {}) {
    return Ask({.operation = AdmissionOperation::kUpdate,
                .resource = resource,
                .subresource = subresource,
                .object = object,
                .old = old});
  }
};

TEST_F(ObjectPluginsTest, ANewNodeIsTaintedOnce) {
  Make(MakeTaintNodesByCondition);
  const std::string taint = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";
  EXPECT_EQ(Create("nodes", R"({"spec":{"taints":[{"key":"a","effect":"NoExecute"}]}})", ""), "");
  EXPECT_TRUE(Has(R"("taints":[{"key":"a","effect":"NoExecute"},)" + taint + "]")) << object_;
  EXPECT_EQ(Create("nodes", R"({"spec":{"taints":[)" + taint + "]}}", ""), "");
  EXPECT_TRUE(Has(R"("taints":[)" + taint + "]")) << object_;
}

TEST_F(ObjectPluginsTest, StorageIsProtectedWhileItIsUsed) {
  gates_.insert("VolumeAttributesClass");
  Make(MakeStorageObjectInUseProtection);
  const struct {
    std::string resource;
    std::string finalizer;
  } cases[] = {{"persistentvolumeclaims", "kubernetes.io/pvc-protection"},
               {"persistentvolumes", "kubernetes.io/pv-protection"},
               {"storage.k8s.io/volumeattributesclasses", "kubernetes.io/vac-protection"}};
  for (const auto& each : cases) {
    EXPECT_EQ(Create(each.resource, "{}"), "");
    EXPECT_TRUE(Has(R"("finalizers":[")" + each.finalizer + "\"]")) << object_;
    EXPECT_EQ(Create(each.resource, R"({"metadata":{"finalizers":[")" + each.finalizer + "\"]}}"),
              "");
    EXPECT_TRUE(Has(R"("finalizers":[")" + each.finalizer + "\"]")) << object_;
  }
  EXPECT_EQ(Create("configmaps", "{}"), "");
  EXPECT_FALSE(Has("finalizers"));
}

TEST_F(ObjectPluginsTest, AClaimGetsTheNewestDefaultStorageClass) {
  Make(MakeDefaultStorageClass);
  EXPECT_EQ(Create("persistentvolumeclaims", R"({"spec":{}})"), "");
  EXPECT_FALSE(Has("storageClassName"));
  const auto add = [&](const std::string& name, const std::string& time,
                       const std::string& annotation) {
    Add(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":")" + name +
        R"(","creationTimestamp":")" + time + R"(","annotations":{")" + annotation +
        R"(":"true"}},"provisioner":"p"})");
  };
  const std::string annotation = "storageclass.kubernetes.io/is-default-class";
  add("old", "2020-01-01T00:00:00Z", annotation);
  add("second", "2021-01-01T00:00:00Z", "storageclass.beta.kubernetes.io/is-default-class");
  add("first", "2021-01-01T00:00:00Z", annotation);
  add("plain", "2022-01-01T00:00:00Z", "other");
  EXPECT_EQ(Create("persistentvolumeclaims", R"({"spec":{}})"), "");
  EXPECT_TRUE(Has(R"("storageClassName":"first")")) << object_;
  EXPECT_EQ(Create("persistentvolumeclaims", R"({"spec":{"storageClassName":""}})"), "");
  EXPECT_TRUE(Has(R"("storageClassName":"")"));
  EXPECT_EQ(Create("persistentvolumeclaims",
                   R"({"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"x"}},
                       "spec":{}})"),
            "");
  EXPECT_FALSE(Has("storageClassName"));
}

TEST_F(ObjectPluginsTest, AnIngressGetsTheDefaultClass) {
  Make(MakeDefaultIngressClass);
  Add(R"({"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","metadata":{"name":"web",
          "annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},"spec":{}})");
  const std::string resource = "networking.k8s.io/ingresses";
  EXPECT_EQ(Create(resource, R"({"spec":{}})"), "");
  EXPECT_TRUE(Has(R"("ingressClassName":"web")")) << object_;
  EXPECT_EQ(Create(resource, R"({"spec":{"ingressClassName":"mine"}})"), "");
  EXPECT_TRUE(Has(R"("ingressClassName":"mine")"));
  EXPECT_EQ(Create(resource, R"({"metadata":{"annotations":{"kubernetes.io/ingress.class":"x"}}})"),
            "");
  EXPECT_FALSE(Has("ingressClassName"));
}

TEST_F(ObjectPluginsTest, AClaimGrowsWhenItIsBoundAndItsClassAllows) {
  Add(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"grows"},
          "provisioner":"p","allowVolumeExpansion":true})");
  Add(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"stays"},
          "provisioner":"p"})");
  Make(MakePersistentVolumeClaimResize);
  const auto claim = [](const std::string& size, const std::string& of_class,
                        const std::string& phase = "Bound") {
    return R"({"spec":{"storageClassName":")" + of_class +
           R"(","resources":{"requests":{"storage":")" + size + R"("}}},"status":{"phase":")" +
           phase + R"("}})";
  };
  const std::string resource = "persistentvolumeclaims";
  EXPECT_EQ(Update(resource, claim("1Gi", "grows"), claim("2Gi", "grows")), "");
  EXPECT_EQ(Update(resource, claim("2Gi", "stays"), claim("1Gi", "stays")), "");
  EXPECT_EQ(Update(resource, claim("1Gi", "grows", "Pending"), claim("2Gi", "grows")),
            "persistentvolumeclaims \"x\" is forbidden: Only bound persistent volume claims can "
            "be expanded");
  const std::string refused =
      "persistentvolumeclaims \"x\" is forbidden: only dynamically provisioned pvc can be resized "
      "and the storageclass that provisions the pvc must support resize";
  EXPECT_EQ(Update(resource, claim("1Gi", "stays"), claim("2Gi", "stays")), refused);
  EXPECT_EQ(Update(resource, claim("1Gi", "none"), claim("2Gi", "none")), refused);
  EXPECT_EQ(Update(resource, claim("1Gi", "stays"), claim("2Gi", "grows")), refused);
}

TEST_F(ObjectPluginsTest, ServicesGetNoNewExternalAddresses) {
  Make(MakeDenyServiceExternalIPs);
  const std::string two = R"({"spec":{"externalIPs":["1.1.1.1","2.2.2.2"]}})";
  const std::string one = R"({"spec":{"externalIPs":["1.1.1.1"]}})";
  const std::string refused =
      "services \"x\" is forbidden: Use of external IPs is denied by admission control";
  EXPECT_EQ(Create("services", "{}"), "");
  EXPECT_EQ(Create("services", one), refused);
  EXPECT_EQ(Update("services", two, one), "");
  EXPECT_EQ(Update("services", one, two), refused);
}

TEST_F(ObjectPluginsTest, OwnersTakeRights) {
  Make(MakeOwnerReferencesPermissionEnforcement);
  const auto owned = [](const std::string& rest) {
    return R"({"metadata":{"name":"x","ownerReferences":[{"apiVersion":"apps/v1",
        "kind":"Deployment","name":"d","uid":"u")" +
           rest + "}]}}";
  };
  const std::string blocking = owned(R"(,"blockOwnerDeletion":true)");
  EXPECT_EQ(Create("configmaps", owned("")), "");
  EXPECT_EQ(Create("configmaps", blocking),
            "configmaps \"x\" is forbidden: cannot set blockOwnerDeletion if an ownerReference "
            "refers to a resource you can't set finalizers on: , <nil>");
  EXPECT_EQ(Update("configmaps", "{}", owned("")),
            "configmaps \"x\" is forbidden: cannot set an ownerRef on a resource you can't "
            "delete: , <nil>");
  EXPECT_EQ(Update("configmaps", blocking, blocking), "");
  authorizer_.allowed = {"update apps/deployments/finalizers ns/d", "delete /configmaps/ ns/x"};
  EXPECT_EQ(Create("configmaps", blocking), "");
  EXPECT_EQ(Update("configmaps", "{}", owned("")), "");
  authorizer_.allowed = {"update */*/finalizers /*"};
  EXPECT_EQ(Create("configmaps", blocking), "");
  authorizer_.allowed.clear();
  EXPECT_NE(Create("configmaps", R"({"metadata":{"ownerReferences":[{"apiVersion":"v1",
      "kind":"Nothing","name":"d","uid":"u","blockOwnerDeletion":true}]}})")
                .find("no matches for kind \"Nothing\" in version \"v1\""),
            std::string::npos);
}

TEST_F(ObjectPluginsTest, EventsComeAsFastAsTheirBucketAllows) {
  const auto config = [](const std::string& limits) {
    return R"({"apiVersion":"eventratelimit.admission.k8s.io/v1alpha1","kind":"Configuration",
        "limits":)" +
           limits + "}";
  };
  Make(MakeEventRateLimit,
       config(R"([{"type":"Namespace","qps":1,"burst":2},{"type":"User","qps":1,"burst":3}])"));
  Asked event{.resource = "events", .object = R"({"metadata":{"name":"x"}})"};
  event.user.name = "u";
  EXPECT_EQ(Ask(event), "");
  EXPECT_EQ(Ask(event), "");
  EXPECT_EQ(Ask(event), "Too many requests: limit reached on type Namespace for key ns");
  EXPECT_EQ(status_->code(), 429);
  EXPECT_EQ(Ask(event),
            "Too many requests: [limit reached on type Namespace for key ns, limit reached on "
            "type User for key u]");
  event.name_space = "other";
  event.user.name = "v";
  EXPECT_EQ(Ask(event), "");
  event.dry_run = true;
  EXPECT_EQ(Ask(event), "");
  EXPECT_EQ(Ask(event), "");
  EXPECT_EQ(Ask(event), "");
  const struct {
    std::string config;
    std::string says;
  } wrong[] = {
      {"", "it needs limits"},
      {config("[]"), "limits"},
      {config(R"([{"type":"X","qps":1,"burst":1}])"), "limits[0].type"},
      {config(R"([{"type":"User","qps":1,"burst":0}])"), "limits[0].burst"},
      {config(R"([{"type":"User","qps":0,"burst":1}])"), "limits[0].qps"},
      {config(R"([{"type":"User","qps":1,"burst":1,"cacheSize":-1}])"), "limits[0].cacheSize"},
      {config(R"([{"type":"User","qps":1,"burst":1,"size":1}])"), "unknown field"}};
  for (const auto& each : wrong) {
    const std::string fault = Fault(MakeEventRateLimit(Context(), each.config));
    EXPECT_NE(fault.find(each.says), std::string::npos) << fault;
  }
}

TEST_F(ObjectPluginsTest, PodGroupsArePartOfAWorkload) {
  gates_ = {"GenericWorkload"};
  Add(R"({"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"Workload",
          "metadata":{"name":"w","namespace":"ns"},"spec":{"podGroupTemplates":[{"name":"t"}]}})");
  const auto group = [](const std::string& workload, const std::string& of_template) {
    return R"({"spec":{"podGroupTemplateRef":{"workload":{"workloadName":")" + workload +
           R"(","podGroupTemplateName":")" + of_template + R"("}}}})";
  };
  const std::string resource = "scheduling.k8s.io/podgroups";
  const std::string refused = "podgroups.scheduling.k8s.io \"x\" is forbidden: PodGroup rejected: ";
  Make(MakePodGroupWorkloadExists);
  EXPECT_EQ(Create(resource, group("w", "t")), "");
  EXPECT_EQ(Create(resource, R"({"spec":{}})"), "");
  EXPECT_EQ(Create(resource, group("none", "t")), refused + "Workload \"none\" not found");
  EXPECT_EQ(Create(resource, group("w", "none")),
            refused + "PodGroupTemplate \"none\" not found in Workload \"w\"");
  Make(MakePodGroupProtection);
  EXPECT_EQ(Create(resource, "{}"), "");
  EXPECT_TRUE(Has("scheduling.k8s.io/podgroup-protection"));
}

TEST_F(ObjectPluginsTest, AJobOfAGangKeepsItsParallelism) {
  gates_ = {"WorkloadWithJob"};
  Add(R"({"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{"name":"g",
          "namespace":"ns","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"x",
          "uid":"u","controller":true}]},"spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})");
  Make(MakeJobValidation);
  const auto job = [](const std::string& uid, const std::string& parallelism,
                      const std::string& group) {
    return R"({"metadata":{"uid":")" + uid + R"("},"spec":{"parallelism":)" + parallelism +
           R"(,"template":{"spec":{)" + group + "}}}}";
  };
  const std::string named = R"("schedulingGroup":{"podGroupName":"g"})";
  const std::string refused =
      "jobs.batch \"x\" is forbidden: cannot change parallelism for a Job referencing "
      "gang-scheduled PodGroup \"g\"";
  EXPECT_EQ(Update("batch/jobs", job("u", "1", ""), job("u", "2", "")), refused);
  EXPECT_EQ(Update("batch/jobs", job("v", "1", named), job("v", "2", named)), refused);
  EXPECT_EQ(Update("batch/jobs", job("v", "1", ""), job("v", "2", "")), "");
  EXPECT_EQ(Update("batch/jobs", job("u", "1", ""), job("u", "1", "")), "");
}

}  // namespace
}  // namespace skiff::apiserver
