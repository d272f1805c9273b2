#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

TEST(SchedulingRulesTest, PrioritiesOfTheSystemAreItsOwn) {
  const RulesTester classes("scheduling.k8s.io/v1", "PriorityClass",
                            R"({"metadata": {"name": "p"}, "value": 1000000000,
                                "preemptionPolicy": "Never"})");
  classes.ExpectNew({
      {"value=1000000001", "value Forbidden"},
      {"preemptionPolicy=Maybe", "preemptionPolicy NotSupported"},
      {"preemptionPolicy=''", "preemptionPolicy Required"},
      {"metadata.name=system-mine", "metadata.name Forbidden"},
      {"metadata.name=system-node-critical & value=1", "metadata.name Forbidden"},
      {"metadata.name=system-node-critical & value=2000001000", ""},
      {"metadata.name=system-cluster-critical & value=2000000000 & globalDefault=true",
       "metadata.name Forbidden"},
  });
  classes.ExpectChanged({
      {"", "value=5", "value Forbidden"},
      {"", "preemptionPolicy=PreemptLowerPriority", "preemptionPolicy Invalid"},
      {"", "description=x & globalDefault=true", ""},
  });
}

TEST(SchedulingRulesTest, AWorkloadIsMadeOfGroups) {
  const RulesTester workloads("scheduling.k8s.io/v1alpha2", "Workload",
                              R"({"spec": {"controllerRef": {"kind": "Job", "name": "j"},
                                  "podGroupTemplates": [{"name": "g",
                                    "schedulingPolicy": {"gang": {"minCount": 2}}}]}})");
  const std::string at = "spec.podGroupTemplates[0]";
  workloads.ExpectNew({
      {"spec.controllerRef.kind=", "spec.controllerRef.kind Required"},
      {"spec.controllerRef.name=a/b", "spec.controllerRef.name Invalid"},
      {"spec.controllerRef.apiGroup=A", "spec.controllerRef.apiGroup Invalid"},
      {"spec.podGroupTemplates=", "spec.podGroupTemplates Required"},
      {at + ".name=", at + ".name Required"},
      {at + ".schedulingPolicy=", at + ".schedulingPolicy Invalid"},
      {at + ".schedulingPolicy.basic={}", at + ".schedulingPolicy Invalid"},
      {at + ".schedulingPolicy.gang.minCount=-1", at + ".schedulingPolicy.gang.minCount Invalid"},
      {at + ".resourceClaims=[{\"name\":\"c\"}]", at + ".resourceClaims[0] Invalid"},
      {at + ".resourceClaims=[{\"name\":\"c\",\"resourceClaimName\":\"r\"}]", ""},
      {at + ".priority=1000000001", at + ".priority Invalid"},
  });
  workloads.ExpectChanged({{"", "spec.controllerRef.name=k", "spec.controllerRef Invalid"},
                           {"", at + ".name=h", "spec.podGroupTemplates Invalid"}});
}

TEST(SchedulingRulesTest, AGroupOfPodsIsAsItWasMade) {
  const RulesTester groups("scheduling.k8s.io/v1alpha2", "PodGroup",
                           R"({"spec": {"schedulingPolicy": {"basic": {}},
                               "resourceClaims": [{"name": "c", "resourceClaimName": "r"}]}})");
  groups.ExpectNew({
      {"spec.podGroupTemplateRef={}", "spec.podGroupTemplateRef Invalid"},
      {"spec.podGroupTemplateRef.workload.workloadName=w",
       "spec.podGroupTemplateRef.workload.podGroupTemplateName Required"},
      {"spec.resourceClaims[0].name=A", "spec.resourceClaims[0].name Invalid"},
      {"spec.schedulingConstraints.topology=[{\"key\":\"a b\"}]",
       "spec.schedulingConstraints.topology[0].key Invalid"},
      {"spec.schedulingConstraints.topology=[{\"key\":\"a\"},{\"key\":\"b\"}]",
       "spec.schedulingConstraints.topology TooMany"},
      {"spec.priorityClassName=A", "spec.priorityClassName Invalid"},
      {"spec.disruptionMode=Never", "spec.disruptionMode NotSupported"},
  });
  groups.ExpectChanged(
      {{"", "spec.schedulingPolicy={\"gang\":{\"minCount\":1}}", "spec.schedulingPolicy Invalid"},
       {"", "spec.resourceClaims=", "spec.resourceClaims Invalid"}});
  groups.ExpectChanged({{"", "status.resourceClaimStatuses=[{\"name\":\"d\"}]",
                         "status.resourceClaimStatuses[0].name Invalid"},
                        {"", "status.resourceClaimStatuses=[{\"name\":\"c\"}]", ""}},
                       "status");
}

}  // namespace
}  // namespace skiff::apiserver
