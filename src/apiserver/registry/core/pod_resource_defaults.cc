#include "apiserver/registry/core/pod_resource_defaults.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/defaults/wire_text.h"
#include "object/scalar/quantity.h"

namespace skiff::apiserver {
namespace {

using Amounts = std::map<std::string_view, object::Quantity>;

bool IsHugePages(std::string_view resource) { return resource.starts_with("hugepages-"); }

bool CanBeOvercommitted(std::string_view resource) {
  return resource == "cpu" || resource == "memory";
}

bool IsPodLevel(std::string_view resource) {
  return CanBeOvercommitted(resource) || IsHugePages(resource);
}

void AddTo(Amounts& sum, const Amounts& more) {
  for (const auto& [resource, amount] : more) {
    const auto [at, is_new] = sum.try_emplace(resource, amount);
    if (!is_new) at->second.Add(amount);
  }
}

void RaiseTo(Amounts& largest, const Amounts& other) {
  for (const auto& [resource, amount] : other) {
    const auto [at, is_new] = largest.try_emplace(resource, amount);
    if (!is_new && amount > at->second) at->second = amount;
  }
}

// A container's requests or limits.
Amounts AmountsOf(object::Value& container, std::string_view which) {
  Amounts out;
  object::Value* resources = PartOf(container, "resources");
  const object::Value* map = resources == nullptr ? nullptr : PartOf(*resources, which);
  if (map == nullptr) return out;
  for (const object::MapEntry& entry : map->entries()) {
    Result<object::Quantity> amount = object::Quantity::Parse(entry.value.AsText());
    if (amount) out.emplace(entry.key, std::move(*amount));
  }
  return out;
}

// What the containers need at any one time: all containers with the sidecars, or, if that is more,
// an init container with the sidecars that were started before it.
Amounts Aggregate(object::Value& spec, std::string_view which) {
  Amounts running;
  for (object::Value& container : ItemsOf(spec, "containers")) {
    AddTo(running, AmountsOf(container, which));
  }
  Amounts sidecars;
  Amounts starting;
  for (object::Value& container : ItemsOf(spec, "initContainers")) {
    Amounts own = AmountsOf(container, which);
    if (TextOf(container, "restartPolicy") == "Always") {
      AddTo(running, own);
      AddTo(sidecars, own);
      RaiseTo(starting, sidecars);
    } else {
      AddTo(own, sidecars);
      RaiseTo(starting, own);
    }
  }
  RaiseTo(running, starting);
  return running;
}

bool HasEntries(object::Value& resources, std::string_view which) {
  const object::Value* map = PartOf(resources, which);
  return map != nullptr && map->size() != 0;
}

bool HasEntry(object::Value& resources, std::string_view which, std::string_view resource) {
  const object::Value* map = PartOf(resources, which);
  return map != nullptr && map->Find(resource) != nullptr;
}

// The pod's own resources, if they matter.
object::Value* PodResources(object::Value& pod, const RuleContext& context) {
  object::Value* spec =
      context.settings.gates.IsOn("PodLevelResources") ? PartOf(pod, "spec") : nullptr;
  return spec == nullptr ? nullptr : PartOf(*spec, "resources");
}

void PutAmount(object::Value& resources, std::string_view which, std::string_view resource,
               const object::Quantity& amount, Arena& arena) {
  MakePart(resources, which, arena)
      .SetEntry(arena, resource, object::Value::String(arena.Copy(amount.ToString())));
}

void DefaultHugePageLimits(object::Value& pod, const RuleContext& context) {
  object::Value* resources = PodResources(pod, context);
  if (resources == nullptr) return;
  if (!HasEntries(*resources, "limits") && !HasEntries(*resources, "requests")) return;
  for (const auto& [resource, amount] : Aggregate(*PartOf(pod, "spec"), "limits")) {
    if (!IsHugePages(resource) || HasEntry(*resources, "requests", resource) ||
        HasEntry(*resources, "limits", resource)) {
      continue;
    }
    PutAmount(*resources, "limits", resource, amount, context.arena);
  }
}

void DefaultPodRequests(object::Value& pod, const RuleContext& context) {
  object::Value* resources = PodResources(pod, context);
  if (resources == nullptr || !HasEntries(*resources, "limits")) return;
  for (const auto& [resource, amount] : Aggregate(*PartOf(pod, "spec"), "requests")) {
    if (!CanBeOvercommitted(resource) || HasEntry(*resources, "requests", resource)) continue;
    PutAmount(*resources, "requests", resource, amount, context.arena);
  }
  const object::Value limits = *PartOf(*resources, "limits");
  for (const object::MapEntry& limit : limits.entries()) {
    if (!IsPodLevel(limit.key) || HasEntry(*resources, "requests", limit.key)) continue;
    MakePart(*resources, "requests", context.arena).SetEntry(context.arena, limit.key, limit.value);
  }
}

// --- whether they would change nothing, by the bytes

bool HasNoPodLevelResources(std::string_view pod, const RuleSettings& settings) {
  static const object::WirePath resources = CorePath("Pod", "spec.resources");
  return !settings.gates.IsOn("PodLevelResources") ||
         resources.IsSet(pod) == object::WirePath::Answer::kNo;
}

constexpr CodeRuleEntry kDefaults[] = {
    {"core/v1", "Pod", "spec.resources.limits[hugepages-*]", DefaultHugePageLimits,
     HasNoPodLevelResources},
    {"core/v1", "Pod", "spec.resources.requests[r]", DefaultPodRequests, HasNoPodLevelResources},
};

}  // namespace

std::span<const CodeRuleEntry> PodResourceDefaults() { return kDefaults; }

}  // namespace skiff::apiserver
