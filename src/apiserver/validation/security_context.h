// What pods and containers may do on their nodes, and what depends on the system of the node.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/pod_options.h"
#include "views/core/v1.h"

namespace skiff {

// securityContext of the container where `errors` is.
void ValidateSecurityContext(const views::core_v1::SecurityContext& context, bool host_users,
                             FieldErrors& errors);
// The following are at the spec. securityContext of a pod, with what of it stands in the spec.
void ValidatePodSecurityContext(const views::core_v1::PodSpec& spec, const PodOptions& options,
                                FieldErrors& errors);
// Host process containers of Windows.
void ValidateHostProcesses(const views::core_v1::PodSpec& spec, FieldErrors& errors);
// Namespaces of the host that go with hostUsers.
void ValidateHostUsers(const views::core_v1::PodSpec& spec, const PodOptions& options,
                       FieldErrors& errors);
// os, and the fields that its system does not have.
void ValidateOs(const views::core_v1::PodSpec& spec, FieldErrors& errors);

// windowsOptions of a security context.
void ValidateWindowsOptions(const views::core_v1::WindowsSecurityContextOptions& options,
                            FieldErrors& errors);
// "hostNetwork" or "hostIPC": by which the pod shares the namespace of a sysctl with its host.
// Empty if it does not.
std::string_view SharedWithTheHostBy(std::string_view name, const views::core_v1::PodSpec& spec);

}  // namespace skiff
