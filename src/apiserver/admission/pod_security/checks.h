// The checks of the Pod Security Standards, one function for each form that a check has or had.
// Which of them belong to a level and a version is in evaluate.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/pod_security/evaluate.h"

namespace skiff::apiserver::pod_security {

// What checks look at in a container, be it one for the start, for the work or for debugging.
struct ContainerParts {
  std::string_view name;
  views::core_v1::SecurityContext security;
  object::ListView<views::core_v1::ContainerPort> ports;
  views::core_v1::Probe probes[3];
  views::core_v1::Lifecycle lifecycle;
};

struct PodParts {
  object::MapView<std::string_view> annotations;
  views::core_v1::PodSpec spec;
  std::vector<ContainerParts> containers;  // init, ordinary and ephemeral ones, in this order

  PodParts(const object::MapView<std::string_view>& annotations_of,
           const views::core_v1::PodSpec& of);
  bool is_windows() const { return spec.os().name() == "windows"; }
  // Root in it is nobody in particular outside.
  bool has_user_namespace() const { return !spec.host_users().value_or(true); }
};

using Finding = std::optional<Violation>;
using CheckFunction = Finding (*)(const PodParts& pod);

// privilege_checks.cc
Finding CheckPrivilegeEscalation(const PodParts& pod);
Finding CheckPrivilegeEscalationExceptWindows(const PodParts& pod);
Finding CheckPrivileged(const PodParts& pod);
Finding CheckAddedCapabilities(const PodParts& pod);
Finding CheckDroppedCapabilities(const PodParts& pod);
Finding CheckDroppedCapabilitiesExceptWindows(const PodParts& pod);
Finding CheckRunAsNonRoot(const PodParts& pod);
Finding CheckRunAsNonRootInHostUsers(const PodParts& pod);
Finding CheckRunAsUser(const PodParts& pod);
Finding CheckRunAsUserInHostUsers(const PodParts& pod);

// host_checks.cc
Finding CheckHostNamespaces(const PodParts& pod);
Finding CheckHostPathVolumes(const PodParts& pod);
Finding CheckVolumeTypes(const PodParts& pod);
Finding CheckHostPorts(const PodParts& pod);
Finding CheckProbeHosts(const PodParts& pod);
Finding CheckWindowsHostProcess(const PodParts& pod);

// profile_checks.cc
Finding CheckAppArmor(const PodParts& pod);
Finding CheckSeccompAnnotations(const PodParts& pod);
Finding CheckSeccompNotUnconfined(const PodParts& pod);
Finding CheckSeccompSet(const PodParts& pod);
Finding CheckSeccompSetExceptWindows(const PodParts& pod);

// kernel_checks.cc
Finding CheckProcMount(const PodParts& pod);
Finding CheckProcMountInHostUsers(const PodParts& pod);
Finding CheckSELinux(const PodParts& pod);
Finding CheckSELinuxWithEngine(const PodParts& pod);
Finding CheckSysctls(const PodParts& pod);
Finding CheckSysctls27(const PodParts& pod);
Finding CheckSysctls29(const PodParts& pod);
Finding CheckSysctls32(const PodParts& pod);

}  // namespace skiff::apiserver::pod_security
