#include "apiserver/registry/core/security_context.h"

#include <algorithm>
#include <limits>
#include <string>

#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/pod_os.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

void ValidateId(std::optional<int64_t> id, std::string_view field, FieldErrors& errors) {
  if (id) ValidateInRange(*id, 0, std::numeric_limits<int32_t>::max(), field, errors);
}

void ValidateSeccompProfile(const core::SeccompProfile& profile, FieldErrors& errors) {
  const auto at = errors.At("seccompProfile");
  if (profile.type().empty()) {
    errors.Required("type", "type is required when seccompProfile is set");
  } else {
    ValidateOneOf(profile.type(), {"Localhost", "RuntimeDefault", "Unconfined"}, "type", errors);
  }
  const std::optional<std::string_view> path = profile.localhost_profile();
  if (profile.type() != "Localhost") {
    if (path) {
      errors.Invalid("localhostProfile", profile.AsValue(),
                     "can only be set when seccomp type is Localhost");
    }
  } else if (!path) {
    errors.Required("localhostProfile", "must be set when seccomp type is Localhost");
  } else {
    ValidateDescendingPath(*path, "localhostProfile", errors);
  }
}

void ValidateLocalAppArmorProfile(std::optional<std::string_view> name, FieldErrors& errors) {
  constexpr size_t kMaxBytes = 4095;
  if (!name) {
    return errors.Required("localhostProfile", "must be set when AppArmor type is Localhost");
  }
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (name->empty()) {
    errors.Required("localhostProfile", "must be set when AppArmor type is Localhost");
  } else if (is_space(name->front()) || is_space(name->back())) {
    errors.Invalid("localhostProfile", *name, "must not be padded with whitespace");
  }
  if (name->size() > kMaxBytes) errors.TooLong("localhostProfile", kMaxBytes);
}

void ValidateAppArmorProfile(const core::AppArmorProfile& profile, FieldErrors& errors) {
  const auto at = errors.At("appArmorProfile");
  const std::string_view type = profile.type();
  if (type == "Localhost") {
    ValidateLocalAppArmorProfile(profile.localhost_profile(), errors);
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (profile.localhost_profile()) {
      errors.Invalid("localhostProfile", *profile.localhost_profile(),
                     "can only be set when AppArmor type is Localhost");
    }
  } else if (type.empty()) {
    errors.Required("type", "type is required when appArmorProfile is set");
  } else {
    errors.NotSupported("type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

// Segments joined with dots or slashes: net.ipv4.ip_forward, or net/ipv4/ip_forward.
bool IsSysctlName(std::string_view name) {
  constexpr size_t kMaxBytes = 253;
  if (name.size() > kMaxBytes) return false;
  bool starts = true;
  char last = '.';
  for (const char c : name) {
    const bool is_end = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c == '.' || c == '/') {
      if (starts || last == '-' || last == '_') return false;
      starts = true;
    } else if (is_end) {
      starts = false;
    } else if ((c != '-' && c != '_') || starts) {
      return false;
    }
    last = c;
  }
  return !starts && last != '-' && last != '_';
}

void ValidateSysctls(const core::PodSpec& spec, const PodOptions& options, FieldErrors& errors) {
  const auto sysctls = spec.security_context().sysctls();
  SeenNames names;
  for (size_t i = 0; i < sysctls.size(); ++i) {
    const std::string_view name = sysctls[i].name();
    const auto at = errors.At("sysctls", i);
    if (name.empty()) {
      errors.Required("name");
    } else if (!IsSysctlName(name)) {
      errors.Invalid("name", name,
                     "must have at most 253 characters and match regex "
                     "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
    } else if (names.Has(name)) {
      errors.Duplicate("name", name);
    }
    const std::string_view shared = SharedWithTheHostBy(name, spec);
    if (!options.allow_sysctls_of_the_host && !shared.empty()) {
      errors.Invalid("name", name,
                     "may not be specified when '" + std::string(shared) + "' is true");
    }
    names.Add(name);
  }
}

}  // namespace

std::string_view SharedWithTheHostBy(std::string_view name, const core::PodSpec& spec) {
  constexpr std::string_view kIpc[] = {
      "kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced",
      "kernel.shm", "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.msg",
  };
  if (!spec.host_network() && !spec.host_ipc()) return {};
  // Whichever separator comes first is the one that parts the name.
  std::string dotted(name.substr(0, name.find('*')));
  const size_t first = dotted.find_first_of("./");
  if (first != std::string::npos && dotted[first] == '/') {
    for (char& c : dotted) c = c == '/' ? '.' : c == '.' ? '/' : c;
  }
  if (spec.host_network() && dotted.starts_with("net.")) return "hostNetwork";
  const bool is_ipc =
      dotted.starts_with("fs.mqueue.") || std::ranges::find(kIpc, dotted) != std::end(kIpc);
  return spec.host_ipc() && is_ipc ? "hostIPC" : "";
}

void ValidateSecurityContext(const core::SecurityContext& context, bool host_users,
                             FieldErrors& errors) {
  const auto at = errors.At("securityContext");
  const bool privileged = context.privileged().value_or(false);
  if (privileged && !errors.settings().allow_privileged) {
    errors.Forbidden("privileged", "disallowed by cluster policy");
  }
  ValidateId(context.run_as_user(), "runAsUser", errors);
  ValidateId(context.run_as_group(), "runAsGroup", errors);
  if (const auto mount = context.proc_mount()) {
    ValidateOneOf(*mount, {"Default", "Unmasked"}, "procMount", errors);
    if (host_users && *mount == "Unmasked") {
      errors.Invalid("procMount", *mount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  if (context.has_seccomp_profile()) ValidateSeccompProfile(context.seccomp_profile(), errors);
  if (!context.allow_privilege_escalation().value_or(true)) {
    if (privileged) {
      errors.Invalid("", context.AsValue(),
                     "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    for (const std::string_view capability : context.capabilities().add()) {
      if (capability != "CAP_SYS_ADMIN") continue;
      errors.Invalid("", context.AsValue(),
                     "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` "
                     "CAP_SYS_ADMIN");
    }
  }
  if (context.has_windows_options()) ValidateWindowsOptions(context.windows_options(), errors);
  if (context.has_app_armor_profile()) ValidateAppArmorProfile(context.app_armor_profile(), errors);
}

void ValidatePodSecurityContext(const core::PodSpec& spec, const PodOptions& options,
                                FieldErrors& errors) {
  const core::PodSecurityContext context = spec.security_context();
  const auto at = errors.At("securityContext");
  ValidateId(context.fs_group(), "fsGroup", errors);
  ValidateId(context.run_as_user(), "runAsUser", errors);
  ValidateId(context.run_as_group(), "runAsGroup", errors);
  const auto groups = context.supplemental_groups();
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto group = errors.At("supplementalGroups", i);
    ValidateId(groups[i], "", errors);
  }
  if (spec.host_pid() && spec.share_process_namespace().value_or(false)) {
    errors.Invalid("shareProcessNamespace", true,
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  ValidateSysctls(spec, options, errors);
  if (const auto policy = context.fs_group_change_policy()) {
    ValidateOneOf(*policy, {"Always", "OnRootMismatch"}, "fsGroupChangePolicy", errors);
  }
  if (context.has_seccomp_profile()) ValidateSeccompProfile(context.seccomp_profile(), errors);
  if (context.has_windows_options()) ValidateWindowsOptions(context.windows_options(), errors);
  if (context.has_app_armor_profile()) ValidateAppArmorProfile(context.app_armor_profile(), errors);
  if (const auto policy = context.supplemental_groups_policy()) {
    ValidateOneOf(*policy, {"Merge", "Strict"}, "supplementalGroupsPolicy", errors);
  }
  if (const auto policy = context.se_linux_change_policy()) {
    if (options.allow_any_se_linux_change_policy || errors.IsOn("SELinuxMount")) {
      ValidateOneOf(*policy, {"MountOption", "Recursive"}, "seLinuxChangePolicy", errors);
    } else {
      ValidateOneOf(*policy, {"Recursive"}, "seLinuxChangePolicy", errors);
    }
  }
}

}  // namespace skiff::apiserver
