#include "apiserver/registry/core/pod_resize.h"

#include <string>

#include "apiserver/registry/core/pod.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/pod_resources.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

using Amounts = object::MapView<std::string_view>;
using Containers = object::ListView<core::Container>;

bool IsResizable(std::string_view resource) { return resource == "cpu" || resource == "memory"; }

bool HasRemoved(const Amounts& now, const Amounts& old) {
  if (old.size() > now.size()) return true;
  for (const auto& [name, quantity] : old) {
    if (!now.Contains(name)) return true;
  }
  return false;
}

// Apart from processor and memory.
bool SameOthers(const Amounts& now, const Amounts& old) {
  for (const auto& [name, quantity] : now) {
    if (IsResizable(name)) continue;
    const auto before = old.Find(name);
    if (!before || ParsedQuantity(*before) != ParsedQuantity(quantity)) return false;
  }
  for (const auto& [name, quantity] : old) {
    if (!IsResizable(name) && !now.Contains(name)) return false;
  }
  return true;
}

bool SameOthers(const core::ResourceRequirements& now, const core::ResourceRequirements& old) {
  return SameOthers(now.limits(), old.limits()) && SameOthers(now.requests(), old.requests());
}

// Claims of a container count as changed whenever there are any, as Kubernetes has it.
bool IsResizedOnly(const core::Container& now, const core::Container& old) {
  return EqualExcept(now.AsValue(), old.AsValue(), {core::Container::kResources}) &&
         SameOthers(now.resources(), old.resources()) && old.resources().claims().empty();
}

// Containers are paired by their places.
bool ValidateOrder(const Containers& now, const Containers& old, std::string_view field,
                   FieldErrors& errors) {
  if (now.size() != old.size()) {
    errors.Forbidden(field, std::string(field) + " may not be added or removed on resize");
    return false;
  }
  bool same = true;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].name() == old[i].name()) continue;
    const auto at = errors.At(field, i);
    errors.Forbidden("name", std::string(field) + " may not be renamed or reordered on resize");
    same = false;
  }
  return same;
}

void ValidateNothingRemoved(const Containers& now, const Containers& old, std::string_view field,
                            FieldErrors& errors) {
  for (size_t i = 0; i < now.size(); ++i) {
    const auto at = errors.At(field, i);
    if (HasRemoved(now[i].resources().requests(), old[i].resources().requests())) {
      errors.Forbidden("resources.requests", "resource requests cannot be removed");
    }
    if (HasRemoved(now[i].resources().limits(), old[i].resources().limits())) {
      errors.Forbidden("resources.limits", "resource limits cannot be removed");
    }
  }
}

void ValidateInitContainer(const core::Container& now, const core::Container& old, size_t index,
                           FieldErrors& errors) {
  const auto at = errors.At("initContainers", index);
  if (!IsResizedOnly(now, old)) {
    errors.Forbidden("",
                     "only cpu and memory resources for init or sidecar containers are mutable");
  }
  if (IsSidecar(now) || object::DeepEqual(*now.AsValue(), *old.AsValue())) return;
  for (const core::ContainerResizePolicy policy : now.resize_policy()) {
    if (policy.restart_policy() != "RestartContainer") continue;
    errors.Forbidden("",
                     "non-sidecar init containers with a resize policy of RestartContainer cannot "
                     "be resized");
  }
}

void ValidatePodLevelResize(const core::PodSpec& now, const core::PodSpec& old,
                            FieldErrors& errors) {
  if (old.has_resources() && !now.has_resources()) {
    return errors.Forbidden("resources", "pod-level resources cannot be removed");
  }
  if (HasRemoved(now.resources().requests(), old.resources().requests())) {
    errors.Forbidden("resources.requests", "pod-level resource requests cannot be removed");
  }
  if (HasRemoved(now.resources().limits(), old.resources().limits())) {
    errors.Forbidden("resources.limits", "pod-level resource limits cannot be removed");
  }
  if (!SameOthers(now.resources(), old.resources())) {
    errors.Forbidden("", "only cpu and memory resources are mutable at pod-level");
  }
}

bool HasAmounts(const core::PodSpec& spec) {
  return !spec.resources().requests().empty() || !spec.resources().limits().empty();
}

// The node of a running container says what it has if it can resize.
bool CanNodeResize(const core::Pod& pod) {
  for (const core::ContainerStatus status : pod.status().container_statuses()) {
    if (status.state().has_running()) return status.has_resources();
  }
  return true;
}

}  // namespace

void ValidatePodResize(const object::Document& object, const object::Document& old_object,
                       FieldErrors& errors) {
  const core::Pod pod(object);
  const core::Pod before(old_object);
  const core::PodSpec spec = pod.spec();
  const core::PodSpec old = before.spec();
  if (IsMirrorPod(before.metadata())) {
    return errors.ForbiddenAltogether("static pods cannot be resized");
  }
  if (old.os().name() == "windows") {
    return errors.ForbiddenAltogether("windows pods cannot be resized");
  }
  ValidatePodMetadataAndSpec(pod, OptionsForUpdateOf(before), errors);
  const auto at = errors.At("spec");
  const std::string_view stored_qos = before.status().qos_class();
  const std::string_view qos = stored_qos.empty() ? QosClassOf(old) : stored_qos;
  if (qos != QosClassOf(spec)) {
    errors.Invalid("", pod.status().qos_class(),
                   "Pod QOS Class may not change as a result of resizing");
  }
  if (!CanNodeResize(before)) {
    errors.Forbidden("", "Pod running on node without support for resize");
  }
  if (HasAmounts(old) || HasAmounts(spec)) ValidatePodLevelResize(spec, old, errors);
  if (!before.status().node_allocatable_resource_claim_statuses().empty()) {
    errors.Forbidden("", "pods with node allocatable resource claims cannot be resized");
  }
  const bool same_containers =
      ValidateOrder(spec.containers(), old.containers(), "containers", errors);
  const bool same_init_containers =
      ValidateOrder(spec.init_containers(), old.init_containers(), "initContainers", errors);
  if (!same_containers || !same_init_containers) return;
  ValidateNothingRemoved(spec.init_containers(), old.init_containers(), "initContainers", errors);
  ValidateNothingRemoved(spec.containers(), old.containers(), "containers", errors);
  for (size_t i = 0; i < spec.containers().size(); ++i) {
    if (IsResizedOnly(spec.containers()[i], old.containers()[i])) continue;
    errors.Forbidden("", "only cpu and memory resources are mutable");
  }
  for (size_t i = 0; i < spec.init_containers().size(); ++i) {
    ValidateInitContainer(spec.init_containers()[i], old.init_containers()[i], i, errors);
  }
  if (!errors.empty()) return;
  using F = core::PodSpec;
  if (!EqualExcept(spec.AsValue(), old.AsValue(),
                   {F::kContainers, F::kInitContainers, F::kResources})) {
    errors.Forbidden("", "only cpu and memory resources are mutable");
  }
}

}  // namespace skiff::apiserver
