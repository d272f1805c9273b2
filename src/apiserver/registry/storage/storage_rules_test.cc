#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

constexpr std::string_view kVersion = "storage.k8s.io/v1";

TEST(StorageRulesTest, AStorageClassNamesAProvisionerForGood) {
  const RulesTester classes(kVersion, "StorageClass",
                            R"({"provisioner": "example.com/p", "parameters": {"a": "b"},
                                "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
                                "allowedTopologies": [{"matchLabelExpressions": [
                                  {"key": "zone", "values": ["a"]}]}]})");
  const std::string term = "allowedTopologies[0].matchLabelExpressions[0].";
  classes.ExpectNew({
      {"provisioner=", "provisioner Required"},
      {"provisioner=a b", "provisioner Invalid"},
      {"provisioner=Example.com/P", ""},
      {"parameters={\"\":\"x\"}", "parameters Invalid"},
      {"parameters={\"a\":\"" + std::string(256 << 10, 'x') + "\"}", "parameters TooLong"},
      {"reclaimPolicy=Recycle", "reclaimPolicy NotSupported"},
      {"volumeBindingMode=", "volumeBindingMode Required"},
      {"volumeBindingMode=Later", "volumeBindingMode NotSupported"},
      {term + "values=", term + "values Required"},
      {term + "values=[\"a\",\"a\"]", term + "values[1] Duplicate"},
      {term + "key=a b", term + "key Invalid"},
      {"allowedTopologies[1]={\"matchLabelExpressions\":[{\"key\":\"zone\",\"values\":[\"a\"]}]}",
       "allowedTopologies[1].matchLabelExpressions Duplicate"},
  });
  classes.ExpectChanged({
      {"", "parameters={\"a\":\"c\"}", "parameters Invalid"},
      {"", "provisioner=example.com/q", "provisioner Invalid"},
      {"", "reclaimPolicy=Retain", "reclaimPolicy Invalid"},
      {"", "volumeBindingMode=WaitForFirstConsumer", "volumeBindingMode Invalid"},
      {"", "allowVolumeExpansion=true & mountOptions=[\"ro\"]", ""},
  });
  EXPECT_EQ(classes.Warnings(term + "key=beta.kubernetes.io/os").size(), 1u);
}

TEST(StorageRulesTest, AnAttributesClassHasParametersAndKeepsThem) {
  const RulesTester classes(kVersion, "VolumeAttributesClass",
                            R"({"driverName": "example.com", "parameters": {"iops": "100"}})");
  classes.ExpectNew({
      {"driverName=", "driverName Required"},
      {"parameters=", "parameters Required"},
  });
  classes.ExpectChanged({
      {"", "driverName=other.com", "driverName Forbidden"},
      {"", "parameters={\"iops\":\"200\"}", "parameters Forbidden"},
  });
}

TEST(StorageRulesTest, AnAttachmentIsOfOneVolumeToOneNode) {
  const RulesTester attachments(kVersion, "VolumeAttachment",
                                R"({"spec": {"attacher": "example.com", "nodeName": "n",
                                    "source": {"persistentVolumeName": "v"}}})");
  const std::string source = "spec.source.inlineVolumeSpec";
  const std::string inline_spec =
      R"({"accessModes":["ReadWriteOnce"],"csi":{"driver":"d.com","volumeHandle":"h"}})";
  attachments.ExpectNew({
      {"spec.attacher=", "spec.attacher Required"},
      {"spec.attacher=a b", "spec.attacher Invalid"},
      {"spec.nodeName=A", "spec.nodeName Invalid"},
      {"spec.source=", "spec.source Required"},
      {"spec.source.persistentVolumeName=''",
       "spec.source.persistentVolumeName Required; spec.source.persistentVolumeName Invalid"},
      {"spec.source.persistentVolumeName=A", "spec.source.persistentVolumeName Invalid"},
      {source + "=" + inline_spec, "spec.source Forbidden"},
      {"spec.source.persistentVolumeName= & " + source + "=" + inline_spec, ""},
      {"spec.source.persistentVolumeName= & " + source + "={}",
       source + ".csi Required; " + source + ".accessModes Required; " + source + " Required"},
      {"status.attachError.message=" + std::string(1025, 'x'),
       "status.attachError.message TooLong"},
      {"status.detachError.errorCode=-1", "status.detachError.errorCode Invalid"},
  });
  attachments.ExpectChanged(
      {{"", "spec.nodeName=m", "spec Invalid"}, {"", "status.attached=true", ""}});
}

TEST(StorageRulesTest, ANodeKnowsEachDriverOnce) {
  const RulesTester nodes(kVersion, "CSINode",
                          R"({"spec": {"drivers": [{"name": "d.com", "nodeID": "n",
                              "topologyKeys": ["zone"], "allocatable": {"count": 8}}]}})");
  const std::string at = "spec.drivers[0]";
  nodes.ExpectNew({
      {at + ".name=", at + ".name Required"},
      {at + ".nodeID=", at + ".nodeID Required"},
      {at + ".nodeID=" + std::string(257, 'x'), at + ".nodeID Invalid"},
      {at + ".allocatable.count=-1", at + ".allocatable.count Invalid"},
      {at + ".topologyKeys=[\"a\",\"a\"]", at + " Duplicate"},
      {at + ".topologyKeys=[\"a b\"]", at + " Invalid"},
      {"spec.drivers[1]={\"name\":\"d.com\",\"nodeID\":\"m\"}", "spec.drivers[1].name Duplicate"},
  });
  nodes.ExpectChanged({
      {"", at + ".nodeID=m", "spec.drivers Invalid"},
      {"", at + ".topologyKeys=[\"rack\"]", "spec.drivers Invalid"},
      {"", at + ".allocatable.count=9", ""},
      {"", "spec.drivers=", ""},
  });
}

TEST(StorageRulesTest, ADriverSaysWhatItNeeds) {
  const RulesTester drivers(kVersion, "CSIDriver",
                            R"({"spec": {"attachRequired": true, "podInfoOnMount": false,
                                "storageCapacity": false, "seLinuxMount": false,
                                "fsGroupPolicy": "File", "volumeLifecycleModes": ["Persistent"],
                                "tokenRequests": [{"audience": "a", "expirationSeconds": 600}]}})");
  drivers.ExpectNew({
      {"spec.attachRequired=", "spec.attachedRequired Required"},
      {"spec.podInfoOnMount=", "spec.podInfoOnMount Required"},
      {"spec.storageCapacity=", "spec.storageCapacity Required"},
      {"spec.seLinuxMount=", "spec.seLinuxMount Required"},
      {"spec.fsGroupPolicy=Mine", "spec.fsGroupPolicy NotSupported"},
      {"spec.tokenRequests[0].expirationSeconds=599",
       "spec.tokenRequests[0].expirationSeconds Invalid"},
      {"spec.tokenRequests[0].expirationSeconds=4294967297",
       "spec.tokenRequests[0].expirationSeconds Invalid"},
      {"spec.tokenRequests[1]={\"audience\":\"a\"}", "spec.tokenRequests[1].audience Duplicate"},
      {"spec.volumeLifecycleModes[0]=Forever", "spec.volumeLifecycleModes NotSupported"},
      {"spec.nodeAllocatableUpdatePeriodSeconds=9",
       "spec.nodeAllocatableUpdatePeriodSeconds Invalid"},
      {"spec.serviceAccountTokenInSecrets=true", ""},
      {"spec.serviceAccountTokenInSecrets=true & spec.tokenRequests=",
       "spec.serviceAccountTokenInSecrets Invalid"},
  });
  drivers.ExpectChanged({
      {"", "spec.attachRequired=false", "spec.attachedRequired Invalid"},
      {"", "spec.volumeLifecycleModes=[\"Ephemeral\"]", "spec.volumeLifecycleModes Invalid"},
      {"", "spec.fsGroupPolicy=None", ""},
  });
  EXPECT_EQ(drivers.Warnings("").size(), 1u);
  EXPECT_EQ(drivers.Warnings("spec.serviceAccountTokenInSecrets=true").size(), 0u);
  const RulesTester scaling = drivers.With({{"VolumeLimitScaling", true}});
  EXPECT_EQ(scaling.New(""), "spec.preventPodSchedulingIfMissing Required");
  EXPECT_EQ(scaling.New("spec.preventPodSchedulingIfMissing=true"), "");
}

TEST(StorageRulesTest, CapacityIsOfOneClassInOnePlace) {
  const RulesTester capacities(kVersion, "CSIStorageCapacity",
                               R"({"storageClassName": "c", "capacity": "1Gi",
                                   "nodeTopology": {"matchLabels": {"zone": "a"}}})");
  capacities.ExpectNew({
      {"storageClassName=", "storageClassName Invalid"},
      {"storageClassName=A", "storageClassName Invalid"},
      {"capacity=-1", "capacity Invalid"},
      {"nodeTopology.matchLabels={\"a b\":\"c\"}", "nodeTopology.matchLabels Invalid"},
  });
  capacities.ExpectChanged({
      {"", "storageClassName=d", "storageClassName Invalid"},
      {"", "nodeTopology=", "nodeTopology Invalid"},
      {"", "capacity=2Gi", ""},
  });
}

}  // namespace
}  // namespace skiff::apiserver
