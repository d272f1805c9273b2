#include "apiserver/registry/find_conversion.h"

#include <span>

#include "apiserver/registry/apiextensions/custom_resource_definition_conversion.h"
#include "apiserver/registry/apps/workload_conversion.h"
#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler_conversion.h"
#include "apiserver/registry/core/event_conversion.h"
#include "apiserver/registry/discovery/endpoint_slice_conversion.h"
#include "apiserver/registry/flowcontrol/priority_level_configuration_conversion.h"
#include "apiserver/registry/networking/ingress_conversion.h"
#include "apiserver/registry/node/runtime_class_conversion.h"
#include "apiserver/registry/policy/pod_disruption_budget_conversion.h"
#include "apiserver/registry/rbac/role_binding_conversion.h"
#include "apiserver/registry/resource/device_conversion.h"

namespace skiff::apiserver {
namespace {

using ConversionsOfKind = std::span<const ConversionRule> (*)();
// In the order of how often objects need them.
constexpr ConversionsOfKind kAllConversions[] = {
    DefinitionConversions, WorkloadConversions,      AutoscalerConversions,
    EventConversions,      EndpointSliceConversions, PriorityLevelConversions,
    IngressConversions,    RuntimeClassConversions,  BudgetConversions,
    SubjectConversions,    DeviceConversions,
};

}  // namespace

const ConversionRule* FindConversionOfKind(const object::MessageDesc* from,
                                           const object::MessageDesc* to) {
  for (const ConversionsOfKind conversions : kAllConversions) {
    for (const ConversionRule& rule : conversions()) {
      if (rule.from() == from && rule.to() == to) return &rule;
    }
  }
  return nullptr;
}

}  // namespace skiff::apiserver
