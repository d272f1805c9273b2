#include "apiserver/registry/core/pod_warnings.h"

#include <map>
#include <utility>

#include "apiserver/registry/core/node_labels.h"
#include "apiserver/registry/core/path_warnings.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/registry/core/warner.h"
#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace meta = views::meta_v1;

void WarnAboutNodeTerm(const core::NodeSelectorTerm& term, bool looks_at_values, Warner& warner) {
  const auto expressions = term.match_expressions();
  for (size_t i = 0; i < expressions.size(); ++i) {
    const auto at = warner.At("matchExpressions", i);
    const std::string_view key = expressions[i].key();
    const std::string_view why = DeprecationOfNodeLabel(key);
    if (!why.empty()) warner.Add("key", std::string(key) + " is " + std::string(why));
    if (!looks_at_values) continue;
    const auto values = expressions[i].values();
    for (size_t j = 0; j < values.size(); ++j) {
      if (object::IsLabelValue(values[j])) continue;
      const auto value = warner.At("values", j);
      for (const std::string& problem : object::CheckLabelValue(values[j])) {
        warner.Add("", std::string(values[j]) + " is invalid, " + problem);
      }
    }
  }
}

void WarnAboutNodeLabels(const core::PodSpec& spec, Warner& warner) {
  for (const auto& [key, value] : spec.node_selector()) {
    const std::string_view why = DeprecationOfNodeLabel(key);
    if (why.empty()) continue;
    const auto at = warner.AtKey("nodeSelector", key);
    warner.Add("", why);
  }
  const core::NodeAffinity affinity = spec.affinity().node_affinity();
  {
    const auto at = warner.At("affinity");
    const auto node = warner.At("nodeAffinity");
    const auto terms =
        affinity.required_during_scheduling_ignored_during_execution().node_selector_terms();
    for (size_t i = 0; i < terms.size(); ++i) {
      const auto required = warner.At("requiredDuringSchedulingIgnoredDuringExecution");
      const auto term = warner.At("nodeSelectorTerms", i);
      WarnAboutNodeTerm(terms[i], false, warner);
    }
    const auto preferred = affinity.preferred_during_scheduling_ignored_during_execution();
    for (size_t i = 0; i < preferred.size(); ++i) {
      const auto term = warner.At("preferredDuringSchedulingIgnoredDuringExecution", i);
      const auto preference = warner.At("preference");
      WarnAboutNodeTerm(preferred[i].preference(), true, warner);
    }
  }
  const auto constraints = spec.topology_spread_constraints();
  for (size_t i = 0; i < constraints.size(); ++i) {
    const auto at = warner.At("topologySpreadConstraints", i);
    const std::string_view key = constraints[i].topology_key();
    const std::string_view why = DeprecationOfNodeLabel(key);
    if (!why.empty()) warner.Add("topologyKey", std::string(key) + " is " + std::string(why));
    if (!constraints[i].has_label_selector()) {
      warner.Add("labelSelector", "a null labelSelector results in matching no pod");
    }
  }
}

// What of the metadata no longer does anything. `place` leads to the metadata.
void WarnAboutAnnotation(std::string_view key, std::string_view why, Warner& warner) {
  const auto at = warner.At("metadata");
  const auto annotation = warner.AtKey("annotations", key);
  warner.Add("", why);
}

void WarnAboutAnnotations(const meta::ObjectMeta& metadata, Warner& warner) {
  constexpr std::string_view kSysctls =
      "non-functional in v1.11+; use the \"sysctls\" field instead";
  constexpr std::pair<std::string_view, std::string_view> kDeprecated[] = {
      {"scheduler.alpha.kubernetes.io/critical-pod",
       "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
      {"security.alpha.kubernetes.io/sysctls", kSysctls},
      {"security.alpha.kubernetes.io/unsafe-sysctls", kSysctls},
  };
  if (metadata.annotations().empty()) return;
  for (const auto& [key, why] : kDeprecated) {
    if (metadata.annotations().Contains(key)) WarnAboutAnnotation(key, why, warner);
  }
}

bool IsFractional(std::string_view quantity) {
  if (quantity.find_first_of(".munEe") == std::string_view::npos) return false;
  return ParsedQuantity(quantity).MilliValue() % 1000 != 0;
}

void WarnAboutFraction(const object::MapView<std::string_view>& amounts, std::string_view name,
                       std::string_view field, Warner& warner) {
  const std::optional<std::string_view> amount = amounts.Find(name);
  if (!amount || !IsFractional(*amount)) return;
  const auto at = warner.AtKey(field, name);
  warner.Add("", "fractional byte value " + InQuotes(*amount) + " is invalid, must be an integer");
}

void WarnAboutVolume(const core::Volume& volume, Warner& warner) {
  using F = core::Volume;
  struct Deprecated {
    F::Field field;
    std::string_view name;
    std::string_view why;
  };
  constexpr Deprecated kDeprecated[] = {
      {F::kPhotonPersistentDisk, "photonPersistentDisk",
       "deprecated in v1.11, non-functional in v1.16+"},
      {F::kGitRepo, "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
      {F::kScaleIO, "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
      {F::kFlocker, "flocker", "deprecated in v1.22, non-functional in v1.25+"},
      {F::kStorageos, "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
      {F::kQuobyte, "quobyte", "deprecated in v1.22, non-functional in v1.25+"},
      {F::kGlusterfs, "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
      {F::kCephfs, "cephfs", "deprecated in v1.28, non-functional in v1.31+"},
      {F::kRbd, "rbd", "deprecated in v1.28, non-functional in v1.31+"},
  };
  for (const Deprecated& each : kDeprecated) {
    if (volume.AsValue()->Member(each.field) != nullptr) warner.Add(each.name, each.why);
  }
  if (!volume.has_ephemeral()) return;
  const auto claim = volume.ephemeral().volume_claim_template().spec().resources();
  const auto at = warner.At("ephemeral.volumeClaimTemplate.spec.resources");
  WarnAboutFraction(claim.requests(), "storage", "requests", warner);
  WarnAboutFraction(claim.limits(), "storage", "limits", warner);
}

void WarnAboutVolumes(const core::PodSpec& spec, Warner& warner) {
  const auto volumes = spec.volumes();
  for (size_t i = 0; i < volumes.size(); ++i) {
    const auto at = warner.At("volumes", i);
    WarnAboutVolume(volumes[i], warner);
  }
  WarnAboutOverlappingPaths(volumes, warner);
}

void WarnAboutDuplicates(const core::PodSpec& spec, Warner& warner) {
  const auto aliases = spec.host_aliases();
  SeenNames ips;
  for (size_t i = 0; i < aliases.size(); ++i) {
    const auto at = warner.At("hostAliases", i);
    if (!ips.Add(aliases[i].ip())) warner.Add("ip", "duplicate ip " + InQuotes(aliases[i].ip()));
  }
  const auto secrets = spec.image_pull_secrets();
  SeenNames names;
  for (size_t i = 0; i < secrets.size(); ++i) {
    const auto at = warner.At("imagePullSecrets", i);
    if (!names.Add(secrets[i].name())) {
      warner.Add("name", "duplicate name " + InQuotes(secrets[i].name()));
    }
  }
  for (size_t i = 0; i < secrets.size(); ++i) {
    const auto at = warner.At("imagePullSecrets", i);
    if (secrets[i].name().empty()) warner.Add("name", "invalid empty name \"\"");
  }
}

// A variable that is defined again may build on its former value, and nothing else.
void WarnAboutEnv(const core::Container& container, Warner& warner) {
  const auto env = container.env();
  if (env.size() < 2) return;
  SeenNames names;
  for (size_t i = 0; i < env.size(); ++i) {
    if (names.Add(env[i].name())) continue;
    const std::string reference = "$(" + std::string(env[i].name()) + ")";
    const std::string_view value = env[i].value();
    const bool builds_on_it = !env[i].has_value_from() && value != reference &&
                              value.find(reference) != std::string_view::npos;
    if (builds_on_it) continue;
    const auto at = warner.At("env", i);
    warner.Add("", "hides previous definition of " + InQuotes(env[i].name()) +
                       ", which may be dropped when using apply");
  }
}

// Whether an annotation says the same as the profile of the pod.
bool IsProfile(const core::AppArmorProfile& profile, std::string_view annotation) {
  constexpr std::string_view kLocalhost = "localhost/";
  const std::string_view type = profile.type();
  if (annotation.starts_with(kLocalhost)) {
    return type == "Localhost" &&
           profile.localhost_profile() == annotation.substr(kLocalhost.size());
  }
  if (profile.localhost_profile()) return false;
  return (annotation == "unconfined" && type == "Unconfined") ||
         (annotation == "runtime/default" && type == "RuntimeDefault");
}

class PodWarner {
 public:
  PodWarner(const core::PodSpec& spec, const meta::ObjectMeta& metadata, std::string_view place,
            std::vector<std::string>& warnings)
      : spec_(spec), metadata_(metadata), place_(place), warner_(warnings) {}

  void Run() {
    InSpec([&] { WarnAboutNodeLabels(spec_, warner_); });
    InTemplate([&] { WarnAboutAnnotations(metadata_, warner_); });
    InSpec([&] {
      WarnAboutVolumes(spec_, warner_);
      WarnAboutDuplicates(spec_, warner_);
      WarnAboutFraction(spec_.overhead(), "memory", "overhead", warner_);
      WarnAboutFraction(spec_.overhead(), "ephemeral-storage", "overhead", warner_);
    });
    if (!spec_.security_context().has_seccomp_profile()) {
      WarnAboutSeccomp(std::string(kSeccompPodAnnotation));
    }
    VisitContainers(spec_, [&](const core::Container& container, std::string_view list,
                               size_t index) { WarnAboutContainer(container, list, index); });
    InSpec([&] {
      WarnAboutPorts();
      WarnAboutPortNames();
      if (spec_.termination_grace_period_seconds().value_or(0) < 0) {
        warner_.Add("terminationGracePeriodSeconds",
                    "must be >= 0; negative values are invalid and will be treated as 1");
      }
      if (spec_.has_affinity()) WarnAboutPodAffinity();
      WarnAboutAddresses();
    });
  }

 private:
  template <typename Function>
  void InTemplate(const Function& function) {
    const auto at = warner_.At(place_);
    function();
  }
  template <typename Function>
  void InSpec(const Function& function) {
    const auto at = warner_.At(place_);
    const auto spec = warner_.At("spec");
    function();
  }

  void WarnAboutSeccomp(const std::string& key) {
    if (!metadata_.annotations().Contains(key)) return;
    InTemplate([&] {
      WarnAboutAnnotation(key, "non-functional in v1.27+; use the \"seccompProfile\" field instead",
                          warner_);
    });
  }

  // Of a pod, the annotation has been turned into the field by now.
  void WarnAboutAppArmor(const core::Container& container) {
    if (place_.empty() || container.security_context().has_app_armor_profile()) return;
    const std::string key = std::string(kAppArmorAnnotationPrefix) + std::string(container.name());
    const auto annotation = metadata_.annotations().Find(key);
    if (!annotation) return;
    const core::PodSecurityContext context = spec_.security_context();
    if (context.has_app_armor_profile() && IsProfile(context.app_armor_profile(), *annotation)) {
      return;
    }
    InTemplate([&] {
      WarnAboutAnnotation(key, "deprecated since v1.30; use the \"appArmorProfile\" field instead",
                          warner_);
    });
  }

  void WarnAboutContainer(const core::Container& container, std::string_view list, size_t index) {
    if (!metadata_.annotations().empty()) {
      if (!container.security_context().has_seccomp_profile()) {
        WarnAboutSeccomp(std::string(kSeccompContainerAnnotationPrefix) +
                         std::string(container.name()));
      }
      WarnAboutAppArmor(container);
    }
    InSpec([&] {
      const auto at = warner_.At(list, index);
      const auto limits = container.resources().limits();
      const auto requests = container.resources().requests();
      WarnAboutFraction(limits, "memory", "resources.limits", warner_);
      WarnAboutFraction(requests, "memory", "resources.requests", warner_);
      WarnAboutFraction(limits, "ephemeral-storage", "resources.limits", warner_);
      WarnAboutFraction(requests, "ephemeral-storage", "resources.requests", warner_);
      WarnAboutEnv(container, warner_);
    });
  }

  struct PortPlace {
    core::ContainerPort port;
    std::string_view list;
    size_t container;
    size_t index;
  };
  std::string PathOf(const PortPlace& place) {
    const auto container = warner_.At(place.list, place.container);
    const auto port = warner_.At("ports", place.index);
    return warner_.PathOf("");
  }
  template <typename Visit>
  void VisitPorts(const Visit& visit) {
    VisitContainers(spec_,
                    [&](const core::Container& container, std::string_view list, size_t index) {
                      const auto ports = container.ports();
                      for (size_t i = 0; i < ports.size(); ++i) {
                        visit(PortPlace{ports[i], list, index, i});
                      }
                    });
  }

  // How two definitions of the same port get in each other's way; empty if they do not.
  static std::string_view ConflictOf(const core::ContainerPort& a, const core::ContainerPort& b) {
    if (a.host_ip() == b.host_ip() && a.host_port() == b.host_port()) {
      return "duplicate port definition with ";
    }
    if (a.host_port() == 0 || b.host_port() == 0) return "overlapping port definition with ";
    if (a.host_port() == b.host_port() && a.host_ip().empty() != b.host_ip().empty()) {
      return "dangerously ambiguous port definition with ";
    }
    return {};
  }

  void WarnAboutPorts() {
    std::multimap<std::pair<int32_t, std::string_view>, PortPlace> seen;
    VisitPorts([&](const PortPlace& place) {
      const core::ContainerPort port = place.port;
      if (!port.host_ip().empty() && port.host_port() == 0) {
        warner_.AddText(PathOf(place) +
                        ": hostIP set without hostPort: {Name:" + std::string(port.name()) +
                        " HostPort:0 ContainerPort:" + std::to_string(port.container_port()) +
                        " Protocol:" + std::string(port.protocol()) +
                        " HostIP:" + std::string(port.host_ip()) + "}");
      }
      const std::pair key(port.container_port(), port.protocol());
      const auto [begin, end] = seen.equal_range(key);
      for (auto other = begin; other != end && !warner_.IsFull(); ++other) {
        const std::string_view conflict = ConflictOf(port, other->second.port);
        if (conflict.empty()) continue;
        warner_.AddText(PathOf(place) + ": " + std::string(conflict) + PathOf(other->second));
      }
      seen.emplace(key, place);
    });
  }

  void WarnAboutPortNames() {
    std::map<std::string_view, PortPlace> seen;
    VisitPorts([&](const PortPlace& place) {
      const std::string_view name = place.port.name();
      if (name.empty()) return;
      const auto [other, is_new] = seen.emplace(name, place);
      if (is_new || warner_.IsFull()) return;
      const std::string first = PathOf(other->second);
      warner_.AddText(PathOf(place) + ": duplicate port name " + InQuotes(name) + " with " + first +
                      ", services and probes that select ports by name will use " + first);
    });
  }

  template <typename PodAffinity>
  void WarnAboutSelectors(const PodAffinity& affinity) {
    constexpr std::string_view kWhy = "a null labelSelector results in matching no pod";
    const auto required = affinity.required_during_scheduling_ignored_during_execution();
    for (size_t i = 0; i < required.size(); ++i) {
      if (required[i].has_label_selector()) continue;
      const auto at = warner_.At("requiredDuringSchedulingIgnoredDuringExecution", i);
      warner_.Add("labelSelector", kWhy);
    }
    const auto preferred = affinity.preferred_during_scheduling_ignored_during_execution();
    for (size_t i = 0; i < preferred.size(); ++i) {
      if (preferred[i].pod_affinity_term().has_label_selector()) continue;
      const auto at = warner_.At("preferredDuringSchedulingIgnoredDuringExecution", i);
      warner_.Add("podAffinityTerm.labelSelector", kWhy);
    }
  }

  void WarnAboutPodAffinity() {
    const auto at = warner_.At("affinity");
    {
      const auto affinity = warner_.At("podAffinity");
      WarnAboutSelectors(spec_.affinity().pod_affinity());
    }
    const auto affinity = warner_.At("podAntiAffinity");
    WarnAboutSelectors(spec_.affinity().pod_anti_affinity());
  }

  void WarnAboutAddress(std::string_view list, size_t index, std::string_view field,
                        std::string_view ip) {
    const auto at = warner_.At(list, index);
    std::vector<std::string> found;
    WarnAboutIp(warner_.PathOf(field), ip, found);
    for (std::string& each : found) warner_.AddText(std::move(each));
  }

  void WarnAboutAddresses() {
    const auto nameservers = spec_.dns_config().nameservers();
    for (size_t i = 0; i < nameservers.size(); ++i) {
      WarnAboutAddress("dnsConfig.nameservers", i, "", nameservers[i]);
    }
    const auto aliases = spec_.host_aliases();
    for (size_t i = 0; i < aliases.size(); ++i) {
      WarnAboutAddress("hostAliases", i, "ip", aliases[i].ip());
    }
  }

  core::PodSpec spec_;
  meta::ObjectMeta metadata_;
  std::string_view place_;
  Warner warner_;
};

void WarnAboutName(std::string_view name, std::string_view use,
                   std::vector<std::string>& warnings) {
  if (object::IsDns1123Label(name)) return;
  std::string text = "metadata.name: this is used in " + std::string(use) +
                     ", which can result in surprising behavior; a DNS label is recommended: [";
  bool first = true;
  for (const std::string& problem : object::CheckDns1123Label(name)) {
    text += (first ? "" : " ") + problem;
    first = false;
  }
  warnings.push_back(text + "]");
}

}  // namespace

void WarnAboutPod(const core::PodSpec& spec, const meta::ObjectMeta& metadata,
                  std::vector<std::string>& warnings) {
  PodWarner(spec, metadata, "", warnings).Run();
}

void WarnAboutPodTemplate(const core::PodTemplateSpec& pod, std::string_view place,
                          std::vector<std::string>& warnings) {
  PodWarner(pod.spec(), pod.metadata(), place, warnings).Run();
}

void WarnAboutPodName(std::string_view name, std::vector<std::string>& warnings) {
  WarnAboutName(name, "the Pod's hostname", warnings);
}

void WarnAboutNameOfPods(std::string_view name, std::vector<std::string>& warnings) {
  WarnAboutName(name, "Pod names and hostnames", warnings);
}

}  // namespace skiff::apiserver
