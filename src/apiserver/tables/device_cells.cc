// Devices and scheduling: resource claims, pools, pod groups.
#include <string>

#include "apiserver/tables/code_cells.h"
#include "apiserver/tables/list_text.h"
#include "views/resource.k8s.io/v1.h"
#include "views/resource.k8s.io/v1alpha3.h"
#include "views/scheduling.k8s.io/v1alpha2.h"

namespace skiff::apiserver {
namespace {

using namespace views;
using resource_k8s_io_v1alpha3::PoolStatus;
using resource_k8s_io_v1alpha3::ResourcePoolStatusRequest;

Cell ClaimState(const CellContext& context) {
  const resource_k8s_io_v1::ResourceClaim claim(&context.object);
  const bool deleted = claim.metadata().deletion_timestamp().has_value();
  ListText text(",");
  if (deleted) text.Add("deleted");
  if (claim.status().has_allocation()) {
    text.Add("allocated");
    if (!claim.status().reserved_for().empty()) text.Add("reserved");
  } else if (!deleted) {
    text.Add("pending");
  }
  return context.Text(text.Take());
}

// --- requests for the state of pools

// The first condition that is true and says how the request ended; of nothing before that.
meta_v1::Condition EndOf(const ResourcePoolStatusRequest& request) {
  for (const meta_v1::Condition condition : request.status().conditions()) {
    const bool ends = condition.type() == "Complete" || condition.type() == "Failed";
    if (ends && condition.status() == "True") return condition;
  }
  return meta_v1::Condition();
}

template <typename Of>
Cell PoolSum(const CellContext& context, Of of) {
  const ResourcePoolStatusRequest request(&context.object);
  if (!request.has_status() || EndOf(request).type() == "Failed") return Cell::Text("-");
  int64_t sum = 0;
  for (const PoolStatus pool : request.status().pools()) sum += of(pool);
  return Cell::Text(context.Number(sum));
}

Cell PoolTotal(const CellContext& context) {
  return PoolSum(context, [](const PoolStatus& p) { return p.total_devices().value_or(0); });
}
Cell PoolAvailable(const CellContext& context) {
  return PoolSum(context, [](const PoolStatus& p) { return p.available_devices().value_or(0); });
}
Cell PoolAllocated(const CellContext& context) {
  return PoolSum(context, [](const PoolStatus& p) { return p.allocated_devices().value_or(0); });
}
Cell PoolUnavailable(const CellContext& context) {
  return PoolSum(context, [](const PoolStatus& p) { return p.unavailable_devices().value_or(0); });
}
Cell PoolErrors(const CellContext& context) {
  return PoolSum(context, [](const PoolStatus& p) { return p.validation_error() ? 1 : 0; });
}

Cell PoolRequestStatus(const CellContext& context) {
  const ResourcePoolStatusRequest request(&context.object);
  const std::string_view end = EndOf(request).type();
  if (end.empty()) return Cell::Text("Pending");
  const auto listed = static_cast<int64_t>(request.status().pools().size());
  const int64_t count = request.status().pool_count().value_or(0);
  if (end != "Complete" || count <= listed) return Cell::Text(end);
  return context.Concat(
      {"Complete (", context.Number(listed), "/", context.Number(count), " pools)"});
}

Cell PoolRequestCompleted(const CellContext& context) {
  const meta_v1::Condition end = EndOf(ResourcePoolStatusRequest(&context.object));
  if (end.type() != "Complete") return Cell::Unset();
  return Cell::Text(context.Age(end.last_transition_time()));
}

// --- groups of pods

Cell PodGroupPolicy(const CellContext& context) {
  const scheduling_k8s_io_v1alpha2::PodGroup group(&context.object);
  return Cell::Text(group.spec().scheduling_policy().has_gang() ? "Gang" : "Basic");
}

Cell PodGroupStatus(const CellContext& context) {
  std::string_view status = "Pending";
  std::string_view disruption;
  bool disrupted = false;
  const scheduling_k8s_io_v1alpha2::PodGroup group(&context.object);
  for (const meta_v1::Condition condition : group.status().conditions()) {
    if (condition.type() == "PodGroupScheduled") {
      status = condition.status() == "True" ? "Scheduled" : "Unschedulable";
    } else if (condition.type() == "DisruptionTarget") {
      disrupted = true;
      disruption = condition.reason();
    }
  }
  return Cell::Text(disrupted ? disruption : status);
}

constexpr std::string_view kClaim[] = {".metadata.deletionTimestamp", ".status.allocation#",
                                       ".status.reservedFor#"};
constexpr std::string_view kPools[] = {".status.conditions.type",
                                       ".status.conditions.status",
                                       ".status.conditions.lastTransitionTime",
                                       ".status.poolCount",
                                       ".status.pools.totalDevices",
                                       ".status.pools.availableDevices",
                                       ".status.pools.allocatedDevices",
                                       ".status.pools.unavailableDevices",
                                       ".status.pools.validationError"};
constexpr std::string_view kPolicy[] = {".spec.schedulingPolicy.gang#"};
constexpr std::string_view kGroupStatus[] = {".status.conditions.type", ".status.conditions.status",
                                             ".status.conditions.reason"};

constexpr CodeCell kCells[] = {
    {"resourceclaim-state", ClaimState, kClaim},
    {"poolstatus-total", PoolTotal, kPools},
    {"poolstatus-available", PoolAvailable, kPools},
    {"poolstatus-allocated", PoolAllocated, kPools},
    {"poolstatus-unavailable", PoolUnavailable, kPools},
    {"poolstatus-errors", PoolErrors, kPools},
    {"poolstatus-status", PoolRequestStatus, kPools},
    {"poolstatus-completed", PoolRequestCompleted, kPools},
    {"podgroup-policy", PodGroupPolicy, kPolicy},
    {"podgroup-status", PodGroupStatus, kGroupStatus},
};

}  // namespace

std::span<const CodeCell> DeviceCells() { return kCells; }

}  // namespace skiff::apiserver
