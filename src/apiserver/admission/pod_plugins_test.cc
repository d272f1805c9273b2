// The plugins that look at pods and are small.
#include <gtest/gtest.h>

#include "apiserver/admission/testing.h"
#include "apiserver/admission/tolerations.h"
#include "quota/pod_resources.h"

namespace skiff::apiserver {
namespace {

class PodPluginsTest : public testing::PluginTest {
 protected:
  std::string UpdatePod(const std::string& old_spec, const std::string& new_spec,
                        const std::string& subresource = {}) {
    return Ask({.operation = AdmissionOperation::kUpdate,
                .subresource = subresource,
                .object = Pod(new_spec, R"("name":"x","generation":2)"),
                .old = Pod(old_spec, R"("name":"x","generation":1)")});
  }
  void AddNamespace(const std::string& name, const std::string& annotations) {
    Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name +
        R"(","annotations":{)" + annotations + R"(}},"status":{"phase":"Active"}})");
  }
  static std::string In(std::string message) { return "pods \"x\" is forbidden: " + message; }
};

TEST_F(PodPluginsTest, HardAntiAffinityIsLimitedToTheNode) {
  Make(MakeLimitPodHardAntiAffinityTopology);
  const auto spec = [](const std::string& key) {
    return R"({"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
        [{"topologyKey":")" +
           key + R"("}]}}})";
  };
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_EQ(AskPod(spec("kubernetes.io/hostname")), "");
  EXPECT_EQ(AskPod(spec("zone")),
            In("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only "
               "key kubernetes.io/hostname is allowed"));
}

TEST_F(PodPluginsTest, ImagesAreAlwaysPulled) {
  Make(MakeAlwaysPullImages);
  EXPECT_EQ(AskPod(R"({"containers":[{"name":"c","image":"a","imagePullPolicy":"Never"}],
      "initContainers":[{"name":"i","image":"b"}],
      "volumes":[{"name":"v","image":{"reference":"r","pullPolicy":"Never"}}]})"),
            "");
  EXPECT_FALSE(Has("Never"));
  EXPECT_TRUE(Has(R"("pullPolicy":"Always")"));
  // An update that brings no new image is left alone.
  const std::string pod = R"({"containers":[{"name":"c","image":"a","imagePullPolicy":"Never"}]})";
  EXPECT_EQ(UpdatePod(pod, pod), "");
  EXPECT_TRUE(Has("Never"));
  EXPECT_EQ(UpdatePod(R"({"containers":[{"name":"c","image":"b"}]})", pod), "");
  EXPECT_FALSE(Has("Never"));
}

TEST_F(PodPluginsTest, PodsTolerateBrokenNodesForAWhile) {
  Make(MakeDefaultTolerationSeconds);
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_TRUE(Has(
      R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
      R"("effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable",)"
      R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300}])"))
      << object_;
  EXPECT_EQ(AskPod(R"({"tolerations":[{"operator":"Exists"}]})"), "");
  EXPECT_FALSE(Has("not-ready"));
  EXPECT_EQ(AskPod(R"({"tolerations":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"},
      {"key":"node.kubernetes.io/unreachable","operator":"Exists"}]})"),
            "");
  EXPECT_TRUE(Has(R"("tolerationSeconds":300)"));
  EXPECT_FALSE(Has(R"("unreachable","operator":"Exists","effect":"NoExecute")"));
}

TEST_F(PodPluginsTest, TolerationsAreMergedWithoutWhatOthersCover) {
  const PodToleration all{"", "Exists", "", "", {}};
  const PodToleration a{"a", "Equal", "1", "NoSchedule", {}};
  const PodToleration any_a{"a", "Exists", "", "NoSchedule", {}};
  const PodToleration short_a{"a", "Exists", "", "NoExecute", 10};
  const PodToleration long_a{"a", "Exists", "", "NoExecute", 20};
  EXPECT_TRUE(Covers(all, a));
  EXPECT_TRUE(Covers(any_a, a));
  EXPECT_FALSE(Covers(a, any_a));
  EXPECT_TRUE(Covers(long_a, short_a));
  EXPECT_FALSE(Covers(short_a, long_a));
  EXPECT_EQ(MergeTolerations({a}, {any_a}), std::vector<PodToleration>{any_a});
  EXPECT_EQ(MergeTolerations({a, a}, {}), std::vector<PodToleration>{a});
  EXPECT_EQ(MergeTolerations({short_a}, {a}), (std::vector<PodToleration>{short_a, a}));
  EXPECT_TRUE(AreAllowed({a}, {any_a}));
  EXPECT_FALSE(AreAllowed({any_a}, {a}));
  EXPECT_TRUE(AreAllowed({any_a}, {}));
}

TEST_F(PodPluginsTest, NamespacesRestrictTolerations) {
  AddNamespace("t", R"("scheduler.alpha.kubernetes.io/defaultTolerations":
      "[{\"key\":\"d\",\"operator\":\"Exists\"}]",
      "scheduler.alpha.kubernetes.io/tolerationsWhitelist":
      "[{\"key\":\"d\",\"operator\":\"Exists\"},{\"operator\":\"Exists\",\"key\":\"ok\"}]")");
  Make(MakePodTolerationRestriction,
       R"({"apiVersion":"podtolerationrestriction.admission.k8s.io/v1alpha1",
           "kind":"Configuration","default":[{"key":"c","operator":"Exists"}]})");
  EXPECT_EQ(Ask({.name_space = "t", .object = Pod("{}")}), "");
  EXPECT_TRUE(Has(R"("tolerations":[{"key":"d","operator":"Exists"}])")) << object_;
  EXPECT_EQ(Ask({.name_space = "t",
                 .object = Pod(R"({"tolerations":[{"key":"bad","operator":"Exists"}]})")}),
            In("pod tolerations (possibly merged with namespace default tolerations) conflict "
               "with its namespace whitelist"));
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_TRUE(Has(R"("tolerations":[{"key":"c","operator":"Exists"}])")) << object_;
  EXPECT_EQ(AskPod(R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]})"), "");
  EXPECT_TRUE(Has("node.kubernetes.io/memory-pressure"));
  EXPECT_NE(Fault(MakePodTolerationRestriction(Context(), "{}")), "");
}

TEST_F(PodPluginsTest, ExtendedResourcesAreTolerated) {
  Make(MakeExtendedResourceToleration);
  EXPECT_EQ(AskPod(R"({"containers":[{"name":"c","resources":{"requests":
      {"example.com/gpu":"1","cpu":"1","kubernetes.io/x":"1"}}}]})"),
            "");
  EXPECT_TRUE(Has(R"("tolerations":[{"key":"example.com/gpu","operator":"Exists",)"
                  R"("effect":"NoSchedule"}])"))
      << object_;
}

TEST_F(PodPluginsTest, NamespacesSelectNodes) {
  AddNamespace("s", R"("scheduler.alpha.kubernetes.io/node-selector":"env=test, disk=ssd")");
  Make(MakePodNodeSelector, R"({"podNodeSelectorPluginConfig":
      {"clusterDefaultNodeSelector":"zone=a","s":"env=test,disk=ssd,x=y"}})");
  EXPECT_EQ(Ask({.name_space = "s", .object = Pod(R"({"nodeSelector":{"x":"y"}})")}), "");
  EXPECT_TRUE(Has(R"("nodeSelector":{"disk":"ssd","env":"test","x":"y"})")) << object_;
  EXPECT_EQ(Ask({.name_space = "s", .object = Pod(R"({"nodeSelector":{"env":"prod"}})")}),
            In("pod node label selector conflicts with its namespace node label selector"));
  EXPECT_EQ(Ask({.name_space = "s", .object = Pod(R"({"nodeSelector":{"x":"z"}})")}),
            In("pod node label selector labels conflict with its namespace whitelist"));
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_TRUE(Has(R"("nodeSelector":{"zone":"a"})"));
  EXPECT_NE(Fault(MakePodNodeSelector(Context(), R"({"podNodeSelectorPluginConfig":{"a":"b"}})"))
                .find("podNodeSelectorPluginConfig.a"),
            std::string::npos);
}

TEST_F(PodPluginsTest, APriorityClassGivesAPodItsPriority) {
  Make(MakePriority);
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_TRUE(Has(R"("priority":0)"));
  EXPECT_TRUE(Has(R"("preemptionPolicy":"PreemptLowerPriority")"));
  Add(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},
          "value":7,"preemptionPolicy":"Never"})");
  EXPECT_EQ(AskPod(R"({"priorityClassName":"high"})"), "");
  EXPECT_TRUE(Has(R"("priority":7)"));
  EXPECT_TRUE(Has(R"("preemptionPolicy":"Never")"));
  EXPECT_EQ(AskPod(R"({"priorityClassName":"none"})"),
            In("no PriorityClass with name none was found"));
  EXPECT_EQ(AskPod(R"({"priorityClassName":"high","priority":8})"),
            In("the integer value of priority (8) must not be provided in pod spec; priority "
               "admission controller computed 7 from the given PriorityClass name"));
  EXPECT_EQ(AskPod(R"({"priorityClassName":"high","preemptionPolicy":"PreemptLowerPriority"})"),
            In("the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided "
               "in pod spec; priority admission controller computed Never from the given "
               "PriorityClass name"));
  EXPECT_EQ(UpdatePod(R"({"priority":7,"preemptionPolicy":"Never"})", "{}"), "");
  EXPECT_TRUE(Has(R"("priority":7)"));
}

TEST_F(PodPluginsTest, TheLowestDefaultPriorityClassCountsAndThereIsOne) {
  Make(MakePriority);
  const auto add = [&](const std::string& name, const std::string& value) {
    Add(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":")" +
        name + R"("},"value":)" + value + R"(,"globalDefault":true})");
  };
  const auto create = [&](AdmissionOperation operation, const std::string& name) {
    return Ask({.operation = operation,
                .resource = "scheduling.k8s.io/priorityclasses",
                .name_space = "",
                .name = name,
                .object = R"({"globalDefault":true})",
                .old = operation == AdmissionOperation::kUpdate ? "{}" : ""});
  };
  EXPECT_EQ(create(AdmissionOperation::kCreate, "first"), "");
  add("b", "5");
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_TRUE(Has(R"("priorityClassName":"b")"));
  add("c", "9");
  add("a", "3");
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_TRUE(Has(R"("priorityClassName":"a")"));
  EXPECT_TRUE(Has(R"("priority":3)"));
  EXPECT_EQ(create(AdmissionOperation::kCreate, "d"),
            "priorityclasses.scheduling.k8s.io \"d\" is forbidden: PriorityClass a is already "
            "marked as default. Only one default can exist");
  EXPECT_EQ(create(AdmissionOperation::kUpdate, "a"), "");
  EXPECT_NE(create(AdmissionOperation::kUpdate, "z"), "");
}

TEST_F(PodPluginsTest, ARuntimeClassBringsOverheadAndScheduling) {
  Add(R"({"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"vm"},
          "handler":"kata","overhead":{"podFixed":{"memory":"1Gi"}},
          "scheduling":{"nodeSelector":{"vm":"yes"},
                        "tolerations":[{"key":"vm","operator":"Exists"}]}})");
  Make(MakeRuntimeClass);
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_EQ(AskPod(R"({"runtimeClassName":"vm","nodeSelector":{"a":"b"}})"), "");
  EXPECT_TRUE(Has(R"("overhead":{"memory":"1Gi"})")) << object_;
  EXPECT_TRUE(Has(R"("nodeSelector":{"a":"b","vm":"yes"})"));
  EXPECT_TRUE(Has(R"("tolerations":[{"key":"vm","operator":"Exists"}])"));
  EXPECT_EQ(AskPod(R"({"runtimeClassName":"vm","overhead":{"memory":"1024Mi"}})"), "");
  EXPECT_EQ(AskPod(R"({"runtimeClassName":"vm","overhead":{"memory":"2Gi"}})"),
            In("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"));
  EXPECT_EQ(AskPod(R"({"overhead":{"memory":"2Gi"}})"),
            In("pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
               "Overhead"));
  EXPECT_EQ(AskPod(R"({"runtimeClassName":"vm","nodeSelector":{"vm":"no"}})"),
            In("conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
               "pod.spec.nodeSelector[vm] = no"));
  EXPECT_EQ(AskPod(R"({"runtimeClassName":"none"})"),
            In("pod rejected: RuntimeClass \"none\" not found"));
}

TEST_F(PodPluginsTest, PodsAndBindingsGetTheTopologyOfTheNode) {
  Add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":
          {"topology.kubernetes.io/zone":"z","topology.kubernetes.io/region":"r","other":"o"}}})");
  gates_.insert("PodTopologyLabelsAdmission");
  Make(MakePodTopologyLabels);
  const std::string labels =
      R"("labels":{"topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"z"})";
  EXPECT_EQ(AskPod(R"({"nodeName":"n"})"), "");
  EXPECT_TRUE(Has(labels)) << object_;
  EXPECT_EQ(AskPod("{}"), "");
  EXPECT_FALSE(Has("labels"));
  EXPECT_EQ(Ask({.subresource = "binding", .object = R"({"target":{"kind":"Node","name":"n"}})"}),
            "");
  EXPECT_TRUE(Has(labels)) << object_;
  EXPECT_EQ(Ask({.subresource = "binding", .object = R"({"target":{"kind":"Node","name":"m"}})"}),
            "");
  EXPECT_FALSE(Has("labels"));
}

TEST_F(PodPluginsTest, APodNeedsWhatItsContainersNeedTogetherOrAtOnce) {
  const auto request = [](const std::string& spec) {
    const object::Document pod = *object::DecodeJson(Pod(spec), views::core_v1::Pod::Type());
    const quota::ResourceList all =
        quota::PodRequests(views::core_v1::Pod(pod), {.with_overhead = true});
    return all.contains("cpu") ? all.at("cpu").ToString() : "0";
  };
  const auto container = [](const std::string& cpu, const std::string& rest = {}) {
    return R"({"resources":{"requests":{"cpu":")" + cpu + R"("}})" + rest + "}";
  };
  const std::string sidecar = container("1", R"(,"restartPolicy":"Always")");
  EXPECT_EQ(request("{}"), "0");
  EXPECT_EQ(request(R"({"containers":[)" + container("1") + "," + container("500m") + "]}"),
            "1500m");
  EXPECT_EQ(request(R"({"initContainers":[)" + container("4") + R"(],"containers":[)" +
                    container("1") + "]}"),
            "4");
  EXPECT_EQ(request(R"({"initContainers":[)" + sidecar + "," + container("4") +
                    R"(],"containers":[)" + container("1") + "]}"),
            "5");
  EXPECT_EQ(request(R"({"initContainers":[)" + sidecar + R"(],"containers":[)" + container("1") +
                    R"(],"overhead":{"cpu":"1"}})"),
            "3");
  EXPECT_EQ(
      request(R"({"resources":{"requests":{"cpu":"9"}},"containers":[)" + container("1") + "]}"),
      "9");
}

TEST_F(PodPluginsTest, APodGrowsWithinItsNode) {
  Add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
          "status":{"allocatable":{"cpu":"2","memory":"1Gi"}}})");
  Add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"w",
          "labels":{"kubernetes.io/os":"windows"}}})");
  gates_.insert("InPlacePodVerticalScaling");
  Make(MakePodResizeValidator);
  const auto spec = [](const std::string& node, const std::string& cpu) {
    return R"({"nodeName":")" + node +
           R"(","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]})";
  };
  EXPECT_EQ(UpdatePod(spec("n", "1"), spec("n", "2"), "resize"), "");
  EXPECT_EQ(UpdatePod(spec("n", "1"), spec("n", "3"), "resize"),
            In("node didn't have enough allocatable resources: cpu, requested: 3000, allocatable: "
               "2000"));
  ASSERT_EQ(status_->causes().size(), 1U);
  EXPECT_EQ(status_->causes()[0].reason, "NodeCapacity");
  EXPECT_EQ(UpdatePod(spec("w", "1"), spec("w", "2"), "resize"),
            In("pod resize is only supported on linux nodes, node \"w\" is \"windows\""));
  EXPECT_EQ(UpdatePod(spec("m", "1"), spec("m", "2"), "resize"), In("node \"m\" not found"));
  EXPECT_EQ(UpdatePod(spec("n", "1"), spec("n", "3")), "");
}

TEST_F(PodPluginsTest, AChangeNeedsAFeatureThatTheNodeDeclares) {
  Add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"old"}})");
  Add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"new"},"status":{"declaredFeatures":
          ["InPlacePodLevelResourcesVerticalScaling",
           "InPlacePodVerticalScalingInitContainers"]}})");
  gates_.insert("NodeDeclaredFeatures");
  Make(MakeNodeDeclaredFeatureValidator);
  const auto spec = [](const std::string& node, const std::string& rest) {
    return R"({"nodeName":")" + node + "\"" + rest + "}";
  };
  const std::string whole = R"(,"resources":{"requests":{"cpu":"2"}})";
  const std::string one =
      R"(,"initContainers":[{"name":"i","resources":{"requests":{"cpu":"1"}}}])";
  const std::string two =
      R"(,"initContainers":[{"name":"i","resources":{"requests":{"cpu":"2"}}}])";
  EXPECT_EQ(UpdatePod(spec("new", ""), spec("new", whole), "resize"), "");
  EXPECT_EQ(UpdatePod(spec("old", ""), spec("old", whole), "resize"),
            In("pod update requires features InPlacePodLevelResourcesVerticalScaling which are "
               "not available on node \"old\""));
  EXPECT_NE(UpdatePod(spec("old", one), spec("old", two), "resize"), "");
  EXPECT_EQ(UpdatePod(spec("new", one), spec("new", two), "resize"), "");
  EXPECT_EQ(UpdatePod(spec("old", one), spec("old", one), "resize"), "");
}

}  // namespace
}  // namespace skiff::apiserver
