// Amounts of resources that pods ask for: names, quantities, requests and limits, claims.
#pragma once

#include <string_view>

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/seen_names.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

bool IsHugePageResource(std::string_view name);
// Of the kubernetes.io namespace, as all names without one are.
bool IsNativeResource(std::string_view name);
bool IsExtendedResource(std::string_view name);
// Known to the system without a prefix: those of containers, quotas and claims.
bool IsStandardResource(std::string_view name);
// Counted in whole numbers.
bool IsIntegerResource(std::string_view name);
// The page size divides the amount.
bool IsDivisibleHugePageAmount(std::string_view name, std::string_view quantity);

// Each of these looks at the place where `errors` is.
void ValidateResourceName(std::string_view name, FieldErrors& errors);
void ValidateContainerResourceName(std::string_view name, FieldErrors& errors);
void ValidateResourceQuantity(std::string_view name, std::string_view quantity,
                              FieldErrors& errors);

using ResourceClaims = object::ListView<views::core_v1::PodResourceClaim>;
// `claims`: the names of the pod's claims.
void ValidateContainerResources(const views::core_v1::ResourceRequirements& resources,
                                const SeenNames& claims, const PodOptions& options,
                                FieldErrors& errors);
// Of a pod as a whole.
void ValidatePodLevelResources(const views::core_v1::ResourceRequirements& resources,
                               const SeenNames& claims, const PodOptions& options,
                               FieldErrors& errors);
// spec.overhead: amounts as limits of a container have them.
void ValidateOverhead(const object::MapView<std::string_view>& overhead, const PodOptions& options,
                      FieldErrors& errors);
// spec.resourceClaims. `is_static`: the pod mirrors one that a node made by itself. At the spec.
void ValidatePodResourceClaims(const ResourceClaims& claims, bool is_static, FieldErrors& errors);

}  // namespace skiff::apiserver
