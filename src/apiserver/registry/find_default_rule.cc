#include "apiserver/registry/find_default_rule.h"

#include <span>

#include "apiserver/registry/apiextensions/custom_resource_definition_defaults.h"
#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler_defaults.h"
#include "apiserver/registry/core/limit_range_defaults.h"
#include "apiserver/registry/core/namespace_defaults.h"
#include "apiserver/registry/core/pod_defaults.h"
#include "apiserver/registry/core/pod_resource_defaults.h"
#include "apiserver/registry/core/service_defaults.h"
#include "apiserver/registry/flowcontrol/priority_level_configuration_defaults.h"
#include "apiserver/registry/resource/device_taint_defaults.h"

namespace skiff::apiserver {
namespace {

using DefaultsOfKind = std::span<const CodeRuleEntry> (*)();
constexpr DefaultsOfKind kAllDefaults[] = {
    DefinitionDefaults, AutoscalerDefaults,    LimitRangeDefaults,
    NamespaceDefaults,  PodDefaults,           PodResourceDefaults,
    ServiceDefaults,    PriorityLevelDefaults, DeviceTaintDefaults,
};

}  // namespace

const CodeRuleEntry* FindDefaultRule(const object::MessageDesc& message, std::string_view path) {
  for (const DefaultsOfKind defaults : kAllDefaults) {
    for (const CodeRuleEntry& rule : defaults()) {
      if (rule.path == path && rule.message == message.name &&
          rule.file == message.group_version->path) {
        return &rule;
      }
    }
  }
  return nullptr;
}

}  // namespace skiff::apiserver
