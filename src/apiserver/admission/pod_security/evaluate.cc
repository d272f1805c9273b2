#include "apiserver/admission/pod_security/evaluate.h"

#include <span>

#include "apiserver/admission/pod_security/checks.h"

namespace skiff::apiserver::pod_security {
namespace {

namespace core = views::core_v1;

// From this release on, until the next form of the check.
struct CheckForm {
  int since_minor;
  CheckFunction check;
};

struct CheckDesc {
  std::string_view id;
  Level level;
  std::span<const CheckForm> forms;
  // The check of baseline that this one replaces, from its first form on; empty: none.
  std::string_view replaces = {};
};

constexpr CheckForm kAppArmorForms[] = {{0, CheckAppArmor}};
constexpr CheckForm kAddedCapabilitiesForms[] = {{0, CheckAddedCapabilities}};
constexpr CheckForm kHostNamespacesForms[] = {{0, CheckHostNamespaces}};
constexpr CheckForm kHostPathForms[] = {{0, CheckHostPathVolumes}};
constexpr CheckForm kHostPortsForms[] = {{0, CheckHostPorts}};
constexpr CheckForm kProbeHostsForms[] = {{34, CheckProbeHosts}};
constexpr CheckForm kPrivilegedForms[] = {{0, CheckPrivileged}};
constexpr CheckForm kProcMountForms[] = {{0, CheckProcMount}, {35, CheckProcMountInHostUsers}};
constexpr CheckForm kSELinuxForms[] = {{0, CheckSELinux}, {31, CheckSELinuxWithEngine}};
constexpr CheckForm kSeccompForms[] = {{0, CheckSeccompAnnotations},
                                       {19, CheckSeccompNotUnconfined}};
constexpr CheckForm kSysctlsForms[] = {
    {0, CheckSysctls}, {27, CheckSysctls27}, {29, CheckSysctls29}, {32, CheckSysctls32}};
constexpr CheckForm kHostProcessForms[] = {{0, CheckWindowsHostProcess}};

constexpr CheckForm kEscalationForms[] = {{8, CheckPrivilegeEscalation},
                                          {25, CheckPrivilegeEscalationExceptWindows}};
constexpr CheckForm kDroppedCapabilitiesForms[] = {{22, CheckDroppedCapabilities},
                                                   {25, CheckDroppedCapabilitiesExceptWindows}};
constexpr CheckForm kStrictProcMountForms[] = {{35, CheckProcMount}};
constexpr CheckForm kVolumeTypesForms[] = {{0, CheckVolumeTypes}};
constexpr CheckForm kRunAsNonRootForms[] = {{0, CheckRunAsNonRoot},
                                            {35, CheckRunAsNonRootInHostUsers}};
constexpr CheckForm kRunAsUserForms[] = {{23, CheckRunAsUser}, {35, CheckRunAsUserInHostUsers}};
constexpr CheckForm kSeccompSetForms[] = {{19, CheckSeccompSet},
                                          {25, CheckSeccompSetExceptWindows}};

// In the order of violations.
constexpr CheckDesc kChecks[] = {
    {"appArmorProfile", Level::kBaseline, kAppArmorForms},
    {"capabilities_baseline", Level::kBaseline, kAddedCapabilitiesForms},
    {"hostNamespaces", Level::kBaseline, kHostNamespacesForms},
    {"hostPathVolumes", Level::kBaseline, kHostPathForms},
    {"hostPorts", Level::kBaseline, kHostPortsForms},
    {"hostProbesAndHostLifecycle", Level::kBaseline, kProbeHostsForms},
    {"privileged", Level::kBaseline, kPrivilegedForms},
    {"procMount", Level::kBaseline, kProcMountForms},
    {"seLinuxOptions", Level::kBaseline, kSELinuxForms},
    {"seccompProfile_baseline", Level::kBaseline, kSeccompForms},
    {"sysctls", Level::kBaseline, kSysctlsForms},
    {"windowsHostProcess", Level::kBaseline, kHostProcessForms},
    {"allowPrivilegeEscalation", Level::kRestricted, kEscalationForms},
    {"capabilities_restricted", Level::kRestricted, kDroppedCapabilitiesForms,
     "capabilities_baseline"},
    {"procMount_restricted", Level::kRestricted, kStrictProcMountForms, "procMount"},
    {"restrictedVolumes", Level::kRestricted, kVolumeTypesForms, "hostPathVolumes"},
    {"runAsNonRoot", Level::kRestricted, kRunAsNonRootForms},
    {"runAsUser", Level::kRestricted, kRunAsUserForms},
    {"seccompProfile_restricted", Level::kRestricted, kSeccompSetForms, "seccompProfile_baseline"},
};

CheckFunction FormAt(const CheckDesc& check, PolicyVersion version) {
  CheckFunction found = nullptr;
  for (const CheckForm& form : check.forms) {
    if (form.since_minor <= version.minor) found = form.check;
  }
  return found;
}

bool IsReplaced(const CheckDesc& check, PolicyVersion version) {
  for (const CheckDesc& other : kChecks) {
    if (other.replaces == check.id && FormAt(other, version) != nullptr) return true;
  }
  return false;
}

template <typename Container>
ContainerParts PartsOf(const Container& container) {
  return {container.name(),
          container.security_context(),
          container.ports(),
          {container.liveness_probe(), container.readiness_probe(), container.startup_probe()},
          container.lifecycle()};
}

}  // namespace

PodParts::PodParts(const object::MapView<std::string_view>& annotations_of, const core::PodSpec& of)
    : annotations(annotations_of), spec(of) {
  for (const core::Container each : of.init_containers()) containers.push_back(PartsOf(each));
  for (const core::Container each : of.containers()) containers.push_back(PartsOf(each));
  for (const core::EphemeralContainer each : of.ephemeral_containers()) {
    containers.push_back(PartsOf(each));
  }
}

std::vector<Violation> Evaluate(const LevelVersion& policy,
                                const object::MapView<std::string_view>& annotations,
                                const core::PodSpec& spec) {
  std::vector<Violation> out;
  if (policy.level == Level::kPrivileged) return out;
  const PodParts pod(annotations, spec);
  for (const CheckDesc& check : kChecks) {
    if (check.level > policy.level) continue;
    if (policy.level == Level::kRestricted && IsReplaced(check, policy.version)) continue;
    const CheckFunction function = FormAt(check, policy.version);
    if (function == nullptr) continue;
    if (Finding found = function(pod)) out.push_back(std::move(*found));
  }
  return out;
}

std::string Describe(const std::vector<Violation>& violations) {
  std::string out;
  for (const Violation& violation : violations) {
    if (!out.empty()) out += ", ";
    out += violation.reason;
    if (!violation.detail.empty()) out += " (" + violation.detail + ")";
  }
  return out;
}

std::string Reasons(const std::vector<Violation>& violations) {
  std::string out;
  for (const Violation& violation : violations) {
    if (!out.empty()) out += ", ";
    out += violation.reason;
  }
  return out;
}

}  // namespace skiff::apiserver::pod_security
