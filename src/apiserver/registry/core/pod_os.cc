// The rules of security_context.h that depend on the system of the node.
#include "apiserver/registry/core/pod_os.h"

#include <optional>
#include <string>

#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kNotForWindows = "cannot be set for a windows pod";

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool IsAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsNetBiosDomain(std::string_view domain) {
  constexpr size_t kMaxBytes = 15;
  return !domain.empty() && domain.size() <= kMaxBytes && domain.front() != '.' &&
         domain.find_first_of("\\/:*?\"<>|") == std::string_view::npos;
}

// Labels of letters, digits and inner hyphens, of 63 at most each.
bool IsDnsDomain(std::string_view domain) {
  while (true) {
    const size_t dot = domain.find('.');
    const std::string_view label = domain.substr(0, dot);
    if (label.empty() || label.size() > object::kMaxDnsLabelLength) return false;
    if (!IsAlnum(label.front()) || !IsAlnum(label.back())) return false;
    for (const char c : label) {
      if (!IsAlnum(c) && c != '-') return false;
    }
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

void ValidateUserName(std::string_view name, FieldErrors& errors) {
  constexpr size_t kMaxDomainBytes = 256;
  constexpr size_t kMaxUserBytes = 104;
  const auto fault = [&](std::string_view why) { errors.Invalid("runAsUserName", name, why); };
  if (name.empty()) return fault("runAsUserName cannot be an empty string");
  for (const char c : name) {
    if (IsControl(c)) return fault("runAsUserName cannot contain control characters");
  }
  const size_t slash = name.find('\\');
  if (slash != std::string_view::npos && name.find('\\', slash + 1) != std::string_view::npos) {
    return fault("runAsUserName cannot contain more than one backslash");
  }
  std::string_view user = name;
  if (slash != std::string_view::npos) {
    const std::string_view domain = name.substr(0, slash);
    user = name.substr(slash + 1);
    if (domain.size() >= kMaxDomainBytes) {
      fault("runAsUserName's Domain length must be under 256 characters");
    }
    if (!IsNetBiosDomain(domain) && !IsDnsDomain(domain)) {
      fault("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (user.empty()) {
    fault("runAsUserName's User cannot be empty");
  } else if (user.size() > kMaxUserBytes) {
    fault("runAsUserName's User length must not be longer than 104 characters");
  }
  if (!user.empty() && user.find_first_not_of(". ") == std::string_view::npos) {
    fault("runAsUserName's User cannot contain only periods or spaces");
  }
  if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != std::string_view::npos) {
    fault("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
}

void ForbidOnWindows(bool is_set, std::string_view field, FieldErrors& errors) {
  if (is_set) errors.Forbidden(field, kNotForWindows);
}

void ForbidOnWindows(const core::PodSpec& spec, FieldErrors& errors) {
  const core::PodSecurityContext context = spec.security_context();
  const auto forbid = [&](bool is_set, std::string_view field) {
    ForbidOnWindows(is_set, field, errors);
  };
  using Field = core::PodSecurityContext::Field;
  const bool has_groups = context.AsValue() != nullptr &&
                          context.AsValue()->Member(Field::kSupplementalGroups) != nullptr;
  forbid(context.has_app_armor_profile(), "securityContext.appArmorProfile");
  forbid(context.has_se_linux_options(), "securityContext.seLinuxOptions");
  forbid(spec.host_users().has_value(), "hostUsers");
  forbid(spec.host_pid(), "hostPID");
  forbid(spec.host_ipc(), "hostIPC");
  forbid(context.has_seccomp_profile(), "securityContext.seccompProfile");
  forbid(context.fs_group().has_value(), "securityContext.fsGroup");
  forbid(context.fs_group_change_policy().has_value(), "securityContext.fsGroupChangePolicy");
  forbid(!context.sysctls().empty(), "securityContext.sysctls");
  forbid(spec.share_process_namespace().has_value(), "shareProcessNamespace");
  forbid(context.run_as_user().has_value(), "securityContext.runAsUser");
  forbid(context.run_as_group().has_value(), "securityContext.runAsGroup");
  forbid(has_groups, "securityContext.supplementalGroups");
  forbid(context.supplemental_groups_policy().has_value(),
         "securityContext.supplementalGroupsPolicy");
  forbid(context.se_linux_change_policy().has_value(), "securityContext.seLinuxChangePolicy");
}

void ForbidOnWindows(const core::SecurityContext& context, FieldErrors& errors) {
  const auto at = errors.At("securityContext");
  const auto forbid = [&](bool is_set, std::string_view field) {
    ForbidOnWindows(is_set, field, errors);
  };
  forbid(context.has_app_armor_profile(), "appArmorProfile");
  forbid(context.has_se_linux_options(), "seLinuxOptions");
  forbid(context.has_seccomp_profile(), "seccompProfile");
  forbid(context.has_capabilities(), "capabilities");
  forbid(context.read_only_root_filesystem().has_value(), "readOnlyRootFilesystem");
  forbid(context.privileged().has_value(), "privileged");
  forbid(context.allow_privilege_escalation().has_value(), "allowPrivilegeEscalation");
  forbid(context.proc_mount().has_value(), "procMount");
  forbid(context.run_as_user().has_value(), "runAsUser");
  forbid(context.run_as_group().has_value(), "runAsGroup");
}

void ForbidOnLinux(const core::PodSpec& spec, FieldErrors& errors) {
  constexpr std::string_view kWhy = "windows options cannot be set for a linux pod";
  if (spec.security_context().has_windows_options()) {
    errors.Forbidden("securityContext.windowsOptions", kWhy);
  }
  VisitContainers(spec, [&](const core::Container& container, std::string_view list, size_t index) {
    if (!container.security_context().has_windows_options()) return;
    const auto at = errors.At(list, index);
    errors.Forbidden("securityContext.windowsOptions", kWhy);
  });
}

}  // namespace

void ValidateWindowsOptions(const core::WindowsSecurityContextOptions& options,
                            FieldErrors& errors) {
  constexpr size_t kMaxCredentialBytes = 64 * 1024;
  const auto at = errors.At("windowsOptions");
  if (const auto name = options.gmsa_credential_spec_name()) {
    ValidateFormat(kDnsSubdomainFormat, *name, "gmsaCredentialSpecName", errors);
  }
  if (const auto credential = options.gmsa_credential_spec()) {
    if (credential->empty()) {
      errors.Invalid("gmsaCredentialSpec", *credential,
                     "gmsaCredentialSpec cannot be an empty string");
    } else if (credential->size() > kMaxCredentialBytes) {
      errors.Invalid("gmsaCredentialSpec", *credential,
                     "gmsaCredentialSpec size must be under 64 KiB");
    }
  }
  if (const auto name = options.run_as_user_name()) ValidateUserName(*name, errors);
}

void ValidateHostProcesses(const core::PodSpec& spec, FieldErrors& errors) {
  size_t count = 0;
  size_t host_processes = 0;
  const std::optional<bool> of_pod = spec.security_context().windows_options().host_process();
  VisitContainers(spec, [&](const core::Container& container, std::string_view list, size_t index) {
    ++count;
    const std::optional<bool> own = container.security_context().windows_options().host_process();
    if (of_pod && own && *of_pod != *own) {
      const auto at = errors.At(list, index);
      errors.Invalid("securityContext.windowsOptions.hostProcess", *own,
                     std::string("pod hostProcess value must be identical if both are specified, "
                                 "was ") +
                         (*of_pod ? "true" : "false"));
    }
    if (own.value_or(of_pod.value_or(false))) ++host_processes;
  });
  if (host_processes == 0) return;
  if (host_processes != count) {
    errors.Invalid("", "",
                   "If pod contains any hostProcess containers then all containers must be "
                   "HostProcess containers");
  }
  if (!spec.host_network()) {
    errors.Invalid("hostNetwork", false,
                   "hostNetwork must be true if pod contains any hostProcess containers");
  }
  if (!errors.settings().allow_privileged) {
    errors.Forbidden("", "hostProcess containers are disallowed by cluster policy");
  }
}

void ValidateHostUsers(const core::PodSpec& spec, const PodOptions& options, FieldErrors& errors) {
  constexpr std::string_view kWhy = "when `hostUsers` is false";
  if (spec.host_users().value_or(true)) return;
  if (spec.host_network() && !options.allow_host_network_without_host_users &&
      !errors.IsOn("UserNamespacesHostNetworkSupport")) {
    errors.Forbidden("hostNetwork", kWhy);
  }
  // Kubernetes names these two fields so.
  if (spec.host_pid()) errors.Forbidden("HostPID", kWhy);
  if (spec.host_ipc()) errors.Forbidden("HostIPC", kWhy);
  if (options.allow_volume_devices_without_host_users) return;
  VisitContainers(spec, [&](const core::Container& container, std::string_view list, size_t index) {
    if (container.volume_devices().empty()) return;
    const auto at = errors.At(list, index);
    errors.Forbidden("volumeDevices", kWhy);
  });
}

void ValidateOs(const core::PodSpec& spec, FieldErrors& errors) {
  if (!spec.has_os()) return;
  const std::string_view name = spec.os().name();
  if (name.empty()) return errors.Required("os.name");
  if (name == "linux") return ForbidOnLinux(spec, errors);
  if (name != "windows") return errors.NotSupported("os", name, {"linux", "windows"});
  ForbidOnWindows(spec, errors);
  VisitContainers(spec, [&](const core::Container& container, std::string_view list, size_t index) {
    if (!container.has_security_context()) return;
    const auto at = errors.At(list, index);
    ForbidOnWindows(container.security_context(), errors);
  });
}

}  // namespace skiff::apiserver
