// PodSecurity: pods must meet the level of the Pod Security Standards that their namespace asks for
// (pod_security/policy.h). Templates of pods are only warned about and noted. When a namespace is
// to enforce more than before, the client is told which of its pods would not be admitted.
#pragma once

#include <memory>
#include <string_view>

#include "apiserver/admission/plugin.h"

namespace skiff::apiserver {

Result<std::unique_ptr<AdmissionPlugin>> MakePodSecurity(const PluginContext& context,
                                                         std::string_view config_json);

}  // namespace skiff::apiserver
