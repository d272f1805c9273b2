// Whether rules that are code would change nothing, by the bytes of the message that has the rule.
// Each says yes only if that is certain; see code_rules.h for the rules.
#pragma once

#include <string_view>

#include "apiserver/defaults/code_rules.h"

namespace skiff {

// Volumes.
bool HasVolumeSource(std::string_view volume, const RuleSettings& settings);
bool HasImagePullPolicy(std::string_view volume, const RuleSettings& settings);

// Pods.
bool RequestsContainerLimits(std::string_view pod, const RuleSettings& settings);
bool RequestsInitContainerLimits(std::string_view pod, const RuleSettings& settings);
bool HasHostPorts(std::string_view pod, const RuleSettings& settings);
bool HasNoPodLevelResources(std::string_view pod, const RuleSettings& settings);

// Services and their ports.
bool HasNoUnusedAffinityConfig(std::string_view service, const RuleSettings& settings);
bool HasIngressIpModes(std::string_view service, const RuleSettings& settings);
bool HasTargetPort(std::string_view port, const RuleSettings& settings);

bool IsLabelledWithName(std::string_view name_space, const RuleSettings& settings);

}  // namespace skiff
