// The volumes of pods, each kind with what it must not lack and what it must not hold.
#include <gtest/gtest.h>

#include "apiserver/registry/core/pod_testing.h"

namespace skiff::apiserver {
namespace {

// Faults of a pod with this volume, without the part of their paths that leads to it.
std::string Faults(std::string_view source) {
  const testing::RulesTester pods = testing::Pods();
  std::string out = pods.New(R"(spec.volumes=[{"name":"v",)" + std::string(source) + "}]");
  constexpr std::string_view kPlace = "spec.volumes[0]";
  for (size_t at = out.find(kPlace); at != std::string::npos; at = out.find(kPlace)) {
    out.erase(at, kPlace.size());
  }
  return out;
}

struct Case {
  std::string_view source;
  std::string_view faults;
};

void Expect(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(Faults(each.source), each.faults) << each.source;
}

TEST(PodVolumesTest, AVolumeHasANameAndOneSource) {
  const testing::RulesTester pods = testing::Pods();
  pods.ExpectNew({
      {R"(spec.volumes=[{"name":"v"}])", "spec.volumes[0] Required"},
      {R"(spec.volumes=[{"name":"A_","emptyDir":{}}])", "spec.volumes[0].name Invalid"},
      {R"(spec.volumes=[{"name":"v","emptyDir":{}},{"name":"v","emptyDir":{}}])",
       "spec.volumes[1].name Duplicate"},
      {R"(spec.volumes=[{"name":"v","emptyDir":{},"hostPath":{"path":"/"},"cephfs":{}}])",
       "spec.volumes[0].hostPath Forbidden; spec.volumes[0].cephFS Forbidden"},
      {R"(spec.volumes=[{"name":"e","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":)"
       R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}},)"
       R"({"name":"v","persistentVolumeClaim":{"claimName":"p-e"}}])",
       "spec.volumes[1].persistentVolumeClaim.claimName Invalid"},
  });
}

TEST(PodVolumesTest, FilesOfObjects) {
  Expect({
      {R"("secret":{"secretName":"s","defaultMode":420,"items":[{"key":"k","path":"a/b"}]})", ""},
      {R"("secret":{"defaultMode":512,"items":[{"path":"/a"},{"key":"k","path":"a/../b"},)"
       R"({"key":"k","path":"..a","mode":-1}]})",
       ".secret.secretName Required; .secret.defaultMode Invalid; .secret.items[0].key Required; "
       ".secret.items[0].path Invalid; .secret.items[1].path Invalid; "
       ".secret.items[2].path Invalid; .secret.items[2].mode Invalid"},
      {R"("configMap":{"items":[{"key":"k"}]})",
       ".configMap.name Required; .configMap.items[0].path Required"},
      {R"("downwardAPI":{"items":[{"path":"l","fieldRef":{"apiVersion":"v1",)"
       R"("fieldPath":"metadata.labels"}}]})",
       ""},
      {R"("downwardAPI":{"items":[{"path":"l","fieldRef":{"apiVersion":"v1",)"
       R"("fieldPath":"spec.nodeName"}},{"resourceFieldRef":{"resource":"limits.cpu"}},)"
       R"({"path":"x"}]})",
       ".downwardAPI.fieldRef.fieldPath NotSupported; .downwardAPI.path Required; "
       ".downwardAPI.resourceFieldRef.containerName Required; .downwardAPI Required"},
      {R"("image":{"reference":"r","pullPolicy":"Always"})", ""},
      {R"("image":{})", ".image.reference Required; .image.pullPolicy Required"},
  });
}

TEST(PodVolumesTest, ProjectedSources) {
  Expect({
      {R"("projected":{"sources":[{"secret":{"name":"s","items":[{"key":"k","path":"a"}]}},)"
       R"({"serviceAccountToken":{"path":"t","expirationSeconds":600}}]})",
       ""},
      {R"("projected":{"defaultMode":-1,"sources":[{"secret":{"items":[{"key":"k","path":"a"}]},)"
       R"("configMap":{"name":"c","items":[{"key":"k","path":"a"}]}}]})",
       ".projected.defaultMode Invalid; .projected.sources[0].secret.name Required; "
       ".projected Invalid; .projected.sources[0] Forbidden"},
      {R"("projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":599}}]})",
       ".projected.sources[0].serviceAccountToken.expirationSeconds Invalid; "
       ".projected.path Required"},
      {R"("projected":{"sources":[{"clusterTrustBundle":{"path":"p"}},)"
       R"({"clusterTrustBundle":{"name":"a","labelSelector":{},"path":"p"}},)"
       R"({"clusterTrustBundle":{"signerName":"x","path":"q"}}]})",
       ".projected.sources[0].clusterTrustBundle Required; "
       ".projected.sources[1].clusterTrustBundle.labelSelector Invalid; .projected Invalid; "
       ".projected.sources[2].clusterTrustBundle.signerName Invalid"},
      {R"("projected":{"sources":[{"podCertificate":{"signerName":"kubernetes.io/x",)"
       R"("keyType":"DSA","maxExpirationSeconds":86401}}]})",
       ".projected.sources[0].podCertificate.keyType NotSupported; "
       ".projected.sources[0].podCertificate.maxExpirationSeconds Invalid; "
       ".projected.sources[0].podCertificate Required"},
  });
  const testing::RulesTester pods = testing::Pods();
  pods.ExpectNew({{R"(spec.serviceAccountName= & spec.volumes=[{"name":"v","projected":{"sources":)"
                   R"([{"serviceAccountToken":{"path":"t","expirationSeconds":600}}]}}])",
                   "spec.volumes[0].projected.sources[0].serviceAccountToken Forbidden"}});
}

TEST(PodVolumesTest, ClaimsAndDrivers) {
  Expect({
      {R"("persistentVolumeClaim":{})", ".persistentVolumeClaim.claimName Required"},
      {R"("ephemeral":{})", ".ephemeral.volumeClaimTemplate Required"},
      {R"("ephemeral":{"volumeClaimTemplate":{"metadata":{"name":"n","labels":{"a":"b c"}},)"
       R"("spec":{"accessModes":["X","ReadWriteOncePod"],"resources":{"requests":{"storage":"0"}},)"
       R"("volumeMode":"Tape"}}})",
       ".ephemeral.volumeClaimTemplate.metadata.labels Invalid; "
       ".ephemeral.volumeClaimTemplate.metadata.name Forbidden; "
       ".ephemeral.volumeClaimTemplate.spec.accessModes NotSupported; "
       ".ephemeral.volumeClaimTemplate.spec.resources[storage] Invalid; "
       ".ephemeral.volumeClaimTemplate.spec.volumeMode NotSupported"},
      {R"("csi":{"driver":"Driver.example"})", ""},
      {R"("csi":{"driver":"a b","nodePublishSecretRef":{}})",
       ".csi.driver Invalid; .csi.nodePublishSecretRef.name Required"},
      {R"("flexVolume":{"options":{"a.k8s.io/b":"c"}})",
       ".flexVolume.driver Required; .flexVolume.options[a.k8s.io/b] Invalid"},
  });
}

TEST(PodVolumesTest, DirectoriesAndDisksOfNodes) {
  Expect({
      {R"("emptyDir":{"sizeLimit":"-1"})", ".emptyDir.sizeLimit Forbidden"},
      {R"("hostPath":{"path":"/a","type":"Directory"})", ""},
      {R"("hostPath":{})", ".hostPath.path Required"},
      {R"("hostPath":{"path":"/a/../b","type":"X"})",
       ".hostPath.path Invalid; .hostPath.type NotSupported"},
      {R"("gitRepo":{"directory":"/a"})",
       ".gitRepo.repository Required; .gitRepo.directory Invalid"},
      {R"("nfs":{"server":"s","path":"a"})", ".nfs.path Invalid"},
      {R"("iscsi":{"targetPortal":"t","iqn":"iqn.2001-04.com.example:d","lun":1})", ""},
      {R"("iscsi":{"iqn":"iqn.2001","lun":256,"chapAuthSession":true,"initiatorName":"x"})",
       ".iscsi.targetPortal Required; .iscsi.iqn Invalid; .iscsi.lun Invalid; "
       ".iscsi.secretRef Required; .iscsi.initiatorname Invalid"},
      {R"("fc":{"targetWWNs":["a"],"wwids":["b"]})", ".fc.targetWWNs Invalid; .fc.lun Required"},
      {R"("fc":{})", ".fc.targetWWNs Required"},
  });
}

TEST(PodVolumesTest, DisksOfProviders) {
  Expect({
      {R"("gcePersistentDisk":{"partition":256})",
       ".persistentDisk.pdName Required; .persistentDisk.partition Invalid"},
      {R"("awsElasticBlockStore":{"partition":-1})",
       ".awsElasticBlockStore.volumeID Required; .awsElasticBlockStore.partition Invalid"},
      {R"("azureFile":{})", ".azureFile.secretName Required; .azureFile.shareName Required"},
      {R"("azureDisk":{"diskName":"d","diskURI":"x","kind":"Managed","cachingMode":"X"})",
       ".azureDisk.cachingMode NotSupported; .azureDisk.diskURI NotSupported"},
      {R"("cephfs":{})", ".cephfs.monitors Required"},
      {R"("rbd":{})", ".rbd.monitors Required; .rbd.image Required"},
      {R"("cinder":{"secretRef":{}})",
       ".cinder.volumeID Required; .cinder.secretRef.name Required"},
      {R"("flocker":{})", ".flocker Required"},
      {R"("flocker":{"datasetName":"a/b","datasetUUID":"u"})",
       ".flocker Invalid; .flocker.datasetName Invalid"},
      {R"("glusterfs":{})", ".glusterfs.endpoints Required; .glusterfs.path Required"},
      {R"("quobyte":{"registry":"a:1,b","volume":"v"})", ".quobyte.registry Invalid"},
      {R"("photonPersistentDisk":{})", ".photonPersistentDisk.pdID Required"},
      {R"("portworxVolume":{})", ".portworxVolume.volumeID Required"},
      {R"("scaleIO":{})",
       ".scaleIO.gateway Required; .scaleIO.system Required; .scaleIO.volumeName Required"},
      {R"("storageos":{"volumeNamespace":"A"})",
       ".storageos.volumeName Required; .storageos.volumeNamespace Invalid"},
      {R"("vsphereVolume":{})", ".vsphereVolume.volumePath Required"},
  });
}

}  // namespace
}  // namespace skiff::apiserver
