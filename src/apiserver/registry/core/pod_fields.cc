#include "apiserver/registry/core/pod_fields.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/pod_resources.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace meta = views::meta_v1;

// key in (value of the pod's label), or notin.
void AddToSelector(const object::ListView<std::string_view>& keys, std::string_view op,
                   const object::MapView<std::string_view>& labels,
                   meta::MutableLabelSelector selector) {
  for (const std::string_view key : keys) {
    const std::optional<std::string_view> value = labels.Find(key);
    if (!value) continue;
    auto requirement = selector.add_match_expressions();
    requirement.set_key(key);
    requirement.set_operator(op);
    requirement.add_values(*value);
  }
}

void MergeLabelKeys(const core::PodAffinityTerm& term,
                    const object::MapView<std::string_view>& labels,
                    core::MutablePodAffinityTerm out) {
  if (!term.has_label_selector()) return;
  AddToSelector(term.match_label_keys(), "In", labels, out.mutable_label_selector());
  AddToSelector(term.mismatch_label_keys(), "NotIn", labels, out.mutable_label_selector());
}

// podAffinity or podAntiAffinity.
template <typename Affinity, typename MutableAffinity>
void MergeLabelKeys(const Affinity& affinity, const object::MapView<std::string_view>& labels,
                    MutableAffinity out) {
  const auto preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  for (size_t i = 0; i < preferred.size(); ++i) {
    MergeLabelKeys(preferred[i].pod_affinity_term(), labels,
                   out.mutable_preferred_during_scheduling_ignored_during_execution(i)
                       .mutable_pod_affinity_term());
  }
  const auto required = affinity.required_during_scheduling_ignored_during_execution();
  for (size_t i = 0; i < required.size(); ++i) {
    MergeLabelKeys(required[i], labels,
                   out.mutable_required_during_scheduling_ignored_during_execution(i));
  }
}

bool HasLabelKeys(const core::PodSpec& spec) {
  const auto has = [](const auto& affinity) {
    for (const core::PodAffinityTerm term :
         affinity.required_during_scheduling_ignored_during_execution()) {
      if (!term.match_label_keys().empty() || !term.mismatch_label_keys().empty()) return true;
    }
    for (const core::WeightedPodAffinityTerm each :
         affinity.preferred_during_scheduling_ignored_during_execution()) {
      const core::PodAffinityTerm term = each.pod_affinity_term();
      if (!term.match_label_keys().empty() || !term.mismatch_label_keys().empty()) return true;
    }
    return false;
  };
  for (const core::TopologySpreadConstraint constraint : spec.topology_spread_constraints()) {
    if (!constraint.match_label_keys().empty()) return true;
  }
  return has(spec.affinity().pod_affinity()) || has(spec.affinity().pod_anti_affinity());
}

void MergeLabelKeys(object::Document& document) {
  if (!HasLabelKeys(core::Pod(document).spec())) return;
  // Views of a document do not outlive changes of it.
  const object::Document copy = document.Copy();
  const core::Pod pod(copy);
  const core::PodSpec spec = pod.spec();
  const auto labels = pod.metadata().labels();
  core::MutablePod out(document);
  if (spec.affinity().has_pod_affinity()) {
    MergeLabelKeys(spec.affinity().pod_affinity(), labels,
                   out.mutable_spec().mutable_affinity().mutable_pod_affinity());
  }
  if (spec.affinity().has_pod_anti_affinity()) {
    MergeLabelKeys(spec.affinity().pod_anti_affinity(), labels,
                   out.mutable_spec().mutable_affinity().mutable_pod_anti_affinity());
  }
  const auto constraints = spec.topology_spread_constraints();
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].has_label_selector()) continue;
    AddToSelector(
        constraints[i].match_label_keys(), "In", labels,
        out.mutable_spec().mutable_topology_spread_constraints(i).mutable_label_selector());
  }
}

// The profile that an annotation of old asks for. Nothing if it is none.
struct AppArmorProfile {
  std::string_view type;
  std::string_view localhost_profile;
};
std::optional<AppArmorProfile> ProfileOf(std::string_view annotation) {
  constexpr std::string_view kLocalhost = "localhost/";
  constexpr size_t kMaxLocalhostProfile = 4095;
  if (annotation == "unconfined") return AppArmorProfile{"Unconfined", {}};
  if (annotation == "runtime/default") return AppArmorProfile{"RuntimeDefault", {}};
  if (!annotation.starts_with(kLocalhost)) return std::nullopt;
  const std::string_view profile = annotation.substr(kLocalhost.size());
  // The field would be refused.
  const bool is_valid =
      !profile.empty() && profile.size() <= kMaxLocalhostProfile && TrimSpace(profile) == profile;
  if (!is_valid) return std::nullopt;
  return AppArmorProfile{"Localhost", profile};
}

// Annotations were there before the fields.
void TakeAppArmorAnnotations(object::Document& document, std::vector<std::string>* warnings) {
  const core::Pod pod(document);
  if (pod.metadata().annotations().empty() || pod.spec().os().name() == "windows") return;
  struct Found {
    bool is_init;
    size_t index;
    std::string type;
    std::string localhost_profile;
  };
  std::vector<Found> found;
  const core::AppArmorProfile of_pod = pod.spec().security_context().app_armor_profile();
  VisitContainers(pod.spec(), [&](const core::Container& container, std::string_view list,
                                  size_t index) {
    if (list == "ephemeralContainers") return;
    if (container.security_context().has_app_armor_profile()) return;
    const std::string key = std::string(kAppArmorAnnotationPrefix) + std::string(container.name());
    const auto annotation = pod.metadata().annotations().Find(key);
    if (!annotation) return;
    const auto profile = ProfileOf(*annotation);
    const bool is_of_pod = profile && of_pod.AsValue() != nullptr &&
                           of_pod.type() == profile->type &&
                           of_pod.localhost_profile().value_or("") == profile->localhost_profile;
    if (is_of_pod) return;
    if (warnings != nullptr) {
      warnings->push_back("metadata.annotations[" + key +
                          "]: deprecated since v1.30; use the \"appArmorProfile\" field instead");
    }
    if (!profile) return;
    found.push_back({list == "initContainers", index, std::string(profile->type),
                     std::string(profile->localhost_profile)});
  });
  core::MutablePod out(document);
  for (const Found& each : found) {
    auto container = each.is_init ? out.mutable_spec().mutable_init_containers(each.index)
                                  : out.mutable_spec().mutable_containers(each.index);
    auto profile = container.mutable_security_context().mutable_app_armor_profile();
    profile.set_type(each.type);
    if (!each.localhost_profile.empty()) profile.set_localhost_profile(each.localhost_profile);
  }
}

void KeepMetadata(object::Document& old, object::Document& pod) {
  const MetaOf before(old);
  MetaOf after(pod);
  for (const std::string_view name : {"deletionTimestamp", "generation", "selfLink", "labels",
                                      "annotations", "finalizers", "ownerReferences"}) {
    after.Take(name, before);
  }
}

// A member of `from`, copied, or taken away if it is not there.
void Take(std::string_view name, const object::Value* from, object::Value& to, Arena& arena) {
  const object::Value* value = from != nullptr ? from->Find(name) : nullptr;
  if (value != nullptr) {
    to.Set(arena, name, value->CopyInto(arena));
  } else {
    to.Erase(name);
  }
}

void CountChange(object::Document& old, object::Document& pod) {
  const object::Value* before = old.root().Find("spec");
  const object::Value* after = pod.root().Find("spec");
  if (before == nullptr || after == nullptr || object::DeepEqual(*before, *after)) return;
  MetaOf(pod).SetGeneration(MetaOf(old).generation() + 1);
}

// The containers as they were, with the resources that are wanted now. Nothing if they cannot be
// paired, which is for validation to say.
std::optional<object::Value> WithResourcesOf(const object::Value* wanted, const object::Value* old,
                                             Arena& arena) {
  if (wanted == nullptr || old == nullptr || wanted->size() != old->size()) return std::nullopt;
  object::Value out = old->CopyInto(arena);
  for (size_t i = 0; i < out.size(); ++i) {
    const object::Value& from = wanted->items()[i];
    if (core::Container(&from).name() != core::Container(&out.items()[i]).name()) {
      return std::nullopt;
    }
    Take("resources", &from, out.items()[i], arena);
    Take("resizePolicy", &from, out.items()[i], arena);
  }
  return out;
}

}  // namespace

void PrepareNewPod(object::Document& document, object::Timestamp now,
                   std::vector<std::string>* warnings) {
  document.root().Erase("status");
  const std::string_view qos = QosClassOf(core::Pod(document).spec());
  const bool is_gated = !core::Pod(document).spec().scheduling_gates().empty();
  core::MutablePod pod(document);
  pod.mutable_status().set_phase("Pending");
  pod.mutable_status().set_qos_class(qos);
  if (is_gated) {
    auto condition = pod.mutable_status().add_conditions();
    condition.set_type("PodScheduled");
    condition.set_status("False");
    condition.set_reason("SchedulingGated");
    condition.set_message("Scheduling is blocked due to non-empty scheduling gates");
    condition.set_last_transition_time(now);
  }
  MergeLabelKeys(document);
  TakeAppArmorAnnotations(document, warnings);
}

void KeepAllButStatus(object::Document& old, object::Document& document) {
  Arena& arena = document.arena();
  Take("spec", &old.root(), document.root(), arena);
  MetaOf(document).Take("ownerReferences", MetaOf(old));
  const core::PodStatus before = core::Pod(old).status();
  core::MutablePod pod(document);
  // Older nodes do not say these.
  if (core::Pod(document).status().qos_class().empty()) {
    pod.mutable_status().set_qos_class(before.qos_class());
  }
  if (core::Pod(document).status().observed_generation() == 0) {
    pod.mutable_status().set_observed_generation(before.observed_generation());
  }
  std::map<std::string_view, int64_t> observed;
  for (const core::PodCondition each : before.conditions()) {
    observed.emplace(each.type(), each.observed_generation());
  }
  const size_t count = core::Pod(document).status().conditions().size();
  for (size_t i = 0; i < count; ++i) {
    const core::PodCondition condition = core::Pod(document).status().conditions()[i];
    const auto known = observed.find(condition.type());
    if (condition.observed_generation() != 0 || known == observed.end()) continue;
    pod.mutable_status().mutable_conditions(i).set_observed_generation(known->second);
  }
}

void KeepAllButEphemeralContainers(object::Document& old, object::Document& pod) {
  Arena& arena = pod.arena();
  const object::Value wanted = pod.root();
  std::optional<object::Value> containers;
  if (const object::Value* found = wanted.FindPath({"spec", "ephemeralContainers"});
      found != nullptr) {
    containers = found->CopyInto(arena);
  }
  Take("spec", &old.root(), pod.root(), arena);
  Take("status", &old.root(), pod.root(), arena);
  KeepMetadata(old, pod);
  object::Value* spec = pod.root().Find("spec");
  if (spec == nullptr) return;
  spec->Erase("ephemeralContainers");
  if (containers) spec->Set(arena, "ephemeralContainers", *containers);
  CountChange(old, pod);
}

void KeepAllButResources(object::Document& old, object::Document& pod) {
  Arena& arena = pod.arena();
  const object::Value* before = old.root().Find("spec");
  const object::Value* now = pod.root().Find("spec");
  if (before == nullptr || now == nullptr) return;
  const object::Value* containers = now->Find("containers");
  const object::Value* init_containers = now->Find("initContainers");
  const object::Value* old_init_containers = before->Find("initContainers");
  const auto count = [](const object::Value* list) { return list != nullptr ? list->size() : 0; };
  if (count(containers) != count(before->Find("containers")) ||
      count(init_containers) != count(old_init_containers)) {
    return CountChange(old, pod);
  }
  object::Value spec = before->CopyInto(arena);
  Take("resources", now, spec, arena);
  const auto pick = [&](std::string_view name, const object::Value* wanted) {
    if (wanted == nullptr) return;
    const std::optional<object::Value> paired = WithResourcesOf(wanted, before->Find(name), arena);
    spec.Set(arena, name, paired ? *paired : wanted->CopyInto(arena));
  };
  pick("containers", containers);
  pick("initContainers", init_containers);
  pod.root().Set(arena, "spec", spec);
  Take("status", &old.root(), pod.root(), arena);
  KeepMetadata(old, pod);
  CountChange(old, pod);
}

}  // namespace skiff::apiserver
