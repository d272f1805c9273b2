#include <algorithm>
#include <map>

#include "object/scalar/names.h"
#include "quota/evaluators.h"
#include "quota/pod_resources.h"
#include "views/meta/v1.h"

namespace skiff::quota {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kPodResources[] = {
    "count/pods",
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
};

// A quota of these can only be kept if every container says how much it wants.
constexpr std::string_view kMustBeSaid[] = {
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};

constexpr std::string_view kComputeResources[] = {"cpu", "memory", "ephemeral-storage"};

bool IsExtendedResource(std::string_view name) {
  if (name.starts_with("deviceclass.resource.kubernetes.io/")) return true;
  if (name.find('/') == std::string_view::npos ||
      name.find("kubernetes.io/") != std::string_view::npos || name.starts_with("requests.")) {
    return false;
  }
  return object::IsQualifiedName("requests." + std::string(name));
}

ResourceList UsageOf(const ResourceList& requests, const ResourceList& limits) {
  ResourceList out;
  out.emplace("pods", object::Quantity(1));
  for (const std::string_view name : kComputeResources) {
    if (const auto request = requests.find(name); request != requests.end()) {
      out.emplace(name, request->second);
      out.emplace("requests." + std::string(name), request->second);
    }
    if (const auto limit = limits.find(name); limit != limits.end()) {
      out.emplace("limits." + std::string(name), limit->second);
    }
  }
  for (const auto& [name, request] : requests) {
    if (name.starts_with("hugepages-")) {
      out.emplace(name, request);
      out.emplace("requests." + name, request);
    }
    if (IsExtendedResource(name)) out.emplace("requests." + name, request);
  }
  return out;
}

bool EndsByItself(const core::Pod& pod) {
  const std::optional<int64_t> seconds = pod.spec().active_deadline_seconds();
  return seconds && *seconds >= 0;
}

// A pod that has ended, or should have been gone by now, uses nothing but its place in the store.
bool StillRuns(const core::Pod& pod, object::Timestamp now) {
  if (pod.status().phase() == "Failed" || pod.status().phase() == "Succeeded") return false;
  const std::optional<object::Timestamp> deleted = pod.metadata().deletion_timestamp();
  const std::optional<int64_t> grace = pod.metadata().deletion_grace_period_seconds();
  if (!deleted || !grace) return true;
  return now.seconds <= deleted->seconds + *grace;
}

template <typename Terms>
bool NamesOtherNamespaces(const Terms& terms) {
  return std::any_of(terms.begin(), terms.end(), [](const core::PodAffinityTerm& term) {
    return !term.namespaces().empty() || term.has_namespace_selector();
  });
}

template <typename Affinity>
bool ReachesOtherNamespaces(const Affinity& affinity) {
  if (NamesOtherNamespaces(affinity.required_during_scheduling_ignored_during_execution())) {
    return true;
  }
  const auto preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  return std::any_of(preferred.begin(), preferred.end(), [](const auto& weighted) {
    const core::PodAffinityTerm term = weighted.pod_affinity_term();
    return !term.namespaces().empty() || term.has_namespace_selector();
  });
}

class PodEvaluator final : public QuotaEvaluator {
 public:
  bool Handles(QuotaEvent event, std::string_view subresource, const object::Document* old,
               const object::Document& object) const override {
    if (subresource == "resize") return event == QuotaEvent::kUpdate;
    if (!subresource.empty()) return false;
    if (event == QuotaEvent::kCreate) return true;
    const auto before = old != nullptr ? object::ViewAs<core::Pod>(*old) : std::nullopt;
    const auto after = object::ViewAs<core::Pod>(object);
    return before && after && EndsByItself(*before) != EndsByItself(*after);
  }

  ResourceNames Matching(const ResourceNames& names) const override {
    ResourceNames out;
    for (const std::string& name : names) {
      if (std::ranges::find(kPodResources, name) != std::end(kPodResources) ||
          name.starts_with("hugepages-") || name.starts_with("requests.hugepages-") ||
          IsExtendedQuotaName(name)) {
        out.insert(name);
      }
    }
    return out;
  }

  bool knows_scopes() const override { return true; }
  Result<bool> IsInScope(const ScopeRule& rule, const object::Document& object) const override {
    const auto pod = object::ViewAs<core::Pod>(object);
    if (!pod) return false;
    if (rule.scope == "Terminating") return EndsByItself(*pod);
    if (rule.scope == "NotTerminating") return !EndsByItself(*pod);
    if (rule.scope == "BestEffort") return IsBestEffort(*pod);
    if (rule.scope == "NotBestEffort") return !IsBestEffort(*pod);
    if (rule.scope == "PriorityClass") {
      const std::string_view name = pod->spec().priority_class_name();
      return ScopeSelects(rule, name.empty() ? std::nullopt : std::optional(name));
    }
    if (rule.scope == "CrossNamespacePodAffinity") {
      const core::Affinity affinity = pod->spec().affinity();
      return ReachesOtherNamespaces(affinity.pod_affinity()) ||
             ReachesOtherNamespaces(affinity.pod_anti_affinity());
    }
    return false;
  }

  std::string Missing(const ResourceNames& required,
                      const object::Document& object) const override {
    const auto pod = object::ViewAs<core::Pod>(object);
    if (!pod || HasPodLevelResources(*pod)) return {};
    std::map<std::string, ResourceNames> missing;  // containers by resource
    for (const auto& containers : {pod->spec().containers(), pod->spec().init_containers()}) {
      for (const core::Container container : containers) {
        const ResourceList said = UsageOf(ToResourceList(container.resources().requests()),
                                          ToResourceList(container.resources().limits()));
        for (const std::string_view name : kMustBeSaid) {
          if (!required.contains(name) || said.contains(name)) continue;
          missing[std::string(name)].emplace(container.name());
        }
      }
    }
    std::string out;
    for (const auto& [name, containers] : missing) {
      out += out.empty() ? "must specify " : "; ";
      out += name + " for: " + Describe(containers);
    }
    return out;
  }

  ResourceList Usage(const object::Document& object, object::Timestamp now) const override {
    const auto pod = object::ViewAs<core::Pod>(object);
    return pod ? PodUsage(*pod, now) : ResourceList();
  }
};

}  // namespace

ResourceList PodUsage(const core::Pod& pod, object::Timestamp now) {
  ResourceList out;
  if (StillRuns(pod, now)) {
    constexpr PodResourceOptions kOptions{
        .with_status = true, .with_overhead = true, .pod_level_hugepages = true};
    out = UsageOf(PodRequests(pod, kOptions), PodLimits(pod, kOptions));
  }
  out.emplace("count/pods", object::Quantity(1));
  return out;
}

std::unique_ptr<QuotaEvaluator> MakePodEvaluator() { return std::make_unique<PodEvaluator>(); }

}  // namespace skiff::quota
