#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

RulesTester Volumes() {
  return {"v1", "PersistentVolume",
          R"({"metadata": {"name": "v"}, "spec": {"capacity": {"storage": "1Gi"},
              "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
              "volumeMode": "Filesystem", "csi": {"driver": "d.com", "volumeHandle": "h"}}})"};
}

TEST(VolumeRulesTest, AVolumeHasACapacityAndOneSource) {
  Volumes().ExpectNew({
      {"spec.capacity=", "spec.capacity Required; spec.capacity NotSupported"},
      {"spec.capacity={\"cpu\":\"1\"}", "spec.capacity NotSupported"},
      {"spec.capacity.storage=0", "spec.capacity[storage] Invalid"},
      {"spec.accessModes=", "spec.accessModes Required"},
      {"spec.accessModes=[\"Once\"]", "spec.accessModes NotSupported"},
      {"spec.accessModes=[\"ReadWriteOncePod\",\"ReadOnlyMany\"]", "spec.accessModes Forbidden"},
      {"spec.persistentVolumeReclaimPolicy=Burn",
       "spec.persistentVolumeReclaimPolicy NotSupported"},
      {"spec.csi=", "spec Required"},
      {"spec.nfs={\"server\":\"s\",\"path\":\"/p\"}", "spec.csi Forbidden"},
      {"spec.storageClassName=A", "spec.storageClassName Invalid"},
      {"spec.volumeMode=Odd", "spec.volumeMode NotSupported"},
      {"spec.volumeAttributesClassName=''", "spec.volumeAttributesClassName Required"},
      {"spec.volumeAttributesClassName=gold", ""},
      {"spec.csi= & spec.hostPath.path=/ & spec.persistentVolumeReclaimPolicy=Recycle",
       "spec.persistentVolumeReclaimPolicy Forbidden"},
      {"spec.nodeAffinity={}", "spec.nodeAffinity.required Required"},
      {"metadata.annotations={\"volume.beta.kubernetes.io/mount-options\":\"ro\"}",
       "metadata.annotations.volume.beta.kubernetes.io/mount-options Forbidden"},
  });
}

TEST(VolumeRulesTest, SourcesOfEachKindHaveWhatTheyNeed) {
  const auto with = [](std::string_view source) {
    return "spec.csi= & spec." + std::string(source);
  };
  Volumes().ExpectNew({
      {"spec.csi.driver=", "spec.csi.driver Required"},
      {"spec.csi.volumeHandle=", "spec.csi.volumeHandle Required"},
      {"spec.csi.nodePublishSecretRef={}",
       "spec.csi.nodePublishSecretRef.name Required; "
       "spec.csi.nodePublishSecretRef.namespace Required"},
      {with("hostPath={}"), "spec.hostPath.path Required"},
      {with("hostPath.path=/a/../b"), "spec.hostPath.path Invalid"},
      {with("hostPath={\"path\":\"/a\",\"type\":\"Odd\"}"), "spec.hostPath.type NotSupported"},
      {with("gcePersistentDisk={\"partition\":256}"),
       "spec.persistentDisk.pdName Required; spec.persistentDisk.partition Invalid"},
      {with("awsElasticBlockStore={}"), "spec.awsElasticBlockStore.volumeID Required"},
      {with("glusterfs={}"), "spec.glusterfs.endpoints Required; spec.glusterfs.path Required"},
      {with("flocker={}"), "spec.flocker Required"},
      {with("nfs={\"path\":\"p\"}"), "spec.nfs.server Required; spec.nfs.path Invalid"},
      {with("rbd={}"), "spec.rbd.monitors Required; spec.rbd.image Required"},
      {with("quobyte={\"registry\":\"x\",\"volume\":\"v\"}"), "spec.quobyte.registry Invalid"},
      {with("quobyte={\"registry\":\"a:1,b:2\",\"volume\":\"v\"}"), ""},
      {with("cephfs={}"), "spec.cephfs.monitors Required"},
      {with("iscsi={\"iqn\":\"x\",\"lun\":256}"),
       "spec.iscsi.targetPortal Required; spec.iscsi.iqn Invalid; spec.iscsi.lun Invalid"},
      {with("cinder={\"secretRef\":{}}"),
       "spec.cinder.volumeID Required; spec.cinder.secretRef.name Required; "
       "spec.cinder.secretRef.namespace Required"},
      {with("fc={}"), "spec.fc.targetWWNs Required"},
      {with("fc={\"targetWWNs\":[\"a\"]}"), "spec.fc.lun Required"},
      {with("flexVolume={\"driver\":\"d\",\"options\":{\"k8s.io/x\":\"y\"}}"),
       "spec.flexVolume.options[k8s.io/x] Invalid"},
      {with("azureFile={}"),
       "spec.azureFile.secretName Required; spec.azureFile.shareName Required"},
      {with("vsphereVolume={}"), "spec.vsphereVolume.volumePath Required"},
      {with("photonPersistentDisk={}"), "spec.photonPersistentDisk.pdID Required"},
      {with("portworxVolume={}"), "spec.portworxVolume.volumeID Required"},
      {with("azureDisk={\"diskName\":\"d\",\"diskURI\":\"u\",\"kind\":\"Managed\"}"),
       "spec.azureDisk.diskURI NotSupported"},
      {with("scaleIO={}"),
       "spec.scaleIO.gateway Required; spec.scaleIO.system Required; "
       "spec.scaleIO.volumeName Required"},
      {with("local={}"), "spec.local.path Required; spec.nodeAffinity Required"},
      {with("storageos={\"volumeName\":\"A\"}"), "spec.storageos.volumeName Invalid"},
  });
}

TEST(VolumeRulesTest, TheSourceOfAVolumeStays) {
  const std::string affinity =
      R"(spec.nodeAffinity={"required":{"nodeSelectorTerms":[{"matchExpressions":[)"
      R"({"key":"beta.kubernetes.io/os","operator":"In","values":["linux"]}]}]}})";
  const std::string key =
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key=";
  Volumes().ExpectChanged({
      {"", "spec.csi.volumeHandle=i", "spec.persistentvolumesource Forbidden"},
      {"", "spec.csi.controllerExpandSecretRef={\"name\":\"a\",\"namespace\":\"b\"}", ""},
      {"", "spec.volumeMode=Block", "volumeMode Invalid"},
      {"", affinity, ""},
      {affinity, key + "kubernetes.io/os", ""},
      {affinity, key + "kubernetes.io/arch", "nodeAffinity Invalid"},
      {affinity, "spec.nodeAffinity=", "nodeAffinity Invalid"},
      {"spec.volumeAttributesClassName=gold", "spec.volumeAttributesClassName=silver", ""},
      {"spec.volumeAttributesClassName=gold",
       "spec.volumeAttributesClassName=", "spec.volumeAttributesClassName Forbidden"},
      {"", "spec.accessModes=", "spec.accessModes Required; spec.accessModes Required"},
  });
  Volumes()
      .With({{"MutablePVNodeAffinity", true}})
      .ExpectChanged({{affinity, key + "kubernetes.io/arch", ""}});
}

TEST(VolumeRulesTest, OldWaysOfStoringAreWarnedAbout) {
  EXPECT_EQ(Volumes().Warnings("").size(), 0u);
  EXPECT_EQ(Volumes().Warnings("spec.persistentVolumeReclaimPolicy=Recycle").size(), 1u);
  EXPECT_EQ(Volumes().Warnings("spec.csi= & spec.rbd={}").size(), 1u);
}

RulesTester ClaimsOfVolumes() {
  return {"v1", "PersistentVolumeClaim",
          R"({"spec": {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
              "resources": {"requests": {"storage": "1Gi"}}}})"};
}

TEST(VolumeRulesTest, AClaimAsksForStorage) {
  ClaimsOfVolumes().ExpectNew({
      {"spec.accessModes=", "spec.accessModes Required"},
      {"spec.resources=", "spec.resources[storage] Required"},
      {"spec.resources.requests.storage=0", "spec.resources[storage] Invalid"},
      {"spec.storageClassName=A", "spec.storageClassName Invalid"},
      {"spec.volumeMode=Odd", "spec.volumeMode NotSupported"},
  });
}

TEST(VolumeRulesTest, ABoundClaimMayGrowAndNothingElse) {
  const std::string bound = "status={\"phase\":\"Bound\",\"capacity\":{\"storage\":\"1Gi\"}}";
  ClaimsOfVolumes().ExpectChanged({
      {"", "spec.volumeName=v", ""},
      {"spec.volumeName=v", "spec.volumeName=w", "spec Forbidden"},
      {"", "spec.resources.requests.storage=2Gi", "spec Forbidden"},
      {bound, "spec.resources.requests.storage=2Gi", ""},
      {bound, "spec.resources.requests.storage=512Mi", "spec.resources.requests.storage Forbidden"},
      {bound + " & spec.resources.requests.storage=4Gi", "spec.resources.requests.storage=2Gi", ""},
      {"", "spec.storageClassName=c", ""},
      {"spec.storageClassName=c", "spec.storageClassName=d", "spec Forbidden"},
      {"spec.dataSource={\"kind\":\"PersistentVolumeClaim\",\"name\":\"a\"}",
       "spec.dataSourceRef={\"kind\":\"PersistentVolumeClaim\",\"name\":\"a\"}", ""},
      {"", "spec.volumeMode=Block", "spec Forbidden; volumeMode Invalid"},
      {"metadata.annotations={\"volume.beta.kubernetes.io/storage-class\":\"c\"}",
       "spec.storageClassName=c", ""},
      {"metadata.annotations={\"volume.beta.kubernetes.io/storage-class\":\"c\"}",
       "metadata.annotations=",
       "metadata.annotations[volume.beta.kubernetes.io/storage-class] Invalid"},
  });
}

TEST(VolumeRulesTest, TheStatusOfAClaimCountsStorage) {
  ClaimsOfVolumes().ExpectChanged(
      {
          {"", "status.capacity.storage=-1", "status.capacity[storage] Invalid"},
          {"", "status.capacity.storage=1Gi", ""},
          {"", "status.allocatedResourceStatuses={\"cpu\":\"NodeResizePending\"}",
           "status.allocatedResourceStatuses NotSupported"},
          {"", "status.allocatedResourceStatuses={\"storage\":\"Odd\"}",
           "status.allocatedResourceStatuses NotSupported"},
          {"", "status.allocatedResources={\"storage\":\"-1\"}",
           "status.allocatedResources[storage] Invalid"},
      },
      "status");
  EXPECT_EQ(ClaimsOfVolumes().Warnings("spec.resources.requests.storage=100m").size(), 1u);
}

}  // namespace
}  // namespace skiff::apiserver
