#include "apiserver/registry/core/pod_resources.h"

#include <algorithm>
#include <array>
#include <string>

#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/core/visit_containers.h"
#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

using ListOf = object::MapView<std::string_view> (core::ResourceRequirements::*)() const;

// What a pod needs of a resource at most: while all its containers run, or while one of those that
// initialize it does, beside the sidecars that were started before it. Nothing if no container
// names the resource.
std::optional<object::Quantity> Aggregate(const core::PodSpec& spec, std::string_view name,
                                          ListOf list) {
  bool any = false;
  const auto amount = [&](const core::Container& container) {
    const std::optional<std::string_view> found = (container.resources().*list)().Find(name);
    any |= found.has_value();
    return found ? ParsedQuantity(*found) : object::Quantity();
  };
  object::Quantity all;
  for (const core::Container container : spec.containers()) all.Add(amount(container));
  object::Quantity sidecars;
  object::Quantity peak;
  for (const core::Container container : spec.init_containers()) {
    object::Quantity now = amount(container);
    if (IsSidecar(container)) {
      all.Add(now);
      sidecars.Add(now);
      now = sidecars;
    } else {
      now.Add(sidecars);
    }
    if (now > peak) peak = now;
  }
  if (!any) return std::nullopt;
  return std::max(all, peak);
}

void ValidateAgainstContainers(const core::PodSpec& spec, FieldErrors& errors) {
  const core::ResourceRequirements resources = spec.resources();
  for (const auto& [name, quantity] : resources.requests()) {
    const auto sum = Aggregate(spec, name, &core::ResourceRequirements::requests);
    if (!sum || *sum <= ParsedQuantity(quantity)) continue;
    const auto at = errors.AtKey("requests", name);
    errors.Invalid(
        "", quantity,
        "must be greater than or equal to aggregate container requests of " + sum->ToString());
  }
  for (const auto& [name, quantity] : resources.limits()) {
    if (!IsHugePageResource(name)) continue;
    const auto sum = Aggregate(spec, name, &core::ResourceRequirements::limits);
    if (!sum || *sum <= ParsedQuantity(quantity)) continue;
    const auto at = errors.AtKey("limits", name);
    errors.Invalid(
        "", quantity,
        "must be greater than or equal to aggregate container limits of " + sum->ToString());
  }
  const auto containers = spec.containers();
  for (size_t i = 0; i < containers.size(); ++i) {
    for (const auto& [name, quantity] : containers[i].resources().limits()) {
      const std::optional<std::string_view> limit = resources.limits().Find(name);
      if (!limit || ParsedQuantity(quantity) <= ParsedQuantity(*limit)) continue;
      const auto container = errors.At("containers", i);
      const auto at = errors.AtKey("", name);
      errors.Invalid("limits", quantity,
                     "must be less than or equal to pod limits of " + std::string(*limit));
    }
  }
}

// The sums that decide about the quality of service.
struct ComputeUse {
  static constexpr std::string_view kNames[] = {"cpu", "memory"};
  std::array<object::Quantity, 2> requests;
  std::array<object::Quantity, 2> limits;
  bool guaranteed = true;

  // False if a limit is missing.
  static bool AddTo(std::array<object::Quantity, 2>& sums,
                    const object::MapView<std::string_view>& list) {
    bool complete = true;
    for (size_t i = 0; i < sums.size(); ++i) {
      const object::Quantity amount = ParsedQuantity(list.Find(kNames[i]).value_or("0"));
      if (amount.Sign() > 0) {
        sums[i].Add(amount);
      } else {
        complete = false;
      }
    }
    return complete;
  }
  void Add(const core::ResourceRequirements& resources) {
    AddTo(requests, resources.requests());
    guaranteed &= AddTo(limits, resources.limits());
  }
};

}  // namespace

void ValidatePodResources(const core::PodSpec& spec, const SeenNames& claims,
                          const PodOptions& options, FieldErrors& errors) {
  if (!spec.has_resources()) return;
  if (spec.os().name() == "windows") {
    return errors.Forbidden("resources", "may not be set for a windows pod");
  }
  const auto at = errors.At("resources");
  if (spec.resources().AsValue()->Member(core::ResourceRequirements::kClaims) != nullptr) {
    errors.Forbidden("claims", "claims may not be set for Resources at pod-level");
  }
  ValidatePodLevelResources(spec.resources(), claims, options, errors);
  ValidateAgainstContainers(spec, errors);
}

std::string_view QosClassOf(const core::PodSpec& spec) {
  ComputeUse use;
  if (spec.has_resources()) {
    ComputeUse::AddTo(use.requests, spec.resources().requests());
    if (!spec.resources().limits().empty()) {
      use.guaranteed = ComputeUse::AddTo(use.limits, spec.resources().limits());
    }
  } else {
    for (const core::Container container : spec.containers()) use.Add(container.resources());
    for (const core::Container container : spec.init_containers()) use.Add(container.resources());
  }
  const auto is_zero = [](const object::Quantity& amount) { return amount.IsZero(); };
  if (std::ranges::all_of(use.requests, is_zero) && std::ranges::all_of(use.limits, is_zero)) {
    return "BestEffort";
  }
  // What has no request of its own has its limit as one, which defaulting sees to.
  bool equal = true;
  for (size_t i = 0; i < use.requests.size(); ++i) {
    if (use.requests[i].IsZero() != use.limits[i].IsZero()) equal = false;
    if (!use.requests[i].IsZero() && use.requests[i] != use.limits[i]) equal = false;
  }
  return use.guaranteed && equal ? "Guaranteed" : "Burstable";
}

}  // namespace skiff::apiserver
