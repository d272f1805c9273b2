// LimitRanger: containers that say nothing of their resources get the defaults of the namespace's
// LimitRanges, and pods, containers and claims of volumes must keep to their minimum, maximum and
// ratio.
#pragma once

#include <memory>
#include <string_view>

#include "apiserver/admission/plugin.h"

namespace skiff::apiserver {

// There is nothing to configure; a configuration is not looked at, as in Kubernetes.
Result<std::unique_ptr<AdmissionPlugin>> MakeLimitRanger(const PluginContext& context,
                                                         std::string_view config_json);

}  // namespace skiff::apiserver
