#include "apiserver/registry/core/pod_update.h"

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/containers.h"
#include "apiserver/registry/core/pod.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "object/diff.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kUpdatable =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set "
    "to 1 if it "
    "was previously negative)\n";

using Containers = object::ListView<core::Container>;

// False if nothing more can be said because containers cannot be told apart.
bool ValidateImages(const Containers& containers, const Containers& old, std::string_view field,
                    FieldErrors& errors) {
  if (containers.size() != old.size()) {
    errors.Forbidden(field, "pod updates may not add or remove containers");
    return false;
  }
  for (size_t i = 0; i < containers.size(); ++i) {
    const auto at = errors.At(field, i);
    ValidateRequired(containers[i].image(), "image", errors);
    ValidateImageText(containers[i], errors);
  }
  return true;
}

// It may be set, and shortened. False if the rest is not worth looking at.
bool ValidateDeadline(const core::PodSpec& spec, const core::PodSpec& old, FieldErrors& errors) {
  constexpr std::string_view kField = "activeDeadlineSeconds";
  const std::optional<int64_t> now = spec.active_deadline_seconds();
  const std::optional<int64_t> before = old.active_deadline_seconds();
  if (!now) {
    const object::Value* absent = nullptr;
    if (before) {
      errors.Invalid(kField, absent, "must not update from a positive integer to nil value");
    }
    return true;
  }
  const size_t faults = errors.size();
  ValidateInRange(*now, 0, std::numeric_limits<int32_t>::max(), kField, errors);
  if (errors.size() != faults) return false;
  if (!before || *before >= *now) return true;
  errors.Invalid(kField, *now, "must be less than or equal to previous value");
  return false;
}

void ValidateOnlyAddedTolerations(const core::PodSpec& spec, const core::PodSpec& old,
                                  const PodOptions& options, FieldErrors& errors) {
  // All that they have but tolerationSeconds.
  const auto key_of = [](const core::Toleration& each) {
    return std::tuple(each.key(), each.operator_(), each.value(), each.effect());
  };
  std::set<decltype(key_of(core::Toleration()))> kept;
  for (const core::Toleration now : spec.tolerations()) kept.insert(key_of(now));
  for (const core::Toleration before : old.tolerations()) {
    if (kept.contains(key_of(before))) continue;
    return errors.Forbidden("tolerations",
                            "existing toleration can not be modified except its tolerationSeconds");
  }
  ValidateTolerations(spec.tolerations(), "tolerations", options, errors);
}

void ValidateOnlyDeletedGates(const core::PodSpec& spec, const core::PodSpec& old,
                              FieldErrors& errors) {
  const auto gates = spec.scheduling_gates();
  if (gates.empty()) return;
  SeenNames before;
  for (const core::PodSchedulingGate gate : old.scheduling_gates()) before.Add(gate.name());
  for (size_t i = 0; i < gates.size(); ++i) {
    if (before.Has(gates[i].name())) continue;
    const auto at = errors.At("schedulingGates", i);
    errors.Forbidden("name", "only deletion is allowed, but found new scheduling gate '" +
                                 std::string(gates[i].name()) + "'");
  }
}

// All of the first list, in the same places of the second, which may have more.
bool HasOnlyAdditions(const object::ListView<core::NodeSelectorRequirement>& old,
                      const object::ListView<core::NodeSelectorRequirement>& now) {
  if (now.size() < old.size()) return false;
  for (size_t i = 0; i < old.size(); ++i) {
    if (!object::DeepEqual(*old[i].AsValue(), *now[i].AsValue())) return false;
  }
  return true;
}

bool HasOnlyAdditions(const core::NodeSelectorTerm& old, const core::NodeSelectorTerm& now) {
  // An empty term selects nothing, so anything added to it would select more.
  if (old.match_expressions().empty() && old.match_fields().empty()) {
    return now.match_expressions().empty() && now.match_fields().empty();
  }
  return HasOnlyAdditions(old.match_expressions(), now.match_expressions()) &&
         HasOnlyAdditions(old.match_fields(), now.match_fields());
}

void ValidateNarrowedSelector(const core::PodSpec& spec, const core::PodSpec& old,
                              FieldErrors& errors) {
  for (const auto& [key, value] : old.node_selector()) {
    if (spec.node_selector().Find(key) == value) continue;
    return errors.Invalid("nodeSelector", spec.AsValue()->Member(core::PodSpec::kNodeSelector),
                          "only additions to spec.nodeSelector are allowed (no mutations or "
                          "deletions)");
  }
}

void ValidateNarrowedAffinity(const core::NodeAffinity& now, const core::NodeAffinity& old,
                              FieldErrors& errors) {
  const auto before =
      old.required_during_scheduling_ignored_during_execution().node_selector_terms();
  const core::NodeSelector required = now.required_during_scheduling_ignored_during_execution();
  const auto terms = required.node_selector_terms();
  const auto affinity = errors.At("affinity");
  const auto at = errors.At("nodeAffinity");
  const auto place = errors.At("requiredDuringSchedulingIgnoredDuringExecution");
  if (!before.empty() && before.size() != terms.size()) {
    const object::Value* shown =
        terms.empty() ? nullptr
                      : required.AsValue()->Member(core::NodeSelector::kNodeSelectorTerms);
    return errors.Invalid("nodeSelectorTerms", shown,
                          "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (HasOnlyAdditions(before[i], terms[i])) continue;
    const auto term = errors.At("nodeSelectorTerms", i);
    errors.Invalid("", terms[i].AsValue(),
                   "only additions are allowed (no mutations or deletions)");
  }
}

bool SameButForImages(const Containers& containers, const Containers& old) {
  for (size_t i = 0; i < containers.size(); ++i) {
    if (!EqualExcept(containers[i].AsValue(), old[i].AsValue(), {core::Container::kImage})) {
      return false;
    }
  }
  return true;
}

// Of a pod that waits at a gate: where it may run can still be narrowed down.
bool ValidateGatedPlacement(const core::PodSpec& spec, const core::PodSpec& old,
                            FieldErrors& errors) {
  ValidateNarrowedSelector(spec, old, errors);
  const core::Affinity now = spec.affinity();
  const core::Affinity before = old.affinity();
  if (SameValue(before.node_affinity().AsValue(), now.node_affinity().AsValue())) {
    return SameValue(before.AsValue(), now.AsValue());
  }
  ValidateNarrowedAffinity(now.node_affinity(), before.node_affinity(), errors);
  return EqualExcept(now.AsValue(), before.AsValue(), {core::Affinity::kNodeAffinity});
}

// From a negative one, which counts as one second.
bool IsGraceHealed(const core::PodSpec& spec, const core::PodSpec& old) {
  return old.termination_grace_period_seconds().value_or(0) < 0 &&
         spec.termination_grace_period_seconds() == 1;
}

bool SameOtherwise(const core::PodSpec& spec, const core::PodSpec& old, FieldErrors& errors) {
  using F = core::PodSpec;
  const bool healed = IsGraceHealed(spec, old);
  const bool gated = !old.scheduling_gates().empty();
  const bool same_placement = !gated || ValidateGatedPlacement(spec, old, errors);
  // kContainers stands in for what must not be ignored.
  return same_placement && SameButForImages(spec.containers(), old.containers()) &&
         SameButForImages(spec.init_containers(), old.init_containers()) &&
         EqualExcept(
             spec.AsValue(), old.AsValue(),
             {F::kContainers, F::kInitContainers, F::kActiveDeadlineSeconds, F::kSchedulingGates,
              F::kTolerations, healed ? F::kTerminationGracePeriodSeconds : F::kContainers,
              gated ? F::kNodeSelector : F::kContainers, gated ? F::kAffinity : F::kContainers});
}

// A member of `from`, copied, or taken away if it is not there.
void Take(std::string_view name, const object::Value& from, object::Value& to, Arena& arena) {
  const object::Value* value = from.Find(name);
  if (value != nullptr) {
    to.Set(arena, name, value->CopyInto(arena));
  } else {
    to.Erase(name);
  }
}

void TakeNodeAffinity(const object::Value& old, object::Value& spec, Arena& arena) {
  const object::Value* before = old.Find("affinity");
  object::Value* now = spec.Find("affinity");
  if (now == nullptr && before != nullptr && before->Find("nodeAffinity") != nullptr) {
    object::Value affinity = before->CopyInto(arena);
    affinity.Erase("podAffinity");
    affinity.Erase("podAntiAffinity");
    spec.Set(arena, "affinity", affinity);
  } else if (now != nullptr && before != nullptr) {
    Take("nodeAffinity", *before, *now, arena);
  } else if (now != nullptr) {
    now->Erase("nodeAffinity");
    if (now->size() == 0) spec.Erase("affinity");
  }
}

// What differs besides what may.
std::string ForbiddenChanges(const object::Document& object, const core::PodSpec& old) {
  object::Document changed = object.Copy();
  Arena& arena = changed.arena();
  object::Value& spec = *changed.root().Find("spec");
  const object::Value& before = *old.AsValue();
  for (const std::string_view name : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) {
    Take(name, before, spec, arena);
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    object::Value* containers = spec.Find(list);
    for (size_t i = 0; containers != nullptr && i < containers->size(); ++i) {
      Take("image", before.Find(list)->items()[i], containers->items()[i], arena);
    }
  }
  if (IsGraceHealed(core::PodSpec(&spec), old)) {
    Take("terminationGracePeriodSeconds", before, spec, arena);
  }
  if (!old.scheduling_gates().empty()) {
    Take("nodeSelector", before, spec, arena);
    TakeNodeAffinity(before, spec, arena);
  }
  return object::DiffValues(before, spec).ToString();
}

}  // namespace

void ValidatePodUpdate(const object::Document& object, const object::Document& old_object,
                       FieldErrors& errors) {
  const core::Pod pod(object);
  const core::Pod before(old_object);
  const core::PodSpec spec = pod.spec();
  const core::PodSpec old = before.spec();
  const PodOptions options = OptionsForUpdateOf(before);
  ValidatePodMetadataAndSpec(pod, options, errors);
  {
    const auto at = errors.At("metadata");
    const auto annotations = errors.At("annotations");
    ValidatePodAnnotationsUpdate(pod.metadata(), before.metadata(), errors);
    ValidatePodAnnotations(pod.metadata(), spec, options, errors);
  }
  const auto at = errors.At("spec");
  if (!ValidateImages(spec.containers(), old.containers(), "containers", errors)) return;
  if (!ValidateImages(spec.init_containers(), old.init_containers(), "initContainers", errors)) {
    return;
  }
  if (!ValidateDeadline(spec, old, errors)) return;
  ValidateOnlyAddedTolerations(spec, old, options, errors);
  ValidateOnlyDeletedGates(spec, old, errors);
  if (spec.AsValue() == nullptr || old.AsValue() == nullptr) return;
  if (object::DeepEqual(*spec.AsValue(), *old.AsValue())) return;
  if (SameOtherwise(spec, old, errors)) return;
  errors.Forbidden("", std::string(kUpdatable) + ForbiddenChanges(object, old));
}

}  // namespace skiff::apiserver
