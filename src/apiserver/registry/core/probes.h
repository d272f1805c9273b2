// Probes of containers, and the handlers that they and the hooks of a container's life have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// livenessProbe, readinessProbe and startupProbe of the container where `errors` is.
void ValidateProbes(const views::core_v1::Container& container, FieldErrors& errors);
// lifecycle. `grace_period_seconds` is the pod's, if it is valid; `os` is empty if the pod has
// none.
void ValidateLifecycle(const views::core_v1::Lifecycle& lifecycle,
                       std::optional<int64_t> grace_period_seconds, std::string_view os,
                       FieldErrors& errors);
// A port by its number or its name.
void ValidatePort(const object::IntOrStringValue& port, std::string_view field,
                  FieldErrors& errors);

}  // namespace skiff::apiserver
