#include "apiserver/admission/pod_security/checks.h"
#include "apiserver/admission/pod_security/wording.h"

namespace skiff::apiserver::pod_security {
namespace {

namespace core = views::core_v1;

bool IsAllowedVolume(const core::Volume& volume) {
  return volume.has_config_map() || volume.has_csi() || volume.has_downward_api() ||
         volume.has_empty_dir() || volume.has_ephemeral() || volume.has_image() ||
         volume.has_persistent_volume_claim() || volume.has_projected() || volume.has_secret();
}

std::string_view VolumeType(const core::Volume& volume) {
  if (volume.has_host_path()) return "hostPath";
  if (volume.has_gce_persistent_disk()) return "gcePersistentDisk";
  if (volume.has_aws_elastic_block_store()) return "awsElasticBlockStore";
  if (volume.has_git_repo()) return "gitRepo";
  if (volume.has_nfs()) return "nfs";
  if (volume.has_iscsi()) return "iscsi";
  if (volume.has_glusterfs()) return "glusterfs";
  if (volume.has_rbd()) return "rbd";
  if (volume.has_flex_volume()) return "flexVolume";
  if (volume.has_cinder()) return "cinder";
  if (volume.has_cephfs()) return "cephfs";
  if (volume.has_flocker()) return "flocker";
  if (volume.has_fc()) return "fc";
  if (volume.has_azure_file()) return "azureFile";
  if (volume.has_vsphere_volume()) return "vsphereVolume";
  if (volume.has_quobyte()) return "quobyte";
  if (volume.has_azure_disk()) return "azureDisk";
  if (volume.has_photon_persistent_disk()) return "photonPersistentDisk";
  if (volume.has_portworx_volume()) return "portworxVolume";
  if (volume.has_scale_io()) return "scaleIO";
  if (volume.has_storageos()) return "storageos";
  return "unknown";
}

// Of a probe or a lifecycle handler: the hosts, other than the pod, that it would talk to.
template <typename Handler>
void CollectHosts(const Handler& handler, NameSet& hosts) {
  if (!handler.http_get().host().empty()) hosts.emplace(handler.http_get().host());
  if (!handler.tcp_socket().host().empty()) hosts.emplace(handler.tcp_socket().host());
}

}  // namespace

Finding CheckHostNamespaces(const PodParts& pod) {
  Names used;
  if (pod.spec.host_network()) used.emplace_back("hostNetwork=true");
  if (pod.spec.host_pid()) used.emplace_back("hostPID=true");
  if (pod.spec.host_ipc()) used.emplace_back("hostIPC=true");
  if (used.empty()) return {};
  return Violation{"host namespaces", Join(used, ", ")};
}

Finding CheckHostPathVolumes(const PodParts& pod) {
  Names bad;
  for (const core::Volume volume : pod.spec.volumes()) {
    if (volume.has_host_path()) bad.emplace_back(volume.name());
  }
  if (bad.empty()) return {};
  return Violation{"hostPath volumes",
                   std::string(Plural("volume ", "volumes ", bad.size())) + JoinQuoted(bad)};
}

Finding CheckVolumeTypes(const PodParts& pod) {
  Names bad;
  NameSet types;
  for (const core::Volume volume : pod.spec.volumes()) {
    if (IsAllowedVolume(volume)) continue;
    bad.emplace_back(volume.name());
    types.emplace(VolumeType(volume));
  }
  if (bad.empty()) return {};
  std::string detail(Plural("volume ", "volumes ", bad.size()));
  detail += JoinQuoted(bad);
  detail += Plural(" uses ", " use ", bad.size());
  detail += Plural("restricted volume type ", "restricted volume types ", types.size());
  detail += JoinQuoted(Sorted(types));
  return Violation{"restricted volume types", std::move(detail)};
}

Finding CheckHostPorts(const PodParts& pod) {
  Names bad;
  NameSet ports;
  for (const ContainerParts& container : pod.containers) {
    bool good = true;
    for (const core::ContainerPort port : container.ports) {
      if (port.host_port() == 0) continue;
      good = false;
      ports.insert(std::to_string(port.host_port()));
    }
    if (!good) bad.emplace_back(container.name);
  }
  if (bad.empty()) return {};
  std::string detail = ContainersNamed(bad);
  detail += Plural(" uses ", " use ", bad.size());
  detail += Plural("hostPort ", "hostPorts ", ports.size());
  detail += Join(Sorted(ports), ", ");
  return Violation{"hostPort", std::move(detail)};
}

Finding CheckProbeHosts(const PodParts& pod) {
  NameSet bad;
  NameSet hosts;
  for (const ContainerParts& container : pod.containers) {
    NameSet own;
    for (const core::Probe& probe : container.probes) CollectHosts(probe, own);
    CollectHosts(container.lifecycle.post_start(), own);
    CollectHosts(container.lifecycle.pre_stop(), own);
    if (!own.empty()) bad.emplace(container.name);
    hosts.merge(own);
  }
  if (bad.empty()) return {};
  std::string detail = ContainersNamed(Sorted(bad));
  detail += Plural(" uses ", " use ", bad.size());
  detail += Plural("probe or lifecycle host ", "probe or lifecycle hosts ", hosts.size());
  detail += JoinQuoted(Sorted(hosts));
  return Violation{"probe or lifecycle host", std::move(detail)};
}

Finding CheckWindowsHostProcess(const PodParts& pod) {
  Names bad;
  for (const ContainerParts& container : pod.containers) {
    if (container.security.windows_options().host_process().value_or(false)) {
      bad.emplace_back(container.name);
    }
  }
  const std::string setters =
      Setters(pod.spec.security_context().windows_options().host_process().value_or(false), bad);
  if (setters.empty()) return {};
  return Violation{"hostProcess",
                   setters + " must not set securityContext.windowsOptions.hostProcess=true"};
}

}  // namespace skiff::apiserver::pod_security
