#include "apiserver/registry/flowcontrol/rules.h"

#include "apiserver/registry/flowcontrol/flow_schema.h"
#include "apiserver/registry/flowcontrol/priority_level_configuration.h"

namespace skiff {

std::span<const KindRules> FlowcontrolRules() {
  static const KindRules kRules[] = {
      kFlowSchemaRules,
      kPriorityLevelConfigurationRules,
  };
  return kRules;
}

}  // namespace skiff
