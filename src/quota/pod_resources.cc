#include "quota/pod_resources.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace skiff::quota {
namespace {

namespace core = views::core_v1;

bool IsCompute(std::string_view name) { return name == "cpu" || name == "memory"; }

bool MayBePodLevel(std::string_view name, bool hugepages) {
  return IsCompute(name) || (hugepages && name.starts_with("hugepages-"));
}

bool StaysRunning(const core::Container& container) {
  return container.restart_policy() == std::string_view("Always");
}

bool ResizeIsInfeasible(const core::Pod& pod) {
  for (const core::PodCondition condition : pod.status().conditions()) {
    if (condition.type() == "PodResizePending") return condition.reason() == "Infeasible";
  }
  return false;
}

// What is told of the containers of a pod, found out once for all of them.
class StatusesOf {
 public:
  explicit StatusesOf(const core::Pod& pod) : resize_is_infeasible_(ResizeIsInfeasible(pod)) {
    for (const auto& statuses :
         {pod.status().init_container_statuses(), pod.status().container_statuses()}) {
      for (const core::ContainerStatus status : statuses) by_name_.emplace(status.name(), status);
    }
  }

  bool resize_is_infeasible() const { return resize_is_infeasible_; }
  std::optional<core::ContainerStatus> Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found != by_name_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  bool resize_is_infeasible_;
  std::map<std::string_view, core::ContainerStatus> by_name_;
};

// The requests, or the limits, of one container.
ResourceList ResourcesOf(const core::Container& container, bool limits,
                         const StatusesOf* statuses) {
  ResourceList wanted =
      ToResourceList(limits ? container.resources().limits() : container.resources().requests());
  if (statuses == nullptr) return wanted;
  const std::optional<core::ContainerStatus> status = statuses->Find(container.name());
  if (!status || !status->has_resources()) return wanted;
  const core::ResourceRequirements actual = status->resources();
  ResourceList out = statuses->resize_is_infeasible() ? ResourceList() : std::move(wanted);
  RaiseTo(out, ToResourceList(limits ? actual.limits() : actual.requests()));
  if (!limits) RaiseTo(out, ToResourceList(status->allocated_resources()));
  return out;
}

ResourceList SumOfContainers(const core::Pod& pod, bool limits, bool with_status) {
  std::optional<StatusesOf> statuses;
  if (with_status) statuses.emplace(pod);
  const StatusesOf* const told = statuses ? &*statuses : nullptr;
  ResourceList sum;
  for (const core::Container container : pod.spec().containers()) {
    AddTo(sum, ResourcesOf(container, limits, told));
  }
  // Before each container that starts and ends, those that stay are running. Only the amounts that
  // it asks for itself can be more than before.
  ResourceList staying;
  ResourceList starting;
  for (const core::Container container : pod.spec().init_containers()) {
    const bool stays = StaysRunning(container);
    ResourceList own = ResourcesOf(container, limits, stays ? told : nullptr);
    if (stays) {
      AddTo(sum, own);
      AddTo(staying, own);
    }
    for (auto& [name, quantity] : own) {
      const auto running = staying.find(name);
      if (stays) {
        quantity = running->second;
      } else if (running != staying.end()) {
        quantity.Add(running->second);
      }
    }
    RaiseTo(starting, own);
  }
  RaiseTo(sum, starting);
  return sum;
}

void TakePodLevel(const ResourceList& own, bool hugepages, ResourceList& out) {
  for (const auto& [name, quantity] : own) {
    if (MayBePodLevel(name, hugepages)) out.insert_or_assign(name, quantity);
  }
}

bool HasAmount(const object::MapView<std::string_view>& resources) {
  return std::any_of(resources.begin(), resources.end(), [](const auto& entry) {
    if (!IsCompute(entry.key)) return false;
    const Result<object::Quantity> quantity = object::Quantity::Parse(entry.value);
    return quantity && quantity->Sign() > 0;
  });
}

}  // namespace

ResourceList PodRequests(const core::Pod& pod, const PodResourceOptions& options) {
  ResourceList out = SumOfContainers(pod, false, options.with_status);
  TakePodLevel(ToResourceList(pod.spec().resources().requests()), options.pod_level_hugepages, out);
  if (options.with_overhead) AddTo(out, ToResourceList(pod.spec().overhead()));
  return out;
}

ResourceList PodLimits(const core::Pod& pod, const PodResourceOptions& options) {
  ResourceList out = SumOfContainers(pod, true, options.with_status);
  TakePodLevel(ToResourceList(pod.spec().resources().limits()), options.pod_level_hugepages, out);
  if (!options.with_overhead) return out;
  // Where there is no limit, the overhead makes none.
  for (const auto& [name, quantity] : ToResourceList(pod.spec().overhead())) {
    const auto limit = out.find(name);
    if (limit != out.end() && !limit->second.IsZero()) limit->second.Add(quantity);
  }
  return out;
}

bool HasPodLevelResources(const core::Pod& pod) {
  for (const auto& resources :
       {pod.spec().resources().requests(), pod.spec().resources().limits()}) {
    for (const auto& [name, quantity] : resources) {
      if (MayBePodLevel(name, true)) return true;
    }
  }
  return false;
}

bool IsBestEffort(const core::Pod& pod) {
  if (!pod.status().qos_class().empty()) return pod.status().qos_class() == "BestEffort";
  const auto asks = [](const core::ResourceRequirements& resources) {
    return HasAmount(resources.requests()) || HasAmount(resources.limits());
  };
  if (pod.spec().has_resources()) return !asks(pod.spec().resources());
  for (const auto& containers : {pod.spec().containers(), pod.spec().init_containers()}) {
    for (const core::Container container : containers) {
      if (asks(container.resources())) return false;
    }
  }
  return true;
}

}  // namespace skiff::quota
