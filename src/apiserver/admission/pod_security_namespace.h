// What PodSecurity says when a namespace is to enforce another level: which pods it has already
// would not meet it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/pod_security/policy.h"
#include "apiserver/admission/pod_security_config.h"
#include "apiserver/rest/resource_storage.h"
#include "base/clock.h"

namespace skiff::apiserver {

// Warnings in the words of Kubernetes. Pods of one controller are alike, so one of each is looked
// at first. There is a bound to the number of pods and to the time; a warning says if it was met.
std::vector<std::string> CheckPodsOfNamespace(ResourceStorage* pods, std::string_view name_space,
                                              const pod_security::LevelVersion& enforce,
                                              const PodSecurityConfig& config, Clock& clock);

}  // namespace skiff::apiserver
