#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

const RulesTester& Autoscaler() {
  static const RulesTester tester(
      "autoscaling/v2", "HorizontalPodAutoscaler",
      R"({"metadata": {"name": "h"}, "spec": {"minReplicas": 1, "maxReplicas": 3,
      "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}})");
  return tester;
}

std::string WithMetric(std::string_view json) {
  return Autoscaler().New("spec.metrics=[" + std::string(json) + "]");
}

TEST(HorizontalPodAutoscalerRulesTest, ItScalesToZeroWhereAGateAllowsIt) {
  const RulesTester scaler = Autoscaler().With({{"HPAScaleToZero", true}});
  scaler.ExpectNew({{"spec.minReplicas=0", "spec.metrics Forbidden"},
                    {"spec.minReplicas=-1", "spec.minReplicas Invalid"}});
}

TEST(HorizontalPodAutoscalerRulesTest, ItScalesSomethingBetweenLimits) {
  Autoscaler().ExpectNew({
      {"spec.minReplicas=0", "spec.minReplicas Invalid; spec.metrics Forbidden"},
      {"spec.maxReplicas=", "spec.maxReplicas Required; spec.maxReplicas Invalid"},
      {"spec.maxReplicas=-1", "spec.maxReplicas Invalid; spec.maxReplicas Invalid"},
      {"spec.minReplicas=4", "spec.maxReplicas Invalid"},
      {"spec.scaleTargetRef.kind=", "spec.scaleTargetRef.kind Required"},
      {"spec.scaleTargetRef.name=a/b", "spec.scaleTargetRef.name Invalid"},
      {"spec.scaleTargetRef.apiVersion=v1", "spec.scaleTargetRef.apiVersion Invalid"},
      {"spec.scaleTargetRef.apiVersion=v1 & spec.scaleTargetRef.kind=ReplicationController", ""},
      {"spec.scaleTargetRef.apiVersion=a/b/c", "spec.scaleTargetRef.apiVersion Invalid"},
  });
}

TEST(HorizontalPodAutoscalerRulesTest, AMetricHasTheSourceThatItsTypeNames) {
  const std::string at = "spec.metrics[0]";
  EXPECT_EQ(WithMetric(R"({"type":"Resource","resource":{"name":"cpu",
      "target":{"type":"Utilization","averageUtilization":50}}})"),
            "");
  EXPECT_EQ(WithMetric(R"({})"),
            at + ".type Required; " + at + ".type NotSupported; " + at + ".type NotSupported");
  EXPECT_EQ(WithMetric(R"({"type":"Pods"})"), at + ".pods Required");
  EXPECT_EQ(WithMetric(R"({"type":"Resource","resource":{"name":"","target":{}}})"),
            at + ".resource.name Required; " + at + ".resource.target.type Required; " + at +
                ".resource.target.type Invalid; " + at +
                ".resource.target.averageUtilization Required");
  EXPECT_EQ(WithMetric(R"({"type":"Resource","resource":{"name":"cpu","target":{
      "type":"Utilization","averageUtilization":0,"averageValue":"-1"}}})"),
            at + ".resource.target.averageValue Invalid; " + at +
                ".resource.target.averageUtilization Invalid; " + at +
                ".resource.target.averageValue Forbidden");
  EXPECT_EQ(WithMetric(R"({"type":"Pods","pods":{"metric":{"name":"m"},
      "target":{"type":"AverageValue"}}})"),
            at + ".pods.target.averageValue Required");
  EXPECT_EQ(WithMetric(R"({"type":"External","external":{"metric":{"name":"a/b"},
      "target":{"type":"Value","value":"1","averageValue":"1"}}})"),
            at + ".external.metric.name Invalid; " + at + ".external.target.value Forbidden");
  EXPECT_EQ(WithMetric(R"({"type":"Object","object":{"metric":{"name":"m"},
      "describedObject":{"kind":"Pod","name":"p","apiVersion":"v1"},"target":{"type":"Value"}}})"),
            at + ".object.target.averageValue Required");
  EXPECT_EQ(
      WithMetric(R"({"type":"ContainerResource","containerResource":{"name":"x",
      "container":"","target":{"type":"Value","averageValue":"1"}}})"),
      at + ".containerResource.name Invalid; " + at + ".containerResource.container Required");
  EXPECT_EQ(WithMetric(R"({"type":"Pods","pods":{"metric":{"name":"m"},"target":
      {"type":"AverageValue","averageValue":"1"}},"resource":{"name":"cpu"}})"),
            at + ".resource Forbidden");
}

TEST(HorizontalPodAutoscalerRulesTest, BehaviourHasPolicies) {
  const auto rules = [](std::string_view json) {
    return Autoscaler().New("spec.behavior.scaleUp=" + std::string(json));
  };
  const std::string at = "spec.behavior.scaleUp";
  EXPECT_EQ(rules(R"({"policies":[{"type":"Pods","value":1,"periodSeconds":60}]})"), "");
  EXPECT_EQ(rules("{}"), at + ".policies Required");
  EXPECT_EQ(rules(R"({"stabilizationWindowSeconds":3601,"selectPolicy":"X","tolerance":"-1",
      "policies":[{"type":"X","value":0,"periodSeconds":1801}]})"),
            at + ".stabilizationWindowSeconds Invalid; " + at + ".selectPolicy NotSupported; " +
                at + ".policies[0].type NotSupported; " + at + ".policies[0].value Invalid; " + at +
                ".policies[0].periodSeconds Invalid; " + at + ".tolerance Invalid");
  EXPECT_EQ(
      rules(R"({"stabilizationWindowSeconds":-1,
      "policies":[{"type":"Pods","value":1,"periodSeconds":0}]})"),
      at + ".stabilizationWindowSeconds Invalid; " + at + ".policies[0].periodSeconds Invalid");
}

TEST(HorizontalPodAutoscalerRulesTest, WhatWasStoredMayStay) {
  Autoscaler().ExpectChanged({
      {"spec.scaleTargetRef.apiVersion=v1", "spec.maxReplicas=5", ""},
      {"spec.scaleTargetRef.apiVersion=v1", "spec.scaleTargetRef.kind=ReplicaSet",
       "spec.scaleTargetRef.apiVersion Invalid"},
      {"spec.minReplicas=0", "spec.maxReplicas=5", "spec.metrics Forbidden"},
  });
  Autoscaler().ExpectChanged({{"", "status.currentReplicas=-1 & status.desiredReplicas=-1",
                               "status.currentReplicas Invalid; status.desiredReplicas Invalid"}},
                             "status");
}

TEST(AutoscalerRulesTest, MessagesAreThoseOfKubernetes) {
  EXPECT_EQ(Autoscaler().NewMessages("spec.scaleTargetRef.apiVersion=a/b/c"),
            "spec.scaleTargetRef.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion "
            "string: a/b/c");
  EXPECT_EQ(Autoscaler().NewMessages(
                "spec.metrics=[{\"type\": \"Pods\", \"pods\": {\"metric\": {\"name\": \"\"}, "
                "\"target\": {\"type\": \"AverageValue\", \"averageValue\": \"0\"}}}]"),
            "spec.metrics[0].pods.metric.name: Required value: must specify a metric name; "
            "spec.metrics[0].pods.target.averageValue: Invalid value: \"0\": must be positive");
}

}  // namespace
}  // namespace skiff::apiserver
