#include "apiserver/admission/pod_security/checks.h"
#include "apiserver/admission/pod_security/seccomp_annotations.h"
#include "apiserver/admission/pod_security/wording.h"
#include "base/go_quoted.h"

namespace skiff::apiserver::pod_security {
namespace {

constexpr std::string_view kAppArmorAnnotations = "container.apparmor.security.beta.kubernetes.io/";

// Of AppArmor and of seccomp alike.
bool IsConfined(std::string_view type) { return type == "RuntimeDefault" || type == "Localhost"; }

bool IsConfinedAppArmorAnnotation(std::string_view profile) {
  return profile.empty() || profile == "runtime/default" || profile.starts_with("localhost/");
}

bool IsConfinedSeccompAnnotation(std::string_view profile) {
  return profile == "runtime/default" || profile == "docker/default" ||
         profile.starts_with("localhost/");
}

// What of a pod says something about seccomp.
struct SeccompUse {
  bool pod_is_bad = false;
  bool pod_is_good = false;
  Names bad;    // containers that are not confined, and say so
  Names unset;  // containers that say nothing
  NameSet bad_values;

  explicit SeccompUse(const PodParts& pod) {
    if (const auto of_pod = pod.spec.security_context(); of_pod.has_seccomp_profile()) {
      pod_is_good = IsConfined(of_pod.seccomp_profile().type());
      pod_is_bad = !pod_is_good;
      if (pod_is_bad) bad_values.emplace(of_pod.seccomp_profile().type());
    }
    for (const ContainerParts& container : pod.containers) {
      if (!container.security.has_seccomp_profile()) {
        unset.emplace_back(container.name);
        continue;
      }
      const std::string_view type = container.security.seccomp_profile().type();
      if (IsConfined(type)) continue;
      bad.emplace_back(container.name);
      bad_values.emplace(type);
    }
  }

  Finding FindBad() const {
    const std::string setters = Setters(pod_is_bad, bad);
    if (setters.empty()) return {};
    return Violation{"seccompProfile", setters +
                                           " must not set securityContext.seccompProfile.type to " +
                                           JoinQuoted(Sorted(bad_values))};
  }
};

}  // namespace

Finding CheckAppArmor(const PodParts& pod) {
  Names setters;
  NameSet bad_values;
  Names bad;
  bool pod_is_bad = false;
  if (const auto of_pod = pod.spec.security_context(); of_pod.has_app_armor_profile()) {
    pod_is_bad = !IsConfined(of_pod.app_armor_profile().type());
    if (pod_is_bad) bad_values.emplace(of_pod.app_armor_profile().type());
  }
  for (const ContainerParts& container : pod.containers) {
    if (!container.security.has_app_armor_profile()) continue;
    const std::string_view type = container.security.app_armor_profile().type();
    if (IsConfined(type)) continue;
    bad.emplace_back(container.name);
    bad_values.emplace(type);
  }
  if (const std::string who = Setters(pod_is_bad, bad); !who.empty()) setters.push_back(who);
  NameSet annotations;
  for (const auto& [key, value] : pod.annotations) {
    if (!key.starts_with(kAppArmorAnnotations) || IsConfinedAppArmorAnnotation(value)) continue;
    annotations.insert(std::string(key) + "=" + GoQuoted(value));
  }
  Names shown = Sorted(bad_values);
  if (!annotations.empty()) {
    shown.insert(shown.end(), annotations.begin(), annotations.end());
    setters.emplace_back(Plural("annotation", "annotations", annotations.size()));
  }
  if (setters.empty()) return {};
  return Violation{
      std::string(
          Plural("forbidden AppArmor profile", "forbidden AppArmor profiles", shown.size())),
      Join(setters, " and ") + " must not set AppArmor profile type to " + JoinQuoted(shown)};
}

Finding CheckSeccompAnnotations(const PodParts& pod) {
  NameSet forbidden;
  const auto look_at = [&](const std::string& key) {
    const std::optional<std::string_view> value = pod.annotations.Find(key);
    if (value && !IsConfinedSeccompAnnotation(*value)) {
      forbidden.insert(key + "=" + GoQuoted(*value));
    }
  };
  look_at(std::string(kSeccompOfPod));
  for (const ContainerParts& container : pod.containers) {
    look_at(std::string(kSeccompOfContainer) + std::string(container.name));
  }
  if (forbidden.empty()) return {};
  return Violation{
      "seccompProfile",
      std::string(Plural("forbidden annotation ", "forbidden annotations ", forbidden.size())) +
          Join(Sorted(forbidden), ", ")};
}

Finding CheckSeccompNotUnconfined(const PodParts& pod) { return SeccompUse(pod).FindBad(); }

Finding CheckSeccompSet(const PodParts& pod) {
  const SeccompUse use(pod);
  if (Finding bad = use.FindBad()) return bad;
  if (use.pod_is_good || use.unset.empty()) return {};
  return Violation{"seccompProfile",
                   "pod or " + ContainersNamed(use.unset) +
                       R"( must set securityContext.seccompProfile.type to "RuntimeDefault")"
                       R"( or "Localhost")"};
}

Finding CheckSeccompSetExceptWindows(const PodParts& pod) {
  if (pod.is_windows()) return {};
  return CheckSeccompSet(pod);
}

}  // namespace skiff::apiserver::pod_security
