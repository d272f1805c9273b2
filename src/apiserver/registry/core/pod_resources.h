// Resources of a pod as a whole: against those of its containers, and what they make of its quality
// of service.
#pragma once

#include <string_view>

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/seen_names.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// spec.resources, by themselves and against those of the containers. At the spec.
void ValidatePodResources(const views::core_v1::PodSpec& spec, const SeenNames& claims,
                          const PodOptions& options, FieldErrors& errors);

// "Guaranteed", "Burstable" or "BestEffort".
std::string_view QosClassOf(const views::core_v1::PodSpec& spec);

}  // namespace skiff::apiserver
