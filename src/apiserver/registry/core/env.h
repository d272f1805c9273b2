// Environment variables of containers, and what they and files may take from the pod.
#pragma once

#include <span>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// "env" and "envFrom" of the container where `errors` is.
void ValidateEnv(const object::ListView<views::core_v1::EnvVar>& env, FieldErrors& errors);
void ValidateEnvFrom(const object::ListView<views::core_v1::EnvFromSource>& sources,
                     FieldErrors& errors);

// At the selector.
void ValidateFieldSelector(const views::core_v1::ObjectFieldSelector& selector,
                           std::span<const std::string_view> supported, FieldErrors& errors);
void ValidateResourceSelector(const views::core_v1::ResourceFieldSelector& selector, bool in_volume,
                              FieldErrors& errors);

// Variables from files must name a volume of the kind emptyDir. At the spec.
void ValidateEnvFileVolumes(const views::core_v1::PodSpec& spec, FieldErrors& errors);

}  // namespace skiff::apiserver
