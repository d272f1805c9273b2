#include <algorithm>
#include <array>

#include "apiserver/admission/pod_security/checks.h"
#include "apiserver/admission/pod_security/wording.h"

namespace skiff::apiserver::pod_security {
namespace {

// What a container may have beyond nothing and yet be an ordinary one.
constexpr std::array<std::string_view, 13> kDefaultCapabilities = {
    "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};

std::string MustNotAdd(const Names& containers, const NameSet& capabilities) {
  return ContainersNamed(containers) + " must not include " + JoinQuoted(Sorted(capabilities)) +
         " in securityContext.capabilities.add";
}

// Adds the container's name to `names` if one of its capabilities is forbidden.
template <typename Allowed>
void CollectAdded(const ContainerParts& container, Allowed allowed, Names& names,
                  NameSet& forbidden) {
  bool good = true;
  for (const std::string_view capability : container.security.capabilities().add()) {
    if (allowed(capability)) continue;
    good = false;
    forbidden.emplace(capability);
  }
  if (!good) names.emplace_back(container.name);
}

}  // namespace

Finding CheckPrivilegeEscalation(const PodParts& pod) {
  Names bad;
  for (const ContainerParts& container : pod.containers) {
    if (container.security.allow_privilege_escalation().value_or(true)) {
      bad.emplace_back(container.name);
    }
  }
  if (bad.empty()) return {};
  return Violation{
      "allowPrivilegeEscalation != false",
      ContainersNamed(bad) + " must set securityContext.allowPrivilegeEscalation=false"};
}

Finding CheckPrivilegeEscalationExceptWindows(const PodParts& pod) {
  if (pod.is_windows()) return {};
  return CheckPrivilegeEscalation(pod);
}

Finding CheckPrivileged(const PodParts& pod) {
  Names bad;
  for (const ContainerParts& container : pod.containers) {
    if (container.security.privileged().value_or(false)) bad.emplace_back(container.name);
  }
  if (bad.empty()) return {};
  return Violation{"privileged",
                   ContainersNamed(bad) + " must not set securityContext.privileged=true"};
}

Finding CheckAddedCapabilities(const PodParts& pod) {
  Names bad;
  NameSet forbidden;
  const auto allowed = [](std::string_view capability) {
    return std::ranges::find(kDefaultCapabilities, capability) != kDefaultCapabilities.end();
  };
  for (const ContainerParts& container : pod.containers) {
    CollectAdded(container, allowed, bad, forbidden);
  }
  if (bad.empty()) return {};
  return Violation{"non-default capabilities", MustNotAdd(bad, forbidden)};
}

Finding CheckDroppedCapabilities(const PodParts& pod) {
  Names not_dropping;
  Names adding;
  NameSet forbidden;
  for (const ContainerParts& container : pod.containers) {
    const auto dropped = container.security.capabilities().drop();
    if (std::find(dropped.begin(), dropped.end(), "ALL") == dropped.end()) {
      not_dropping.emplace_back(container.name);
    }
    CollectAdded(
        container, [](std::string_view capability) { return capability == "NET_BIND_SERVICE"; },
        adding, forbidden);
  }
  Names details;
  if (!not_dropping.empty()) {
    details.push_back(ContainersNamed(not_dropping) +
                      R"( must set securityContext.capabilities.drop=["ALL"])");
  }
  if (!adding.empty()) details.push_back(MustNotAdd(adding, forbidden));
  if (details.empty()) return {};
  return Violation{"unrestricted capabilities", Join(details, "; ")};
}

Finding CheckDroppedCapabilitiesExceptWindows(const PodParts& pod) {
  if (pod.is_windows()) return {};
  return CheckDroppedCapabilities(pod);
}

Finding CheckRunAsNonRoot(const PodParts& pod) {
  static constexpr char kReason[] = "runAsNonRoot != true";
  const std::optional<bool> of_pod = pod.spec.security_context().run_as_non_root();
  Names saying_no;
  Names saying_nothing;
  for (const ContainerParts& container : pod.containers) {
    const std::optional<bool> own = container.security.run_as_non_root();
    if (own == false) saying_no.emplace_back(container.name);
    if (!own && !of_pod.value_or(false)) saying_nothing.emplace_back(container.name);
  }
  if (const std::string setters = Setters(of_pod == false, saying_no); !setters.empty()) {
    return Violation{kReason, setters + " must not set securityContext.runAsNonRoot=false"};
  }
  if (saying_nothing.empty()) return {};
  return Violation{kReason, "pod or " + ContainersNamed(saying_nothing) +
                                " must set securityContext.runAsNonRoot=true"};
}

Finding CheckRunAsNonRootInHostUsers(const PodParts& pod) {
  if (pod.has_user_namespace()) return {};
  return CheckRunAsNonRoot(pod);
}

Finding CheckRunAsUser(const PodParts& pod) {
  Names bad;
  for (const ContainerParts& container : pod.containers) {
    if (container.security.run_as_user() == 0) bad.emplace_back(container.name);
  }
  const std::string setters = Setters(pod.spec.security_context().run_as_user() == 0, bad);
  if (setters.empty()) return {};
  return Violation{"runAsUser=0", setters + " must not set runAsUser=0"};
}

Finding CheckRunAsUserInHostUsers(const PodParts& pod) {
  if (pod.has_user_namespace()) return {};
  return CheckRunAsUser(pod);
}

}  // namespace skiff::apiserver::pod_security
