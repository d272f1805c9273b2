// What pods and containers may do on their nodes.
#pragma once

#include <string_view>

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// securityContext of the container where `errors` is.
void ValidateSecurityContext(const views::core_v1::SecurityContext& context, bool host_users,
                             FieldErrors& errors);
// At the spec: securityContext of a pod, with what of it stands in the spec.
void ValidatePodSecurityContext(const views::core_v1::PodSpec& spec, const PodOptions& options,
                                FieldErrors& errors);

// "hostNetwork" or "hostIPC": by which the pod shares the namespace of a sysctl with its host.
// Empty if it does not.
std::string_view SharedWithTheHostBy(std::string_view name, const views::core_v1::PodSpec& spec);

}  // namespace skiff::apiserver
