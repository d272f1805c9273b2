#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

constexpr std::string_view kVersion = "resource.k8s.io/v1";

RulesTester Claims() {
  return {kVersion, "ResourceClaim",
          R"({"spec": {"devices": {
                "requests": [{"name": "gpu", "exactly": {"deviceClassName": "c",
                  "allocationMode": "ExactCount", "count": 1}}],
                "constraints": [{"requests": ["gpu"], "matchAttribute": "example.com/numa"}],
                "config": [{"requests": ["gpu"], "opaque": {"driver": "d.com",
                  "parameters": {"kind": "K"}}}]}}})"};
}

TEST(ResourceRulesTest, AClaimRequestsDevices) {
  const std::string devices = "spec.devices.";
  const std::string request = devices + "requests[0]";
  const std::string exactly = request + ".exactly.";
  Claims().ExpectNew({
      {request + ".name=A", request + ".name Invalid; " + devices +
                                "constraints[0].requests[0] Invalid; " + devices +
                                "config[0].requests[0] Invalid"},
      {request + ".exactly=", request + " Required"},
      {request + ".firstAvailable=[{\"name\":\"a\"}]", request + " Invalid"},
      {exactly + "deviceClassName=", exactly + "deviceClassName Required"},
      {exactly + "deviceClassName=A", exactly + "deviceClassName Invalid"},
      {exactly + "allocationMode=Some", exactly + "allocationMode NotSupported"},
      {exactly + "count=0", exactly + "count Invalid"},
      {exactly + "allocationMode=All", exactly + "count Invalid"},
      {exactly + "selectors=[{}]", exactly + "selectors[0].cel Required"},
      {exactly + "selectors=[{\"cel\":{\"expression\":\"true\"}}]", ""},
      {exactly + "selectors=[{\"cel\":{\"expression\":\"\"}}]",
       exactly + "selectors[0].cel.expression Invalid"},
      {exactly +
           "selectors=[{\"cel\":{\"expression\":\"device.attributes[\\\"a.example.com\\\"].x\"}}]",
       ""},
      {exactly + "tolerations=[{\"key\":\"a b\",\"operator\":\"Equal\"}]",
       exactly + "tolerations[0].key Invalid"},
      {exactly + "tolerations=[{}]", exactly + "tolerations[0].operator Required"},
      {exactly + "tolerations=[{\"operator\":\"Exists\",\"value\":\"x\"}]",
       exactly + "tolerations[0].value Invalid"},
      {devices + "requests[1]={\"name\":\"gpu\",\"exactly\":{\"deviceClassName\":\"c\","
                 "\"allocationMode\":\"All\"}}",
       devices + "requests[1] Duplicate"},
      {devices + "constraints[0].requests[0]=tpu", devices + "constraints[0].requests[0] Invalid"},
      {devices + "constraints[0].requests[0]=a/b/c",
       devices + "constraints[0].requests[0] Invalid"},
      {devices + "constraints[0].matchAttribute=numa",
       devices + "constraints[0].matchAttribute Invalid"},
      {devices + "constraints[0].matchAttribute=", devices + "constraints[0] Required"},
      {devices + "config[0].opaque=", devices + "config[0].opaque Required"},
      {devices + "config[0].opaque.driver=", devices + "config[0].opaque.driver Required"},
      {devices + "config[0].opaque.parameters=[1]",
       devices + "config[0].opaque.parameters Invalid"},
  });
  Claims().ExpectChanged({{"", exactly + "count=2", "spec Invalid"}});
}

TEST(ResourceRulesTest, SelectorsOfDevicesCompileAndCostLittle) {
  const std::string selector = "spec.devices.requests[0].exactly.selectors";
  const auto faults = [&](std::string_view expression) {
    return Claims().NewMessages(selector + "=[{\"cel\":{\"expression\":" +
                                object::EncodeJson(object::Value::String(expression)) + "}}]");
  };
  const std::string at = selector + "[0].cel.expression: ";
  EXPECT_EQ(faults("device.driver == 'a' && device.capacity['b'].c.isLessThan(quantity('1'))"), "");
  EXPECT_EQ(faults("devic.driver == 'a'"),
            at + "Invalid value: \"devic.driver == 'a'\": compilation failed: ERROR: <input>:1:1: "
                 "undeclared reference to 'devic' (in container '')\n | devic.driver == 'a'\n | ^");
  EXPECT_EQ(faults("device.driver"),
            at + "Invalid value: \"device.driver\": must evaluate to bool or the unknown type, not "
                 "string");
  EXPECT_EQ(faults("device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, "
                   "device.attributes.all(d, a != b && c != d))))"),
            at + "Forbidden: too complex, exceeds cost limit");
}

TEST(ResourceRulesTest, AlternativesAreNamed) {
  const std::string at = "spec.devices.requests[0].firstAvailable";
  const std::string alternative = R"({"name":"a","deviceClassName":"c","allocationMode":"All"})";
  const std::string bare = "spec.devices={\"requests\":[{\"name\":\"gpu\"}]} & ";
  Claims().ExpectNew({
      {bare + at + "=[" + alternative + "]", ""},
      {bare + at + "=[" + alternative + "," + alternative + "]", at + "[1] Duplicate"},
      {bare + at + "=[{\"name\":\"a\",\"allocationMode\":\"All\"}]",
       at + "[0].deviceClassName Required"},
  });
}

TEST(ResourceRulesTest, AnAllocationIsOfWhatWasRequestedAndStays) {
  const std::string allocation =
      R"(status.allocation={"devices":{"results":[{"request":"gpu","driver":"d.com","pool":"p",)"
      R"("device":"x"}]}})";
  const std::string result = "status.allocation.devices.results[0].";
  const std::string consumer = R"({"resource":"pods","name":"p","uid":"u"})";
  Claims().ExpectChanged(
      {
          {"", allocation, ""},
          {"", allocation + " & " + result + "request=tpu", result + "request Invalid"},
          {"", allocation + " & " + result + "driver=", result + "driver Required"},
          {"", allocation + " & " + result + "pool=A", result + "pool Invalid"},
          {"", allocation + " & " + result + "device=a.b", result + "device Invalid"},
          {"", allocation + " & " + result + "shareID=x", result + "shareID Invalid"},
          {"", allocation + " & " + result + "bindingConditions=[\"a\"]",
           result + "bindingFailureConditions Invalid"},
          {allocation, result + "device=y", "status.allocation Invalid"},
          {"", "status.reservedFor=[" + consumer + "]", "status.reservedFor Forbidden"},
          {allocation, "status.reservedFor=[" + consumer + "]", ""},
          {allocation, "status.reservedFor=[{}]",
           "status.reservedFor[0].resource Required; status.reservedFor[0].name Required; "
           "status.reservedFor[0].uid Required"},
          {allocation, "status.reservedFor=[" + consumer + "," + consumer + "]",
           "status.reservedFor[1] Duplicate"},
          {allocation, R"(status.devices=[{"driver":"d.com","pool":"p","device":"x"}])", ""},
          {allocation, R"(status.devices=[{"driver":"d.com","pool":"p","device":"y"}])",
           "status.devices[0] Invalid"},
          {allocation,
           R"(status.devices=[{"driver":"d.com","pool":"p","device":"x",)"
           R"("networkData":{"ips":["10.0.0.1"]}}])",
           "status.devices[0].networkData.ips[0] Invalid"},
      },
      "status");
}

TEST(ResourceRulesTest, ATemplateOfClaimsStays) {
  const RulesTester templates(kVersion, "ResourceClaimTemplate",
                              R"({"spec": {"metadata": {"labels": {"a": "b"}}, "spec": {"devices":
                                  {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "c",
                                    "allocationMode": "All"}}]}}}})");
  templates.ExpectNew({
      {"spec.metadata.labels={\"a b\":\"c\"}", "spec.metadata.labels Invalid"},
      {"spec.spec.devices.requests[0].name=A", "spec.spec.devices.requests[0].name Invalid"},
  });
  templates.ExpectChanged(
      {{"", "spec.metadata.labels=", "spec Invalid"},
       // What does not change is not looked at again, and what changes is refused as a whole.
       {"spec.spec.devices.requests[0].name=A", "metadata.labels={\"a\":\"b\"}", ""},
       {"", "spec.spec.devices.requests[0].name=A", "spec Invalid"}});
}

TEST(ResourceRulesTest, AClassOfDevicesMayBeAnExtendedResource) {
  const RulesTester classes(kVersion, "DeviceClass",
                            R"({"spec": {"selectors": [{"cel": {"expression": "true"}}],
                                "extendedResourceName": "example.com/gpu"}})");
  classes.ExpectNew({
      {"spec.selectors[0].cel=", "spec.selectors[0].cel Required"},
      {"spec.config=[{}]", "spec.config[0].opaque Required"},
      {"spec.extendedResourceName=gpu", "spec.extendedResourceName Invalid"},
  });
  classes.ExpectChanged({{"", "spec.selectors[0]={}", "spec.selectors[0].cel Required"}});
}

TEST(ResourceRulesTest, ASliceIsOfOnePoolOnSomeNodes) {
  const RulesTester slices(kVersion, "ResourceSlice",
                           R"({"spec": {"driver": "d.com", "nodeName": "n",
                               "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
                               "devices": [{"name": "x", "attributes": {"model": {"string": "m"}},
                                 "capacity": {"memory": {"value": "8Gi"}}}]}})");
  EXPECT_EQ(slices.NewMessages("spec.allNodes=true"),
            "spec: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, "
            "`nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields "
            "are set");
  const std::string device = "spec.devices[0]";
  slices.ExpectNew({
      {"spec.driver=", "spec.driver Required"},
      {"spec.pool.name=A", "spec.pool.name Invalid"},
      {"spec.pool.resourceSliceCount=0", "spec.pool.resourceSliceCount Invalid"},
      {"spec.pool.generation=-1", "spec.pool.generation Invalid"},
      {"spec.nodeName=", "spec Required"},
      {"spec.allNodes=true", "spec Invalid"},
      {"spec.allNodes=false", "spec.allNodes Invalid"},
      {"spec.nodeName= & spec.allNodes=true", ""},
      {device + ".name=A", device + ".name Invalid"},
      {"spec.devices[1]={\"name\":\"x\"}", "spec.devices[1] Duplicate"},
      {device + ".attributes={\"model\":{}}", device + ".attributes[model] Invalid"},
      {device + ".attributes={\"a-b\":{\"int\":1}}", device + ".attributes Invalid"},
      {device + ".attributes={\"v\":{\"version\":\"1\"}}",
       device + ".attributes[v].version Invalid"},
      {device + ".taints=[{\"key\":\"k\"}]", device + ".taints[0].effect Required"},
      {device + ".taints=[{\"key\":\"k\",\"effect\":\"Never\"}]",
       device + ".taints[0].effect NotSupported"},
      {device + ".allNodes=true", device + " Invalid"},
      {"spec.nodeName= & spec.perDeviceNodeSelection=true", device + " Required"},
      {device + ".consumesCounters=[{\"counterSet\":\"s\"}]",
       device + ".consumesCounters[0].counters Required"},
      {device + ".capacity.memory.requestPolicy={\"default\":\"1Gi\"}",
       device + ".capacity[memory].requestPolicy Forbidden"},
      {"spec.devices= & spec.sharedCounters=[{\"name\":\"s\"}]",
       "spec.sharedCounters[0].counters Required"},
  });
  slices.ExpectChanged({
      {"", "spec.driver=e.com", "spec.driver Invalid"},
      {"", "spec.pool.name=q", "spec.pool.name Invalid"},
      {"", "spec.nodeName=m", "spec.nodeName Invalid"},
      {device + ".taints=[{\"key\":\"k\",\"effect\":\"Never\"}]", "spec.pool.generation=2", ""},
  });
  EXPECT_EQ(slices.Warnings("spec.driver=D.com").size(), 1u);
}

TEST(ResourceRulesTest, PortionsOfACapacityFitIntoIt) {
  const RulesTester slices(kVersion, "ResourceSlice",
                           R"({"spec": {"driver": "d.com", "nodeName": "n",
                               "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
                               "devices": [{"name": "x", "allowMultipleAllocations": true,
                                 "capacity": {"memory": {"value": "8Gi", "requestPolicy": {
                                   "default": "1Gi", "validRange": {"min": "1Gi", "max": "4Gi",
                                     "step": "1Gi"}}}}}]}})");
  const std::string policy = "spec.devices[0].capacity.memory.requestPolicy";
  const std::string at = "spec.devices[0].capacity[memory].requestPolicy";
  slices.ExpectNew({
      {policy + ".default=", at + ".default Required"},
      {policy + ".default=512Mi",
       at + ".validRange.min Invalid; " + at + ".validRange.step Invalid"},
      {policy + ".validRange.min=", at + ".validRange.min Required"},
      {policy + ".validRange.max=16Gi", at + ".validRange.max Invalid"},
      {policy + ".validRange.step=3Gi", ""},
      {policy + ".validValues=[\"1Gi\"]", at + " Forbidden"},
      {policy + "={\"default\":\"1Gi\",\"validValues\":[\"1Gi\",\"2Gi\"]}", ""},
      {policy + "={\"default\":\"3Gi\",\"validValues\":[\"1Gi\",\"2Gi\"]}",
       at + ".validValues Invalid"},
      {policy + "={\"default\":\"1Gi\",\"validValues\":[\"2Gi\",\"1Gi\"]}",
       at + ".validValues[1] Invalid"},
      {policy + "={\"default\":\"1Gi\",\"validValues\":[\"1Gi\",\"9Gi\"]}",
       at + ".validValues[1] Invalid"},
  });
}

TEST(ResourceRulesTest, ATaintRuleHasAnEffect) {
  const RulesTester rules("resource.k8s.io/v1alpha3", "DeviceTaintRule",
                          R"({"spec": {"deviceSelector": {"driver": "d.com", "pool": "p"},
                              "taint": {"key": "k", "effect": "NoSchedule"}}})");
  rules.ExpectNew({
      {"spec.deviceSelector.driver=a b", "spec.deviceSelector.driver Invalid"},
      {"spec.deviceSelector.pool=A", "spec.deviceSelector.pool Invalid"},
      {"spec.deviceSelector.device=A", "spec.deviceSelector.device Invalid"},
      {"spec.taint.key=a b", "spec.taint.key Invalid"},
      {"spec.taint.value=a b", "spec.taint.value Invalid"},
      {"spec.taint.effect=", "spec.taint.effect Required"},
      {"spec.taint.effect=Never", "spec.taint.effect NotSupported"},
  });
  rules.ExpectChanged({{"", "spec.taint.effect=Never", "spec.taint.effect NotSupported"},
                       {"spec.taint.effect=Never", "spec.taint.value=v", ""}});
  rules.ExpectChanged({{"",
                        "status.conditions=[{\"type\":\"a b\",\"status\":\"True\","
                        "\"reason\":\"R\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]",
                        "status.conditions[0].type Invalid"}},
                      "status");
}

TEST(ResourceRulesTest, ARequestForTheStatusOfPoolsIsAnsweredOnce) {
  const RulesTester requests("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest",
                             R"({"spec": {"driver": "d.com", "limit": 10}})");
  requests.ExpectNew({
      {"spec.driver=", "spec.driver Required"},
      {"spec.poolName=A", "spec.poolName Invalid"},
      {"spec.limit=0", "spec.limit Invalid"},
      {"spec.limit=1001", "spec.limit Invalid"},
  });
  requests.ExpectChanged({{"", "spec.limit=5", "spec Invalid"}});
  requests.ExpectChanged({{"", "status={\"poolCount\":0}", ""},
                          {"status={\"poolCount\":0}", "status.poolCount=1", "status Invalid"}},
                         "status");
}

}  // namespace
}  // namespace skiff::apiserver
