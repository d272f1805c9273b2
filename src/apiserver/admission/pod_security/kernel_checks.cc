#include <algorithm>
#include <span>

#include "apiserver/admission/pod_security/checks.h"
#include "apiserver/admission/pod_security/wording.h"

namespace skiff::apiserver::pod_security {
namespace {

namespace core = views::core_v1;

// The container engine's type has been allowed since 1.31.
constexpr std::string_view kSELinuxTypes[] = {"", "container_t", "container_init_t",
                                              "container_kvm_t", "container_engine_t"};
constexpr size_t kSELinuxTypesAtFirst = 4;

// Releases have only ever added to this list: 1.27, 1.29 and 1.32.
constexpr std::string_view kSafeSysctls[] = {"kernel.shm_rmid_forced",
                                             "net.ipv4.ip_local_port_range",
                                             "net.ipv4.tcp_syncookies",
                                             "net.ipv4.ping_group_range",
                                             "net.ipv4.ip_unprivileged_port_start",
                                             "net.ipv4.ip_local_reserved_ports",
                                             "net.ipv4.tcp_keepalive_time",
                                             "net.ipv4.tcp_fin_timeout",
                                             "net.ipv4.tcp_keepalive_intvl",
                                             "net.ipv4.tcp_keepalive_probes",
                                             "net.ipv4.tcp_rmem",
                                             "net.ipv4.tcp_wmem"};
constexpr size_t kSafeSysctlsAtFirst = 5;
constexpr size_t kSafeSysctls27 = 6;
constexpr size_t kSafeSysctls29 = 10;

bool IsIn(std::string_view text, std::span<const std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

Finding SELinuxWith(const PodParts& pod, std::span<const std::string_view> allowed) {
  NameSet bad_types;
  bool sets_user = false;
  bool sets_role = false;
  const auto is_good = [&](const core::SELinuxOptions& options) {
    const bool good_type = IsIn(options.type(), allowed);
    if (!good_type) bad_types.emplace(options.type());
    sets_user |= !options.user().empty();
    sets_role |= !options.role().empty();
    return good_type && options.user().empty() && options.role().empty();
  };
  const bool pod_is_bad = !is_good(pod.spec.security_context().se_linux_options());
  Names bad;
  for (const ContainerParts& container : pod.containers) {
    if (!is_good(container.security.se_linux_options())) bad.emplace_back(container.name);
  }
  const std::string setters = Setters(pod_is_bad, bad);
  if (setters.empty()) return {};
  Names wrong;
  if (!bad_types.empty()) {
    wrong.push_back(std::string(Plural("type ", "types ", bad_types.size())) +
                    JoinQuoted(Sorted(bad_types)));
  }
  if (sets_user) wrong.emplace_back("user may not be set");
  if (sets_role) wrong.emplace_back("role may not be set");
  return Violation{"seLinuxOptions",
                   setters + " set forbidden securityContext.seLinuxOptions: " + Join(wrong, "; ")};
}

Finding SysctlsWith(const PodParts& pod, std::span<const std::string_view> allowed) {
  Names bad;
  for (const core::Sysctl sysctl : pod.spec.security_context().sysctls()) {
    if (!IsIn(sysctl.name(), allowed)) bad.emplace_back(sysctl.name());
  }
  if (bad.empty()) return {};
  return Violation{"forbidden sysctls", Join(bad, ", ")};
}

}  // namespace

Finding CheckProcMount(const PodParts& pod) {
  Names bad;
  NameSet types;
  for (const ContainerParts& container : pod.containers) {
    const std::optional<std::string_view> type = container.security.proc_mount();
    if (!type || *type == "Default") continue;
    bad.emplace_back(container.name);
    types.emplace(*type);
  }
  if (bad.empty()) return {};
  return Violation{"procMount", ContainersNamed(bad) +
                                    " must not set securityContext.procMount to " +
                                    JoinQuoted(Sorted(types))};
}

Finding CheckProcMountInHostUsers(const PodParts& pod) {
  if (pod.has_user_namespace()) return {};
  return CheckProcMount(pod);
}

Finding CheckSELinux(const PodParts& pod) {
  return SELinuxWith(pod, std::span(kSELinuxTypes).first(kSELinuxTypesAtFirst));
}

Finding CheckSELinuxWithEngine(const PodParts& pod) { return SELinuxWith(pod, kSELinuxTypes); }

Finding CheckSysctls(const PodParts& pod) {
  return SysctlsWith(pod, std::span(kSafeSysctls).first(kSafeSysctlsAtFirst));
}

Finding CheckSysctls27(const PodParts& pod) {
  return SysctlsWith(pod, std::span(kSafeSysctls).first(kSafeSysctls27));
}

Finding CheckSysctls29(const PodParts& pod) {
  return SysctlsWith(pod, std::span(kSafeSysctls).first(kSafeSysctls29));
}

Finding CheckSysctls32(const PodParts& pod) { return SysctlsWith(pod, kSafeSysctls); }

}  // namespace skiff::apiserver::pod_security
