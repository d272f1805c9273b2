#include "apiserver/registry/core/pod_fields.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

object::Document Pod(std::string_view json) {
  return object::DecodeJson(json, core::Pod::Type()).value();
}

std::string Part(const object::Document& pod, std::initializer_list<std::string_view> path) {
  const object::Value* found = pod.root().FindPath(path);
  return found != nullptr ? object::EncodeJson(*found) : "";
}

TEST(PodFieldsTest, ANewPodIsPendingWhateverItSays) {
  object::Document pod =
      Pod(R"({"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},
                         "status":{"phase":"Running","podIP":"1.1.1.1"}})");
  PrepareNewPod(pod, object::Timestamp{0, 0});
  EXPECT_EQ(Part(pod, {"status"}), R"({"phase":"Pending","qosClass":"Burstable"})");
}

TEST(PodFieldsTest, AGatedPodSaysThatItIsNotScheduled) {
  object::Document pod = Pod(R"({"spec":{"schedulingGates":[{"name":"g"}]}})");
  PrepareNewPod(pod, object::Timestamp{1, 0});
  const core::PodStatus status = core::Pod(pod).status();
  ASSERT_EQ(status.conditions().size(), 1u);
  EXPECT_EQ(status.conditions()[0].type(), "PodScheduled");
  EXPECT_EQ(status.conditions()[0].status(), "False");
  EXPECT_EQ(status.conditions()[0].reason(), "SchedulingGated");
}

TEST(PodFieldsTest, LabelKeysAreMergedIntoSelectors) {
  object::Document pod =
      Pod(R"({"metadata":{"labels":{"v":"1"}},"spec":{"topologySpreadConstraints":[
      {"labelSelector":{},"matchLabelKeys":["v","w"]},{"matchLabelKeys":["v"]}],
      "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
      {"labelSelector":{},"mismatchLabelKeys":["v"]}]}}}})");
  PrepareNewPod(pod, object::Timestamp{0, 0});
  const core::PodSpec spec = core::Pod(pod).spec();
  const auto constraints = spec.topology_spread_constraints();
  EXPECT_EQ(object::EncodeJson(*constraints[0].label_selector().AsValue()),
            R"({"matchExpressions":[{"key":"v","operator":"In","values":["1"]}]})");
  EXPECT_FALSE(constraints[1].has_label_selector());
  const auto terms =
      spec.affinity().pod_anti_affinity().required_during_scheduling_ignored_during_execution();
  EXPECT_EQ(object::EncodeJson(*terms[0].label_selector().AsValue()),
            R"({"matchExpressions":[{"key":"v","operator":"NotIn","values":["1"]}]})");
}

TEST(PodFieldsTest, AppArmorAnnotationsBecomeFields) {
  object::Document pod = Pod(R"({"metadata":{"annotations":{
      "container.apparmor.security.beta.kubernetes.io/c":"localhost/p",
      "container.apparmor.security.beta.kubernetes.io/d":"nonsense"}},
      "spec":{"containers":[{"name":"c"},{"name":"d"}]}})");
  PrepareNewPod(pod, object::Timestamp{0, 0});
  const auto containers = core::Pod(pod).spec().containers();
  EXPECT_EQ(object::EncodeJson(*containers[0].security_context().AsValue()),
            R"({"appArmorProfile":{"type":"Localhost","localhostProfile":"p"}})");
  EXPECT_FALSE(containers[1].has_security_context());
}

TEST(PodFieldsTest, AnAppArmorAnnotationIsDeprecatedUnlessAFieldSaysTheSame) {
  const std::string warning =
      "metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since "
      "v1.30; use the \"appArmorProfile\" field instead";
  const struct {
    std::string annotation;
    std::string spec;       // beside the containers
    std::string container;  // beside its name
    bool warns;
    bool taken;
  } cases[] = {
      {"runtime/default", "", "", true, true},
      {"nonsense", "", "", true, false},
      {"localhost/", "", "", true, false},
      {"localhost/ p", "", "", true, false},
      {"localhost/" + std::string(4096, 'p'), "", "", true, false},
      {"localhost/p", R"(,"securityContext":{"appArmorProfile":{"type":"Localhost",
          "localhostProfile":"p"}})",
       "", false, false},
      {"localhost/p", R"(,"securityContext":{"appArmorProfile":{"type":"Unconfined"}})", "", true,
       true},
      {"localhost/p", "", R"(,"securityContext":{"appArmorProfile":{"type":"Unconfined"}})", false,
       true},
      {"runtime/default", R"(,"os":{"name":"windows"})", "", false, false},
  };
  for (const auto& each : cases) {
    object::Document pod = Pod(R"({"metadata":{"annotations":{
        "container.apparmor.security.beta.kubernetes.io/c":")" +
                               each.annotation + R"("}},
        "spec":{"containers":[{"name":"c")" +
                               each.container + "}]" + each.spec + "}}");
    std::vector<std::string> warnings;
    PrepareNewPod(pod, object::Timestamp{0, 0}, &warnings);
    EXPECT_EQ(warnings, each.warns ? std::vector{warning} : std::vector<std::string>())
        << each.annotation;
    EXPECT_EQ(core::Pod(pod).spec().containers()[0].security_context().has_app_armor_profile(),
              each.taken)
        << each.annotation;
  }
}

TEST(PodFieldsTest, AStatusKeepsWhatOlderNodesDoNotSay) {
  object::Document old = Pod(R"({"spec":{"nodeName":"n"},"status":{"qosClass":"Burstable",
      "observedGeneration":3,"conditions":[{"type":"Ready","observedGeneration":2}]}})");
  object::Document pod =
      Pod(R"({"spec":{"nodeName":"m"},"status":{"conditions":[{"type":"Ready"}]}})");
  KeepAllButStatus(old, pod);
  const core::Pod after(pod);
  EXPECT_EQ(after.spec().node_name(), "n");
  EXPECT_EQ(after.status().qos_class(), "Burstable");
  EXPECT_EQ(after.status().observed_generation(), 3);
  EXPECT_EQ(after.status().conditions()[0].observed_generation(), 2);
}

TEST(PodFieldsTest, AResizeTakesResourcesAndNothingElse) {
  object::Document old =
      Pod(R"({"metadata":{"labels":{"a":"b"},"generation":4},"spec":{"nodeName":"n",
      "containers":[{"name":"c","image":"i"}]},"status":{"phase":"Running"}})");
  object::Document pod = Pod(R"({"metadata":{"generation":4},"spec":{"containers":[
      {"name":"c","image":"j","resources":{"requests":{"cpu":"1"}}}]}})");
  KeepAllButResources(old, pod);
  const core::Pod after(pod);
  EXPECT_EQ(after.spec().node_name(), "n");
  EXPECT_EQ(after.spec().containers()[0].image(), "i");
  EXPECT_EQ(after.spec().containers()[0].resources().requests().Get("cpu"), "1");
  EXPECT_EQ(after.status().phase(), "Running");
  EXPECT_EQ(after.metadata().labels().Get("a"), "b");
  EXPECT_EQ(after.metadata().generation(), 5);
}

TEST(PodFieldsTest, EphemeralContainersAreAllThatTheirSubresourceTakes) {
  object::Document old = Pod(R"({"metadata":{"generation":1},"spec":{"nodeName":"n"}})");
  object::Document pod = Pod(R"({"metadata":{"generation":1,"labels":{"a":"b"}},
      "spec":{"ephemeralContainers":[{"name":"e"}]},"status":{"phase":"Failed"}})");
  KeepAllButEphemeralContainers(old, pod);
  const core::Pod after(pod);
  EXPECT_EQ(after.spec().node_name(), "n");
  EXPECT_EQ(after.spec().ephemeral_containers().size(), 1u);
  EXPECT_EQ(after.status().phase(), "");
  EXPECT_TRUE(after.metadata().labels().empty());
  EXPECT_EQ(after.metadata().generation(), 2);
}

}  // namespace
}  // namespace skiff::apiserver
