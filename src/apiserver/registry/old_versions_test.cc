// Versions that can only be read.
#include <string>

#include <gtest/gtest.h>

#include "apiserver/convert/convert.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

std::string Converted(std::string_view json, std::string_view to) {
  const object::TypeMeta meta = object::PeekTypeMeta(json).value();
  const object::MessageDesc* type = object::FindKind(meta.api_version, meta.kind);
  EXPECT_NE(type, nullptr) << json;
  const Result<object::Document> object =
      Convert(*object::DecodeJson(json, type), object::FindKind(to, meta.kind));
  return object ? object::EncodeJson(object->root()) : object.error().ToString();
}

bool Has(const std::string& json, std::string_view part) {
  return json.find(part) != std::string::npos;
}

TEST(OldVersionsTest, KindsOfExtensionsHaveMoved) {
  EXPECT_TRUE(
      Has(Converted(R"({"kind":"ReplicaSet","apiVersion":"extensions/v1beta1"})", "apps/v1"),
          R"("apiVersion":"apps/v1")"));
  EXPECT_TRUE(Has(Converted(R"({"kind":"NetworkPolicy","apiVersion":"extensions/v1beta1",
                                "spec":{"policyTypes":["Ingress"]}})",
                            "networking.k8s.io/v1"),
                  R"("policyTypes":["Ingress"])"));
  EXPECT_FALSE(CanConvert(object::FindKind("extensions/v1beta1", "Scale"),
                          object::FindKind("autoscaling/v1", "Scale")));
}

TEST(OldVersionsTest, FormerFieldsOfWorkloadsAreAnnotations) {
  EXPECT_TRUE(Has(Converted(R"({"kind":"Deployment","apiVersion":"apps/v1beta1",
                                "spec":{"rollbackTo":{}}})",
                            "apps/v1"),
                  R"("annotations":{"deprecated.deployment.rollback.to":"0"})"));
  EXPECT_FALSE(
      Has(Converted(R"({"kind":"Deployment","apiVersion":"apps/v1beta1","spec":{}})", "apps/v1"),
          "annotations"));
  EXPECT_TRUE(Has(Converted(R"({"kind":"DaemonSet","apiVersion":"extensions/v1beta1",
                                "spec":{"templateGeneration":7}})",
                            "apps/v1"),
                  R"("annotations":{"deprecated.daemonset.template.generation":"7"})"));
}

TEST(OldVersionsTest, BackendsOfIngressesAreServices) {
  for (const std::string version : {"extensions/v1beta1", "networking.k8s.io/v1beta1"}) {
    const std::string ingress =
        Converted(R"({"kind":"Ingress","apiVersion":")" + version + R"(","spec":{
            "backend":{"serviceName":"a","servicePort":80},
            "rules":[{"http":{"paths":[{"path":"/x","backend":{"serviceName":"b","servicePort":
            "web"}}]}}]}})",
                  "networking.k8s.io/v1");
    EXPECT_TRUE(Has(ingress, R"("defaultBackend":{"service":{"name":"a","port":{"number":80}}})"))
        << ingress;
    EXPECT_TRUE(Has(ingress, R"("backend":{"service":{"name":"b","port":{"name":"web"}}})"))
        << ingress;
  }
}

TEST(OldVersionsTest, AnEmptySelectorOfABudgetMatchesNoPod) {
  const auto budget = [](const std::string& spec) {
    return Converted(
        R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1beta1","spec":)" + spec + "}",
        "policy/v1");
  };
  constexpr std::string_view kMark =
      R"("key":"pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match","operator":)";
  EXPECT_TRUE(Has(budget(R"({"selector":{}})"),
                  R"("selector":{"matchExpressions":[{)" + std::string(kMark) + R"("Exists"}]})"));
  EXPECT_FALSE(Has(budget("{}"), "selector"));
  EXPECT_TRUE(Has(budget(R"({"selector":{"matchExpressions":[{)" + std::string(kMark) +
                         R"("DoesNotExist"}]}})"),
                  R"("selector":{})"));
  EXPECT_TRUE(Has(budget(R"({"selector":{"matchLabels":{"a":"b"}}})"),
                  R"("selector":{"matchLabels":{"a":"b"}})"));
}

TEST(OldVersionsTest, TheZoneOfAnEndpointWasInItsTopology) {
  const std::string slice = Converted(
      R"({"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1beta1","addressType":"IPv4",
          "endpoints":[{"addresses":["10.0.0.1"],"nodeName":"n","topology":{
            "topology.kubernetes.io/zone":"z","kubernetes.io/hostname":"n","a":"b"}},
            {"addresses":["10.0.0.2"],"topology":{"kubernetes.io/hostname":"m"}}]})",
      "discovery.k8s.io/v1");
  EXPECT_TRUE(Has(slice, R"("deprecatedTopology":{"a":"b"},"nodeName":"n","zone":"z")")) << slice;
  EXPECT_TRUE(Has(slice, R"("deprecatedTopology":{"kubernetes.io/hostname":"m"})")) << slice;
}

TEST(OldVersionsTest, SharesOfPriorityLevelsAreNeverLeftOut) {
  for (const std::string version : {"v1beta1", "v1beta2"}) {
    EXPECT_TRUE(Has(Converted(R"({"kind":"PriorityLevelConfiguration","apiVersion":
        "flowcontrol.apiserver.k8s.io/)" +
                                  version + R"(","spec":{"type":"Limited","limited":{
        "assuredConcurrencyShares":5}}})",
                              "flowcontrol.apiserver.k8s.io/v1"),
                    R"("nominalConcurrencyShares":5)"));
  }
  const std::string level = Converted(
      R"({"kind":"PriorityLevelConfiguration","apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3",
          "metadata":{"annotations":{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares":
          ""}},"spec":{"type":"Limited","limited":{}}})",
      "flowcontrol.apiserver.k8s.io/v1");
  EXPECT_TRUE(Has(level, R"("nominalConcurrencyShares":0)")) << level;
  EXPECT_FALSE(Has(level, "annotations")) << level;
}

TEST(OldVersionsTest, SubjectsHaveAGroupInsteadOfAVersion) {
  const std::string binding = Converted(
      R"({"kind":"RoleBinding","apiVersion":"rbac.authorization.k8s.io/v1alpha1","subjects":[
          {"kind":"User","name":"u"},{"kind":"User","name":"*"},
          {"kind":"ServiceAccount","apiVersion":"v1","name":"s"},
          {"kind":"Odd","apiVersion":"a.b/v1","name":"o"}],"roleRef":{}})",
      "rbac.authorization.k8s.io/v1");
  EXPECT_TRUE(Has(binding, R"({"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"u"})"))
      << binding;
  EXPECT_TRUE(Has(binding, R"({"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":)"
                           R"("system:authenticated"})"))
      << binding;
  EXPECT_TRUE(Has(binding, R"({"kind":"ServiceAccount","name":"s"})")) << binding;
  EXPECT_TRUE(Has(binding, R"({"kind":"Odd","apiGroup":"a.b","name":"o"})")) << binding;
}

TEST(OldVersionsTest, RuntimeClassesHadASpec) {
  const std::string runtime = Converted(
      R"({"kind":"RuntimeClass","apiVersion":"node.k8s.io/v1alpha1","spec":{"runtimeHandler":"h",
          "scheduling":{"nodeSelector":{"a":"b"}}}})",
      "node.k8s.io/v1");
  EXPECT_TRUE(Has(runtime, R"("handler":"h")")) << runtime;
  EXPECT_TRUE(Has(runtime, R"("scheduling":{"nodeSelector":{"a":"b"}})")) << runtime;
}

TEST(OldVersionsTest, EventsOfTheFirstVersionAreEventsOfTheCoreGroup) {
  const std::string event = Converted(
      R"({"kind":"Event","apiVersion":"events.k8s.io/v1beta1","note":"n","regarding":{"name":"p"},
          "deprecatedCount":2})",
      "v1");
  EXPECT_TRUE(Has(event, R"("involvedObject":{"name":"p"})")) << event;
  EXPECT_TRUE(Has(event, R"("message":"n")")) << event;
  EXPECT_TRUE(Has(event, R"("count":2)")) << event;
}

}  // namespace
}  // namespace skiff::apiserver
