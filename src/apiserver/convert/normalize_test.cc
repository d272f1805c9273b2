#include "apiserver/convert/normalize.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

object::Document Read(std::string_view api_version, std::string_view kind, std::string_view rest) {
  const std::string json = R"({"kind":")" + std::string(kind) + R"(","apiVersion":")" +
                           std::string(api_version) + "\"," + std::string(rest) + "}";
  auto object = object::DecodeJson(json, object::FindKind(api_version, kind));
  EXPECT_TRUE(object) << object.error().ToString();
  return object ? std::move(*object) : object::Document();
}

// Expects that an object, given without its kind, becomes another.
void Expect(std::string_view api_version, std::string_view kind, std::string_view before,
            std::string_view after) {
  object::Document object = Read(api_version, kind, before);
  const auto done = Normalize(object);
  ASSERT_TRUE(done) << done.error().ToString();
  EXPECT_EQ(object::EncodeJson(object.root()),
            object::EncodeJson(Read(api_version, kind, after).root()));
}

TEST(NormalizeTest, TheServiceAccountHasTwoNames) {
  Expect("v1", "Pod", R"("spec":{"serviceAccount":"a","containers":[]})",
         R"("spec":{"serviceAccountName":"a","serviceAccount":"a","containers":[]})");
  Expect("v1", "Pod", R"("spec":{"serviceAccount":"a","serviceAccountName":"b","containers":[]})",
         R"("spec":{"serviceAccountName":"b","serviceAccount":"b","containers":[]})");
  Expect("v1", "Pod", R"("spec":{"serviceAccountName":"b","containers":[]})",
         R"("spec":{"serviceAccountName":"b","serviceAccount":"b","containers":[]})");
}

TEST(NormalizeTest, TemplatesArePodsButForTheirGracePeriod) {
  const std::string before =
      R"({"metadata":{"annotations":{"pod.beta.kubernetes.io/init-containers":"x","a":"1"}},)"
      R"("spec":{"serviceAccount":"s","terminationGracePeriodSeconds":-5,"containers":[]}})";
  const std::string after =
      R"({"metadata":{"annotations":{"a":"1"}},"spec":{"serviceAccountName":"s",)"
      R"("serviceAccount":"s","terminationGracePeriodSeconds":-5,"containers":[]}})";
  for (const auto& [version, kind] :
       {std::pair("apps/v1", "Deployment"), std::pair("apps/v1", "ReplicaSet"),
        std::pair("apps/v1", "StatefulSet"), std::pair("apps/v1", "DaemonSet"),
        std::pair("v1", "ReplicationController"), std::pair("batch/v1", "Job")}) {
    Expect(version, kind, R"("spec":{"template":)" + before + "}",
           R"("spec":{"template":)" + after + "}");
  }
  Expect("v1", "PodTemplate", R"("template":)" + before, R"("template":)" + after);
  Expect("batch/v1", "CronJob", R"("spec":{"jobTemplate":{"spec":{"template":)" + before + "}}}",
         R"("spec":{"jobTemplate":{"spec":{"template":)" + after + "}}}");
}

TEST(NormalizeTest, PodsLoseOldAnnotationsAndNegativeGrace) {
  Expect("v1", "Pod",
         R"("metadata":{"annotations":{"pod.alpha.kubernetes.io/init-container-statuses":"x"}},
            "spec":{"terminationGracePeriodSeconds":-5,"containers":[]})",
         R"("metadata":{},"spec":{"terminationGracePeriodSeconds":1,"containers":[]})");
}

TEST(NormalizeTest, TheFirstAddressOfAPodStandsTwice) {
  Expect("v1", "Pod", R"("status":{"podIP":"1.1.1.1"})",
         R"("status":{"podIP":"1.1.1.1","podIPs":[{"ip":"1.1.1.1"}]})");
  Expect("v1", "Pod", R"("status":{"podIPs":[{"ip":"1.1.1.1"},{"ip":"fd00::1"}]})",
         R"("status":{"podIP":"1.1.1.1","podIPs":[{"ip":"1.1.1.1"},{"ip":"fd00::1"}]})");
  Expect("v1", "Pod", R"("status":{"podIP":"2.2.2.2","podIPs":[{"ip":"1.1.1.1"},{"ip":"x"}]})",
         R"("status":{"podIP":"2.2.2.2","podIPs":[{"ip":"2.2.2.2"}]})");
}

TEST(NormalizeTest, SoDoesTheFirstRangeOfANode) {
  Expect("v1", "Node", R"("spec":{"podCIDR":"10.0.0.0/24"})",
         R"("spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]})");
  Expect("v1", "Node", R"("spec":{"podCIDRs":["10.0.0.0/24","fd00::/64"]})",
         R"("spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24","fd00::/64"]})");
  Expect("v1", "Node", R"("spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.0.0.0/24"]})",
         R"("spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"]})");
}

TEST(NormalizeTest, StringsOfASecretOverwriteItsData) {
  Expect("v1", "Secret", R"("data":{"a":"AAEC","b":"AAEC"},"stringData":{"b":"hello","c":""})",
         R"("data":{"a":"AAEC","b":"aGVsbG8=","c":""})");
  Expect("v1", "Secret", R"("stringData":{"b":"hello"})", R"("data":{"b":"aGVsbG8="})");
}

TEST(NormalizeTest, ClaimsOfAStatefulSetSayWhatTheyAre) {
  Expect("apps/v1", "StatefulSet", R"("spec":{"volumeClaimTemplates":[{"metadata":{"name":"c"}}]})",
         R"("spec":{"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1",
            "metadata":{"name":"c"}}]})");
}

TEST(NormalizeTest, AnAutoscalerOfVersion2HasNoAnnotationsForWhatAreFields) {
  Expect("autoscaling/v2", "HorizontalPodAutoscaler",
         R"("metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/metrics":"[]","a":"b"}})",
         R"("metadata":{"annotations":{"a":"b"}})");
  Expect("autoscaling/v2", "HorizontalPodAutoscaler",
         R"("metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/scale-up-tolerance":"1"}})",
         R"("metadata":{})");
}

TEST(NormalizeTest, TheMarkOfEmptySelectorsStandsAlone) {
  const std::string mark =
      R"({"key":"pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match","operator":"Exists"})";
  const std::string alone = R"("spec":{"selector":{"matchExpressions":[)" + mark + "]}}";
  Expect("policy/v1", "PodDisruptionBudget", alone, alone);
  Expect("policy/v1", "PodDisruptionBudget",
         R"("spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":[)" + mark + "]}}",
         R"("spec":{"selector":{"matchLabels":{"a":"1"}}})");
  Expect("policy/v1", "PodDisruptionBudget",
         R"("spec":{"selector":{"matchExpressions":[)" + mark +
             R"(,{"key":"b","operator":"Exists"}]}})",
         R"("spec":{"selector":{"matchExpressions":[{"key":"b","operator":"Exists"}]}})");
}

TEST(NormalizeTest, AnnotationsOfFormerFieldsAreIntegers) {
  const auto annotated = [](std::string_view name, std::string_view value) {
    return R"("metadata":{"annotations":{")" + std::string(name) + R"(":")" + std::string(value) +
           "\"}}";
  };
  const std::string rollback = "deprecated.deployment.rollback.to";
  const std::string generation = "deprecated.daemonset.template.generation";
  Expect("apps/v1", "Deployment", annotated(rollback, "+007"), annotated(rollback, "7"));
  Expect("apps/v1", "Deployment", annotated(rollback, ""), R"("metadata":{})");
  Expect("apps/v1", "DaemonSet", annotated(generation, "-3"), annotated(generation, "-3"));
  for (const std::string_view bad : {"x", "1.5", "+-1", "9223372036854775808", "+"}) {
    object::Document deployment = Read("apps/v1", "Deployment", annotated(rollback, bad));
    const auto refused = Normalize(deployment);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().reason(), StatusReason::kBadRequest);
  }
  object::Document set = Read("apps/v1", "DaemonSet", annotated(generation, ""));
  EXPECT_FALSE(Normalize(set));
}

}  // namespace
}  // namespace skiff::apiserver
