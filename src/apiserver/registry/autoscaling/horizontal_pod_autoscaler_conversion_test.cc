#include <string>

#include <gtest/gtest.h>

#include "apiserver/convert/convert.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"

namespace skiff::apiserver {
namespace {

object::Document Read(std::string_view json, std::string_view api_version) {
  auto object = object::DecodeJson(json, object::FindKind(api_version, "HorizontalPodAutoscaler"));
  EXPECT_TRUE(object) << object.error().ToString();
  return object ? std::move(*object) : object::Document();
}

object::Document To(std::string_view api_version, const object::Document& object) {
  auto out = Convert(object, object::FindKind(api_version, "HorizontalPodAutoscaler"));
  EXPECT_TRUE(out);
  return out ? std::move(*out) : object::Document();
}

// `rest` is what follows the metadata; annotations are pairs of a short name and a value.
std::string V1(std::initializer_list<std::pair<std::string_view, std::string_view>> annotations,
               std::string_view rest) {
  ByteBuffer out;
  out.Append(R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{)");
  out.Append(R"("name":"h")");
  char before = '{';
  for (const auto& [name, value] : annotations) {
    if (before == '{') out.Append(",\"annotations\":");
    out.Append(std::exchange(before, ','));
    object::AppendJsonString(out, "autoscaling.alpha.kubernetes.io/" + std::string(name));
    out.Append(':');
    object::AppendJsonString(out, value);
  }
  if (before == ',') out.Append('}');
  out.Append("},");
  out.Append(rest);
  out.Append('}');
  return out.ToString();
}

std::string V2(std::string_view rest) {
  return R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{)"
         R"("name":"h"},)" +
         std::string(rest) + "}";
}

std::string Normal(std::string_view json, std::string_view api_version) {
  return object::EncodeJson(Read(json, api_version).root());
}

void ExpectToV1(std::string_view v2, std::string_view v1) {
  EXPECT_EQ(object::EncodeJson(To("autoscaling/v1", Read(v2, "autoscaling/v2")).root()),
            Normal(v1, "autoscaling/v1"));
}
void ExpectToV2(std::string_view v1, std::string_view v2) {
  EXPECT_EQ(object::EncodeJson(To("autoscaling/v2", Read(v1, "autoscaling/v1")).root()),
            Normal(v2, "autoscaling/v2"));
}
void ExpectBothWays(std::string_view v1, std::string_view v2) {
  ExpectToV1(v2, v1);
  ExpectToV2(v1, v2);
}

constexpr std::string_view kStatus =
    R"("status":{"currentReplicas":1,"desiredReplicas":2,"observedGeneration":4})";

TEST(AutoscalingRulesTest, UseOfCpuIsAFieldOfV1) {
  ExpectBothWays(V1({}, R"("spec":{"scaleTargetRef":{"kind":"D","name":"d","apiVersion":"apps/v1"},
                "minReplicas":1,"maxReplicas":3,"targetCPUUtilizationPercentage":50},)" +
                            std::string(kStatus)),
                 V2(R"("spec":{"scaleTargetRef":{"kind":"D","name":"d","apiVersion":"apps/v1"},
            "minReplicas":1,"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu",
            "target":{"type":"Utilization","averageUtilization":50}}}]},)" +
                    std::string(kStatus)));
}

TEST(AutoscalingRulesTest, NothingSetIsEightyPercentOfCpu) {
  ExpectToV2(V1({}, R"("spec":{"scaleTargetRef":{},"maxReplicas":3})"),
             V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"metrics":[{"type":"Resource",
                   "resource":{"name":"cpu","target":{"type":"Utilization",
                   "averageUtilization":80}}}]})"));
}

TEST(AutoscalingRulesTest, OtherMetricsTravelInAnAnnotationAndComeFirst) {
  ExpectBothWays(
      V1({{"metrics",
           R"([{"type":"Object","object":{"target":{"kind":"S","name":"s"},"metricName":"m",)"
           R"("targetValue":"5","selector":{"matchLabels":{"a":"1"}}}},)"
           R"({"type":"Object","object":{"target":{"kind":"S","name":"s"},"metricName":"m",)"
           R"("targetValue":"0","averageValue":"6"}},)"
           R"({"type":"Pods","pods":{"metricName":"p","targetAverageValue":"7"}},)"
           R"({"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},)"
           R"({"type":"ContainerResource","containerResource":{"name":"cpu",)"
           R"("targetAverageUtilization":9,"container":"c"}},)"
           R"({"type":"External","external":{"metricName":"e","metricSelector":{},)"
           R"("targetValue":"8"}},)"
           R"({"type":"External","external":{"metricName":"e","targetAverageValue":"9"}}])"}},
         R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"targetCPUUtilizationPercentage":50})"),
      V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"metrics":[
        {"type":"Object","object":{"describedObject":{"kind":"S","name":"s"},
         "metric":{"name":"m","selector":{"matchLabels":{"a":"1"}}},
         "target":{"type":"Value","value":"5"}}},
        {"type":"Object","object":{"describedObject":{"kind":"S","name":"s"},"metric":{"name":"m"},
         "target":{"type":"AverageValue","averageValue":"6"}}},
        {"type":"Pods","pods":{"metric":{"name":"p"},
         "target":{"type":"AverageValue","averageValue":"7"}}},
        {"type":"Resource","resource":{"name":"memory",
         "target":{"type":"AverageValue","averageValue":"1Gi"}}},
        {"type":"ContainerResource","containerResource":{"name":"cpu","container":"c",
         "target":{"type":"Utilization","averageUtilization":9}}},
        {"type":"External","external":{"metric":{"name":"e","selector":{}},
         "target":{"type":"Value","value":"8"}}},
        {"type":"External","external":{"metric":{"name":"e"},
         "target":{"type":"AverageValue","averageValue":"9"}}},
        {"type":"Resource","resource":{"name":"cpu",
         "target":{"type":"Utilization","averageUtilization":50}}}]})"));
}

TEST(AutoscalingRulesTest, StatusesAreAnnotatedEvenWhenV1HasAField) {
  // As kube-apiserver answers when the status has been written in v1.
  ExpectToV1(V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3},"status":{"desiredReplicas":2,
                   "currentMetrics":[{"type":"Resource","resource":{"name":"cpu",
                   "current":{"averageUtilization":40}}}]})"),
             V1({{"current-metrics",
                  R"([{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,)"
                  R"("currentAverageValue":"0"}}])"}},
                R"("spec":{"scaleTargetRef":{},"maxReplicas":3},
                   "status":{"desiredReplicas":2,"currentCPUUtilizationPercentage":40})"));
  ExpectToV2(V1({}, R"("spec":{"scaleTargetRef":{},"maxReplicas":3,
                       "targetCPUUtilizationPercentage":1},
                       "status":{"currentCPUUtilizationPercentage":40})"),
             V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"metrics":[{"type":"Resource",
                   "resource":{"name":"cpu","target":{"type":"Utilization",
                   "averageUtilization":1}}}]},
                   "status":{"currentMetrics":[{"type":"Resource","resource":{"name":"cpu",
                   "current":{"averageUtilization":40}}}]})"));
}

TEST(AutoscalingRulesTest, StatusesOfOtherMetricsReturn) {
  const std::string metrics =
      R"([{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue",)"
      R"("averageValue":"1"}}}])";
  ExpectBothWays(
      V1({{"conditions", R"([{"type":"AbleToScale","status":"True","lastTransitionTime":)"
                         R"("2026-01-10T11:00:00Z","reason":"r","message":"m"}])"},
          {"current-metrics",
           R"([{"type":"Pods","pods":{"metricName":"p","currentAverageValue":"7"}},)"
           R"({"type":"Object","object":{"target":{"kind":"S","name":"s"},"metricName":"o",)"
           R"("currentValue":"3"}},)"
           R"({"type":"External","external":{"metricName":"e","currentValue":"0",)"
           R"("currentAverageValue":"2"}}])"},
          {"metrics", R"([{"type":"Resource","resource":{"name":"memory",)"
                      R"("targetAverageValue":"1"}}])"}},
         R"("spec":{"scaleTargetRef":{},"maxReplicas":3},"status":{})"),
      V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"metrics":)" + metrics + R"(},"status":{
            "currentMetrics":[
             {"type":"Pods","pods":{"metric":{"name":"p"},"current":{"averageValue":"7"}}},
             {"type":"Object","object":{"metric":{"name":"o"},"current":{"value":"3"},
              "describedObject":{"kind":"S","name":"s"}}},
             {"type":"External","external":{"metric":{"name":"e"},
              "current":{"value":"0","averageValue":"2"}}}],
            "conditions":[{"type":"AbleToScale","status":"True",
             "lastTransitionTime":"2026-01-10T11:00:00Z","reason":"r","message":"m"}]})"));
}

TEST(AutoscalingRulesTest, BehaviourTravelsWithCapitals) {
  ExpectBothWays(
      V1({{"behavior",
           R"({"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":)"
           R"([{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":"100m"},)"
           R"("ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Disabled",)"
           R"("Policies":null,"Tolerance":null}})"}},
         R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"targetCPUUtilizationPercentage":50})"),
      V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"metrics":[{"type":"Resource",
            "resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}],
            "behavior":{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max",
            "policies":[{"type":"Pods","value":4,"periodSeconds":15}],"tolerance":"100m"},
            "scaleDown":{"selectPolicy":"Disabled"}}})"));
}

TEST(AutoscalingRulesTest, AnnotationsThatCannotBeReadAreDropped) {
  ExpectToV2(V1({{"metrics", "{"},
                 {"behavior", R"({"ScaleUp":5})"},
                 {"conditions", R"(["x"])"},
                 {"current-metrics", "7"},
                 {"scale-up-tolerance", "1"}},
                R"("spec":{"scaleTargetRef":{},"maxReplicas":3,
                   "targetCPUUtilizationPercentage":50},"status":{"currentReplicas":1})"),
             V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3,"metrics":[{"type":"Resource",
                   "resource":{"name":"cpu","target":{"type":"Utilization",
                   "averageUtilization":50}}}]},"status":{"currentReplicas":1})"));
}

TEST(AutoscalingRulesTest, AnnotationsOfOthersStay) {
  object::Document v2 =
      Read(V2(R"("spec":{"scaleTargetRef":{},"maxReplicas":3})"), "autoscaling/v2");
  object::Value& metadata = *v2.root().Find("metadata");
  metadata.Set(v2.arena(), "annotations", object::Value::EmptyMap());
  metadata.Find("annotations")->SetEntry(v2.arena(), "mine", object::Value::String("1"));
  metadata.Find("annotations")
      ->SetEntry(v2.arena(), "autoscaling.alpha.kubernetes.io/metrics",
                 object::Value::String("[]"));
  const object::Document v1 = To("autoscaling/v1", v2);
  EXPECT_EQ(object::EncodeJson(*v1.root().FindPath({"metadata", "annotations"})),
            R"({"mine":"1"})");
}

}  // namespace
}  // namespace skiff::apiserver
