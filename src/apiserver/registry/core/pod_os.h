// What of pods depends on the system of their node. At the spec, where nothing else is said.
#pragma once

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

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

}  // namespace skiff::apiserver
